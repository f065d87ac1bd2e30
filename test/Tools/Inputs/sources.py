# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the rules that every source file follows: sources.py ROOT."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
code = {".cpp", ".c", ".h", ".td", ".py", ".sh"}
folders = ["lib", "include", "dialects", "tools", "templates", "test", "examples"]
leftover = re.compile("TO" + "DO|FIX" + "ME|X" + "XX")
errors = []

for folder in folders:
    for path in sorted((root / folder).rglob("*")):
        name = path.relative_to(root)
        if path.suffix not in code | {".mlir", ".yaml"} or "corpus" in str(name):
            continue
        lines = path.read_text().splitlines()
        if path.suffix in code | {".mlir"} and len(lines) >= 500:
            errors.append(f"{name}: {len(lines)} lines, expected fewer than 500")
        if path.suffix in code and not any("SPDX" in line for line in lines[:5]):
            errors.append(f"{name}: no SPDX line at the top")
        for number, line in enumerate(lines, 1):
            if leftover.search(line):
                errors.append(f"{name}:{number}: unfinished: {line.strip()}")

for name in sorted(path.name for path in root.iterdir()):
    known = folders + ["CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE"]
    if not name.startswith((".", "build")) and name not in known:
        errors.append(f"{name}: does not belong into the root")

print("\n".join(errors))
sys.exit(bool(errors))
