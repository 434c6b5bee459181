"""Steps in a process of their own: values come back in order, and what is raised."""

import subprocess
import sys

SCRIPT = """
import os, sys, time
from isocost._shared import UsageError
from isocost.reports.apart import apart

here = os.getpid()
def steps():
    yield os.getpid(), {"a": (1.5, "b")}
    yield "x" * 1_000_000
there, value = next(found := apart(steps))
print(there != here, value, len(next(found)), next(found, None))
def told():
    print("said there")
    sys.stderr.write("complained there\\n")
    yield 1
    raise UsageError("wrong")
found = apart(told)
print(next(found))
try:
    next(found)
except UsageError as error:
    print("raised", error)
try:
    next(apart(lambda: iter([lambda: 1])))
except Exception:  # which one depends on the version
    print("cannot pass")
try:
    next(apart(lambda: os.kill(os.getpid(), 9)))
except ChildProcessError as error:
    print(error)
found = apart(lambda: (time.sleep(60), 1))
del found
try:
    os.wait()
except ChildProcessError as error:
    print("none is left")
sys.stderr = sys.stdout
print(next(apart(lambda: [os.getpid()])) == here)
"""


def test_values_and_mistakes_come_back() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert ran.stdout.splitlines() == [
        "True {'a': (1.5, 'b')} 1000000 None",
        "said there",
        "1",
        "raised wrong",
        "cannot pass",
        "a part of the work was ended from outside (status -9)",
        "none is left",
        "True",
    ]
    assert ran.stderr == "complained there\n"
