#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dishonest kernels, and what has to be said of each.

  dishonest.py submit            the gates of `lathe submit`; needs no GPU
  dishonest.py build OUT.cand    all of them in one file, unproven, for a GPU
  dishonest.py check DB          what lathe-device said of that file

The first lines of each source in dishonest/ hold two expectations:
  // submit: VERDICT   REFUSED REGEX (what the reason must match), the
                       simulator's verdict (PASSED, WRONG, FAULT, RACY,
                       TIMEOUT), or UNSIMULATED
  // device: VERDICT   of lathe-device without the simulator before it; several
                       with |, or - where the device need not notice
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "dishonest"
OPERATOR = "silu_and_mul"
SIZES = ["T=64,D=4096", "T=6000,D=4096"]


def sources(only):
    for path in sorted(FOLDER.glob("*.cu")):
        if not re.search(only, path.stem):
            continue
        expected = {}
        for line in path.read_text().splitlines()[:8]:
            if match := re.match(r"// (submit|device): (.+)", line):
                expected[match[1]] = match[2]
        if set(expected) != {"submit", "device"}:
            sys.exit(f"error: {path} does not say what is expected of it")
        yield path, expected


def submit(lathe, path, arguments):
    command = [lathe, "submit", "--op", OPERATOR, "--source", str(path), *arguments]
    run = subprocess.run(command, capture_output=True, text=True)
    refused = re.search(r"^error: refused: (.*)", run.stderr, re.M | re.S)
    if run.returncode not in (0, 1) or (run.returncode == 1) != bool(refused):
        sys.exit(f"error: {' '.join(command)} ended with {run.returncode}\n{run.stderr}")
    if refused:
        return refused[1].strip()
    return "UNSIMULATED" if "not simulated" in run.stderr else ""


def verdict_of(reason):
    """The word that `submit:` expects, and the text that a regex must match."""
    if reason in ("", "UNSIMULATED"):
        return reason or "PASSED", ""
    if match := re.match(r"simulator: ([A-Z]+)", reason):
        return match[1], reason
    return "REFUSED", reason


def check_submit(options):
    sizes = [f"--dims={size}" for size in SIZES]

    def judge(item):
        path, expected = item
        with tempfile.TemporaryDirectory() as folder:
            reason = submit(options.lathe, path, [*sizes, "-o", f"{folder}/k.cand"])
        verdict, text = verdict_of(reason)
        wanted, _, pattern = expected["submit"].partition(" ")
        ok = verdict == wanted and re.search(pattern, text, re.S) is not None
        return path, expected["submit"], verdict, reason, ok

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, wanted, verdict, reason, ok in pool.map(judge, sources(options.only)):
            first = reason.splitlines()[0] if reason else ""
            print(f"{'ok  ' if ok else 'FAIL'} {path.stem}: {verdict} {first}"
                  + ("" if ok else f"; expected {wanted}"), flush=True)
            failures += not ok
    return failures


def build(options):
    """Static gates stay in place; their refusals are in the file too."""
    into = [f"--dims={size}" for size in SIZES]
    for path, expected in sources(options.only):
        reason = submit(options.lathe, path, [*into, "--unproven", "-o", options.file])
        if bool(reason) != expected["submit"].startswith("REFUSED"):
            sys.exit(f"error: {path.stem}: {reason or 'not refused'}; expected {expected['submit']}")
        print(f"{path.stem}: {'refused: ' + reason.splitlines()[0] if reason else 'submitted'}", flush=True)
        into = ["--into", options.file]
    return 0


def check(options):
    database = sqlite3.connect(f"file:{options.file}?mode=ro", uri=True)
    rows = database.execute(
        "SELECT kernel, verdict, reason FROM measurements WHERE kind = 'verdict' ORDER BY id").fetchall()
    failures = 0
    for path, expected in sources(options.only):
        # OPERATOR.STEM_HASH.ARCH...: the last one counts.
        stem = re.sub(r"[^A-Za-z0-9]+", "_", path.stem)[:24].rstrip("_")
        name = re.compile(re.escape(f"{OPERATOR}.{stem}_") + r"[0-9a-f]{8}\.")
        found = [row for row in rows if name.match(row[0])]
        verdict, reason = found[-1][1:] if found else ("no row", "")
        ok = expected["device"] == "-" or verdict in expected["device"].split("|")
        print(f"{'ok  ' if ok else 'FAIL'} {path.stem}: {verdict} {reason}"
              + ("" if ok else f"; expected {expected['device']}"))
        failures += not ok or not found
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["submit", "build", "check"])
    parser.add_argument("file", nargs="?", help="the candidate file to write, or the records to read")
    parser.add_argument("--lathe", default="lathe")
    parser.add_argument("--only", default="", metavar="REGEX", help="of the sources' names")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if (options.command == "submit") != (options.file is None):
        parser.error("a file is needed by build and check, and by nothing else")
    failures = {"submit": check_submit, "build": build, "check": check}[options.command](options)
    if failures:
        sys.exit(f"error: {failures} kernels were not judged as they should be")


if __name__ == "__main__":
    main()
