# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks every entry of include/lathe/*/*Passes.td: passes.py ROOT LATHE-OPT."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
known = subprocess.run(
    [sys.argv[2], "--help"], capture_output=True, text=True, check=True
).stdout
entry = re.compile(r'def (\w+)\s*:\s*Pass<"([\w-]+)"(.*?)\n}', re.DOTALL)
errors, count = [], 0

for table in sorted(root.glob("include/lathe/*/*Passes.td")):
    stage = table.parent.name
    text = table.read_text()
    passes = entry.findall(text)
    if len(passes) != len(re.findall(r"^def ", text, re.MULTILINE)):
        errors.append(f"{table}: an entry could not be read")
    for name, flag, body in passes:
        count += 1
        fail = lambda what: errors.append(f"{table}: {flag}: {what}")
        summary = re.search(r'summary = "(.*?)"', body)
        if not summary or len(summary[1]) > 60:
            fail("expected a summary of at most 60 characters")
        description = re.search(r"description = \[\{(.*?)\}\]", body, re.DOTALL)
        if not description or description[1].count("```mlir") < 1:
            fail("expected a description with an example")
        if flag.replace("-", "") != name.lower():
            fail(f"def is {name}, expected the same words")
        if not list((root / "lib" / stage).rglob(f"{name}.cpp")):
            fail(f"expected a file lib/{stage}/{name}.cpp")
        if not (root / "test" / stage / f"{flag}.mlir").exists():
            fail(f"expected a test test/{stage}/{flag}.mlir")
        if f"--{flag} " not in known:
            fail("lathe-opt does not know it")

print("\n".join(errors) or f"{count} passes")
sys.exit(bool(errors) or not count)
