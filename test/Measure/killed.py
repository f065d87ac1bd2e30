# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""killed.py DB COMMAND...: runs the command and kills it with SIGKILL at random
moments, until it ends by itself. Every verdict that was there must stay."""
import random
import signal
import sqlite3
import subprocess
import sys
import time

database, command = sys.argv[1], sys.argv[2:]
seed = random.randrange(2**32)
random.seed(seed)
print("seed", seed)


def verdicts():
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            return [row[0] for row in connection.execute(
                "SELECT kernel FROM measurements WHERE kind = 'verdict'")]
    except sqlite3.OperationalError:  # not yet created
        return []


kept, kills = [], 0
for attempt in range(200):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        # The longer it takes, the more time it gets.
        _, errors = process.communicate(timeout=random.uniform(0.05, 0.3 + 0.1 * attempt))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += 1
    else:
        if process.returncode != 0:
            sys.exit(f"exited with {process.returncode}: {errors.decode()}")
        break
    now = verdicts()
    if now[:len(kept)] != kept:
        sys.exit(f"had {kept}, found {now}")
    kept = now
else:
    sys.exit("it never ended")
if kills == 0:
    sys.exit("it was never killed")
# What its children were doing when it died must not go on.
print(kills, "kills,", len(verdicts()), "verdicts")
