"""A step in a process of its own: its value comes back, and what it raises."""

import subprocess
import sys

SCRIPT = """
import os, sys
from isocost._apart import apart
from isocost._shared import UsageError

here = os.getpid()
done = []
there, value = apart(lambda: (os.getpid(), {"a": (1.5, "b")}), lambda: done.append(1))
print(there != here, value, done)
def told():
    print("said there")
    sys.stderr.write("complained there\\n")
    raise UsageError("wrong")
try:
    apart(told, lambda: None)
except UsageError as error:
    print("raised", error)
try:
    apart(lambda: (lambda: 1), lambda: None)
except RuntimeError as error:
    print("cannot pass")
try:
    apart(lambda: os.kill(os.getpid(), 9), lambda: None)
except ChildProcessError as error:
    print(error)
sys.stderr = sys.stdout
print(apart(os.getpid, lambda: None) == here)
"""


def test_values_and_mistakes_come_back() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == [
        "True {'a': (1.5, 'b')} [1]",
        "said there",
        "raised wrong",
        "cannot pass",
        "a part of the work was ended (status -9)",
        "True",
    ]
    assert ran.stderr == "complained there\n"
