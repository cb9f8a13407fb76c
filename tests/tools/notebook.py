"""Runs a notebook of C$ cells in a folder and looks at what they show (tests/jupyter.sh)."""
import asyncio
import sys
import threading
import time

import nbformat
from nbclient import NotebookClient


def texts(cell, name):
    return "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == name)


def is_(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


def interrupt(client):
    time.sleep(3)
    asyncio.run_coroutine_threadsafe(client.km.interrupt_kernel(), client.loop)


cells = [
    "int[] a = {1, 2, 3};\nint twice(int n) =>\n    2 * n;\n\ntwice(a[1])",
    ":type a",
    "twice(nothing)",
    "a[7]",
    'Console.WriteLine("on"); float[,] f(i: 0..4, j: 0..4) = 0.25f * i; Image.Save("ramp.png", f);',
    "while (true) { }",
    "sum(a)",
    "Environment.Exit(3);",
    "1 + 1",
]
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
client = NotebookClient(notebook, kernel_name="csdollar", timeout=60, allow_errors=True,
                        resources={"metadata": {"path": sys.argv[1]}})


async def run():
    client.loop = asyncio.get_running_loop()
    async with client.async_setup_kernel():
        for index, cell in enumerate(notebook.cells):
            if "while" in cell.source:
                threading.Thread(target=interrupt, args=(client,), daemon=True).start()
            await client.async_execute_cell(cell, index)
        reply = await client.kc.complete("twi", 3, reply=True)
        is_(reply["content"]["matches"], ["twice"], "completion")


asyncio.run(run())
done = notebook.cells
is_(texts(done[0], "stdout"), "4 : int\n", "a value")
is_(texts(done[1], "stdout"), "int[]\n", ":type")
is_("'nothing'" in texts(done[2], "stderr"), True, "an error of the compiler")
is_([o.output_type for o in done[2].outputs], ["stream", "error"], "an error of the compiler")
is_("index 7" in texts(done[3], "stderr"), True, "an exception")
is_(texts(done[4], "stdout"), "on\n", "output")
is_([o.data["image/png"][:11] for o in done[4].outputs if o.output_type == "display_data"], ["iVBORw0KGgo"], "a picture")
is_(done[5].outputs[-1].output_type, "error", "an interrupt")
is_(texts(done[6], "stdout"), "6 : int\n", "after an interrupt")
is_(done[8].outputs[-1].output_type, "stream", "after an exit")
is_(texts(done[8], "stdout"), "2 : int\n", "after an exit")
