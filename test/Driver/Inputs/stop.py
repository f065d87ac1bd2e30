# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stops `lathe compile` while it builds: stop.py interrupt|kill DIR ARGS...

DIR gets the output, the cache and the temporary files of the run."""
import os
import pathlib
import signal
import subprocess
import sys
import time

how, directory, arguments = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
outputs, cache, temporary = (directory / n for n in ("out", "cache", "tmp"))
for path in (outputs, cache, temporary):
    path.mkdir(parents=True)


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what}: not after {seconds} s"
        time.sleep(0.02)


def entries():
    return sum(path.is_file() for path in cache.rglob("*"))


def group_lives():
    """Zombies that nobody reaps do not count."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == process.pid and fields[0] != "Z":
            return True
    return False


process = subprocess.Popen(
    ["lathe", "compile", *arguments, "-o", outputs / "model.bundle", "--cache", cache],
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    start_new_session=True,
    env={**os.environ, "TMPDIR": str(temporary)},
)
wait_for(lambda: entries() >= 3 or process.poll() is not None, "kernels in the cache")
assert process.poll() is None, f"it ended too early:\n{process.stdout.read()}"
if how == "interrupt":
    os.killpg(process.pid, signal.SIGINT)
else:
    process.kill()
text, _ = process.communicate(timeout=60)
sys.stdout.write(text)

wait_for(lambda: not group_lives(), "end of every process")
assert process.returncode != 0, "exit status 0"
assert not list(outputs.iterdir()), f"left behind: {list(outputs.iterdir())}"
if how == "interrupt":
    assert process.returncode > 0, f"ended by signal {-process.returncode}"
    assert not list(temporary.iterdir()), f"left behind: {list(temporary.iterdir())}"
print("stopped with", entries(), "kernels in the cache")
