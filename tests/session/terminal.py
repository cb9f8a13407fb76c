"""csc repl on a terminal: editing, completion, history, ^C, a process that dies. Exit code 1 if anything fails.

terminal.py CSC HOME"""
import glob
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

failed = 0


PROMPT = rb"[\s\S]*[>.] $"  # what is typed before it would be the terminal's


def session(*steps, **variables):
    """A step is what is typed, or a function of csc's process, and a pattern of what then comes, before the next
    prompt if it ends with one."""
    global failed
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(HOME=sys.argv[2], TERM="xterm", **variables)
        os.execv(sys.argv[1], [sys.argv[1], "repl"])
    prompt = False
    for step, pattern in steps:
        seen, end = b"", time.time() + 10
        while prompt and termios.tcgetattr(terminal)[3] & termios.ICANON and time.time() < end:
            time.sleep(0.01)  # libedit prints its prompt before it takes the terminal over
        time.sleep(0.2)
        prompt = pattern.endswith(PROMPT)
        if callable(step):
            step(pid)
        else:
            os.write(terminal, step)
        end = time.time() + 30
        while not re.search(pattern, seen) and time.time() < end:
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break
        if not re.search(pattern, seen):
            print("FAIL session:", repr(step), "gives", repr(seen), "without", repr(pattern))
            failed = 1
            break
    try:
        while not failed and select.select([terminal], [], [], 10)[0] and os.read(terminal, 4096):
            pass
    except OSError:  # it has ended
        pass
    os.close(terminal)
    if failed:  # it may run for ever
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def says(pattern):
    return pattern + PROMPT


def process_of(pid):
    return subprocess.check_output(["pgrep", "-P", str(pid)]).split()[0].decode()


def crash(pid):
    os.kill(int(process_of(pid)), signal.SIGSEGV)


def has_children(pid):
    for of in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            if open(of).read():
                return True
        except OSError:  # the thread has ended
            pass
    return False


def interrupt_linker(pid):
    """^C as soon as the driver has a process of its own, which is when it links."""
    child, end = process_of(pid), time.time() + 30
    while not has_children(child) and time.time() < end:
        pass
    os.killpg(pid, signal.SIGINT)


def later(pid):
    """Once what was entered runs: the driver has linked it."""
    child, end = process_of(pid), time.time() + 30
    time.sleep(0.5)
    while has_children(child) and time.time() < end:
        time.sleep(0.2)


session((b"", says(rb"")),
        (b"var total = 5;\n", says(rb"5;")),
        (b"tot\t\n", says(rb"5 : int")),
        (b"Math.Sq\t(16.0)\n", says(rb"4 : double")),
        (b":ty\t 1\n", says(rb"\nint\r")),
        (b"int f(int n) {\n", says(rb"\{")),
        (b"\x03", says(rb"")),
        (b"int f(int n) {\n", says(rb"\{")),
        (b"return n;\n", says(rb"n;")),
        (b"}\n", says(rb"\}")),
        (b"f(3)\n", says(rb"3 : int")),
        (b"total = 6; while (true) { }\n", rb"\}"),
        (later, rb""),
        (b"\x03", says(rb"interrupted")),
        (b"int fib(int n) => n < 2 ? n : fib(n - 1) + fib(n - 2);\n", says(rb"2\);")),
        (b"try { fib(60); } catch (Exception e) { }\n", rb"\}"),
        (later, rb""),
        (b"\x03", says(rb"interrupted")),
        (b"int ever(int n) { while (n >= 0) n = n ^ 1; return n; }\n", says(rb"\}")),
        (b"int[] kept(i : 0..3) = i; int[] never(i : 0..9) = ever(i);\n", rb"\(i\);"),
        (later, rb""),
        (b"\x03", says(rb"interrupted")),
        (b"kept\n", says(rb"not declared[\s\S]*")),
        (b"total\n", says(rb"5 : int")),
        (crash, rb""),
        (b"total\n", says(rb"signal 11 .*\n.*were run again")),
        (b"total\n", says(rb"5 : int")),
        (b"f(4)\n", says(rb"4 : int")),
        (b"Console.ReadLine()\n", rb"\n"),
        (later, rb""),
        (b"typed\n", says(rb'"typed" : string')),
        (b"\x1b[A\x1b[A\n", says(rb"4 : int")),
        (b"\x04", rb"\n"))
session((b"", says(rb"")),
        (b"6 * 7\n", says(rb"42 : int")),
        (b"\x1b[A\x1b[A\n", rb"f\(4\)"),
        (later, rb""),
        (b":quit\n", rb"quit"))
for device, interrupt in ("opencl", (interrupt_linker,)), ("opencl", (later, b"\x03")), ("ref", (later, b"\x03")):
    session((b"", says(rb"")),
            (b"int ever(int n) { while (n >= 0) n = n ^ 1; return n; }\n", says(rb"\}")),
            (b"var f(i : 0..9, j : 0..9) = ever(i) + j;\n", says(rb"j;")),
            (b"sum(f)\n", rb"\)"),
            *((step, rb"") for step in interrupt[:-1]),
            (interrupt[-1], says(rb"interrupted")),
            (b"6 * 7\n", says(rb"42 : int")),
            (b"\x04", rb"\n"), CS_DEVICE=device)
kept = os.path.join(sys.argv[2], ".csc_history")
os.rename(kept, kept + ".kept")
os.mkfifo(kept)  # nothing is remembered, and nothing waited for
session((b"", says(rb"")), (b"6 * 7\n", says(rb"42 : int")), (b"\x04", rb"\n"))
os.rename(kept + ".kept", kept)
sys.exit(failed)
