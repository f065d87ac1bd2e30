# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks paths and commands that README.md names: readme.py ROOT."""
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
text = (root / "README.md").read_text()
folders = "lib|include|dialects|tools|templates|test|examples|.ci"
errors = []

paths = set(re.findall(r"\]\((?!http|#)([^)#]+)", text))
paths |= set(re.findall(rf"(?<![\w/.<-])((?:{folders})/[\w./{{}},*-]+)", text))
for path in sorted(paths):
    # `a/{b,c}.d` names two, `a/<b>` and `a/*.d` any.
    parts = re.split(r"\{(.*?)\}", path.rstrip(".,"))
    names = [parts[0]]
    if len(parts) == 3:
        names = [parts[0] + middle + parts[2] for middle in parts[1].split(",")]
    for name in names:
        if not list(root.glob(name)):
            errors.append(f"README.md: no {name}")

# Not where the program is another one's argument.
commands = re.findall(r"(?<![\w/-])(?<!--lathe )(?:build/bin/)?(lathe|lathe-opt) "
                      r"((?:[^`\n]|\\\n)+)", text)
helps = {}


def help_of(program, command):
    if (program, command) not in helps:
        words = [program, *command.split(), "--help"]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        helps[program, command] = run.stdout if run.returncode == 0 else None
    return helps[program, command]


checked = 0
for program, rest in commands:
    word = re.match(r"((?:import|histogram) \w+|\w+)", rest)
    options = re.findall(r"(?<!\S)(--?[a-z][\w-]*)", rest.replace("\\\n", " "))
    if program == "lathe":
        # Prose such as "lathe is" has neither options nor a command.
        if not word or help_of("lathe", word[1]) is None:
            if options:
                errors.append(f"README.md: no command: lathe {rest}")
            continue
    elif not options:
        continue
    checked += 1
    listed = help_of(program, word[1] if program == "lathe" else "")
    for option in options:
        if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", listed):
            errors.append(f"README.md: {program} {rest.strip()}: no {option}")

print("\n".join(errors) or f"{len(paths)} paths, {checked} commands")
assert shutil.which("lathe"), "lathe is not on PATH"
sys.exit(bool(errors))
