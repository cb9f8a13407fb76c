"""A kernel of Jupyter for C$: the cells of a notebook are the entries of one `csc repl`.

    python3 -m csdollar_kernel install --user
"""
import argparse
import base64
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import uuid

from ipykernel.kernelbase import Kernel
from jupyter_client.kernelspec import KernelSpecManager

import csdollar

LANGUAGE = {"name": "csdollar", "mimetype": "text/x-csharp", "file_extension": ".cs$", "codemirror_mode": "text/x-csharp",
            "pygments_lexer": "csharp"}
SPEC = {"argv": [sys.executable, "-m", "csdollar_kernel", "-f", "{connection_file}"], "display_name": "C$", "language": "csdollar"}


class Session:
    """A `csc repl`: what is sent to it, and what comes back until its mark does."""

    def __init__(self):
        # a group of its own: an interrupt is for the entry that runs, not for the session
        self.process = subprocess.Popen([csdollar._compiler(), "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, start_new_session=True)
        self.folder = tempfile.TemporaryDirectory()
        self.name = os.path.join(self.folder.name, "cell")

    def interrupt(self):
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as children:
                for child in children.read().split():
                    os.kill(int(child), signal.SIGINT)
        except OSError:
            pass  # it has just ended

    def send(self, command, text, take):
        """Runs a command on a file with the text; take(stream, text) has what is written. Returns "ok", "failed", or None if the
        session has ended."""
        with open(self.name, "w", encoding="utf-8") as file:
            file.write(text)
        mark = "[" + uuid.uuid4().hex + "]"
        try:
            self.process.stdin.write(f"{command} {self.name}\n:mark {mark}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        ends, rest = {}, {"stdout": b"", "stderr": b""}
        with selectors.DefaultSelector() as ready:
            for name in rest:
                ready.register(getattr(self.process, name), selectors.EVENT_READ, name)
            while ready.get_map():
                try:
                    for key, _ in ready.select():
                        block = os.read(key.fd, 1 << 16)
                        rest[key.data], end = self._pass_on(key.data, rest[key.data] + block, mark.encode(), take)
                        if end or not block:
                            ends[key.data] = end
                            if not block and rest[key.data]:
                                take(key.data, rest[key.data].decode("utf-8", "replace"))
                            ready.unregister(key.fileobj)
                except KeyboardInterrupt:
                    self.interrupt()
        return ends["stdout"]

    @staticmethod
    def _pass_on(stream, text, mark, take):
        """What stands before the mark, but for a last line that may become it; the rest, and what the mark says."""
        at = text.find(mark)
        end = re.match(rb" (\w+)\n", text[at + len(mark):]) if at >= 0 else None
        whole = at if at >= 0 else text.rfind(b"\n") + 1
        if whole:
            take(stream, text[:whole].decode("utf-8", "replace"))
        return text[whole:], end and end[1].decode()

    def close(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


def pictures(folder, cell):
    """The .png files that a cell names and those of a folder, with what tells that one was written."""
    named = {path for path in re.findall(r'"([^"\n]+\.png)"', cell)}
    found = {}
    for path in named | {os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".png")}:
        try:
            about = os.stat(path)
            found[os.path.realpath(path)] = (about.st_mtime_ns, about.st_size, about.st_ino)
        except OSError:
            pass
    return found


class CsDollarKernel(Kernel):
    implementation = "csdollar"
    implementation_version = "1"
    banner = "C$"
    language_info = LANGUAGE
    session_of_entries = None

    def _entries(self):
        if not self.session_of_entries:
            self.session_of_entries = Session()
        return self.session_of_entries

    def _end(self):
        if self.session_of_entries:
            self.session_of_entries.close()
        self.session_of_entries = None

    def _show(self, path):
        with open(path, "rb") as file:
            data = base64.b64encode(file.read()).decode()
        self.send_response(self.iopub_socket, "display_data",
                           {"data": {"image/png": data, "text/plain": path}, "metadata": {}})

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **more):
        said = []

        def take(stream, text):
            if stream == "stderr":
                said.append(text)
            if not silent:
                self.send_response(self.iopub_socket, "stream", {"name": stream, "text": text})

        before = pictures(".", code)
        end = self._entries().send(":load", code, take)
        if not silent:
            for path, about in sorted(pictures(".", code).items()):
                if before.get(path) != about:
                    self._show(path)
        if end == "ok":
            return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        lines = "".join(said).strip().splitlines()
        error = {"ename": "Error", "evalue": lines[0] if lines else "the cell failed", "traceback": []}
        if not end:
            self._end()
            error["evalue"] = "csc has ended; the next cell begins a session"
        self.send_response(self.iopub_socket, "error", error)
        return {"status": "error", "execution_count": self.execution_count, **error}

    def do_complete(self, code, cursor_pos):
        words = []
        self._entries().send(":complete", code[:cursor_pos], lambda stream, text: words.append(text) if stream == "stdout" else None)
        begin = cursor_pos
        while begin and (code[begin - 1].isalnum() or code[begin - 1] == "_"):
            begin -= 1
        return {"status": "ok", "matches": "".join(words).split(), "cursor_start": begin, "cursor_end": cursor_pos, "metadata": {}}

    def do_shutdown(self, restart):
        self._end()
        return {"status": "ok", "restart": restart}


def install(arguments):
    parser = argparse.ArgumentParser(prog="csdollar_kernel install", description="Makes C$ a language of Jupyter's notebooks.")
    parser.add_argument("--user", action="store_true", help="for this user alone")
    parser.add_argument("--prefix", help="below this folder, as that of a virtual environment")
    options = parser.parse_args(arguments)
    beside = os.path.dirname(os.path.abspath(__file__))
    spec = dict(SPEC, env={"PYTHONPATH": beside + os.pathsep + "${PYTHONPATH}"})
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(spec, file, indent=1)
        print(KernelSpecManager().install_kernel_spec(folder, "csdollar", user=options.user, prefix=options.prefix))


if __name__ == "__main__":
    if sys.argv[1:2] == ["install"]:
        install(sys.argv[2:])
    else:
        from ipykernel.kernelapp import IPKernelApp
        IPKernelApp.launch_instance(kernel_class=CsDollarKernel)
