#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does the gate bite? Plant mistakes in kernels; each must be found.

A file of mutants/*.toml names kernels and mistakes, as edits of their text. A
kernel is one of

    launch     a module of the tree with a launch: `lathe simulate --launch`
    candidate  a kernel of an operator, lowered to a stage of `--dump-ir`:
               `lathe simulate --dims`, against the operator's reference
    template   an operator's template, its own or a `file`: the gate of
               `lathe compile`

and must be free of faults as it is. An edit that does not fit its kernel, a
mistake that nobody finds, one found in another way than expected, and a
survivor that does not survive are errors. Prints the kill table.

    mutants.py --lathe LATHE --source ROOT --work DIR [-j N] [--only REGEX]
               [--seeds 1,2,3] [--json FILE] [FILE.toml...]
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

# How the check of registers in flight begins its refusals.
STATIC = re.compile("wgmma.*(expected|has no)", re.S)


class SuiteError(Exception):
    """The suite itself is wrong."""


def run(command, timeout=300):
    try:
        return subprocess.run([str(c) for c in command], capture_output=True,
                              text=True, timeout=timeout, errors="replace")
    except subprocess.TimeoutExpired:
        raise SuiteError(f"{command[1]} did not end in {timeout} s: {command}")


def edited(text, mutant):
    """The kernel with the mistake in it."""
    edits = mutant.get("edits", [mutant])
    for edit in edits:
        pattern = edit["find"]
        if not edit.get("regex"):
            pattern = re.escape(pattern.strip("\n"))
        matches = len(re.findall(pattern, text, re.M))
        wanted = edit.get("matches", 1)
        if matches != wanted:
            raise SuiteError(f"{mutant['name']}: {matches} places fit "
                             f"{edit['find']!r}, expected {wanted}")
        replacement = edit.get("replace", "").strip("\n")
        only = edit.get("only")
        if not edit.get("regex"):
            replacement = replacement.replace("\\", "\\\\")
        if only is None:
            text = re.sub(pattern, replacement, text, flags=re.M)
        else:
            seen = iter(range(matches))
            text = re.sub(pattern, lambda m: m.expand(replacement)
                          if next(seen) == only else m[0], text, flags=re.M)
    return text


class Kernel:
    """What is mutated, and who judges it."""

    def __init__(self, about, options):
        self.about, self.options = about, options
        self.name = about["name"]
        self.work = options.work / self.name
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.extra = [str(o) for o in about.get("options", [])]
        self.text, self.suffix = self.prepare()

    def source(self, path):
        path = self.options.source / path
        if not path.exists():
            raise SuiteError(f"{self.name}: no file {path}")
        return path

    def simulate(self, file, where):
        """Verdicts of `lathe simulate` over all dims and seeds."""
        found = []
        runs = [["--launch", self.work / "launch.yaml"]]
        if "dims" in self.about:
            runs = [["--dims", dims] for dims in self.about["dims"]]
            for case in self.about.get("draws", []):
                runs.append(["--dims", self.about["dims"][0], "--draw", case])
        for seed in self.options.seeds:
            verdicts = set()
            for arguments in runs:
                result = run([self.options.lathe, "simulate", file, "--json",
                              "--schedules", str(self.about.get("schedules", 3)),
                              "--seed", str(seed), *arguments, *self.extra])
                (where / f"seed{seed}.log").write_text(
                    result.stdout + result.stderr)
                if result.returncode == 0:
                    continue
                try:
                    report = json.loads(result.stdout)
                except json.JSONDecodeError:
                    # Refused before it ran: say by whom.
                    if result.returncode == 1 and STATIC.search(result.stderr):
                        verdicts.add("static")
                    else:
                        raise SuiteError(f"{where}: lathe simulate ended with "
                                         f"{result.returncode}: {result.stderr}")
                    continue
                kinds = {fault["kind"] for one in report["runs"]
                         for fault in one["faults"]}
                verdicts |= kinds or {"wrong"}
                break  # one sight of it is enough
            found.append(verdicts)
        if any(bool(v) != bool(found[0]) for v in found):
            raise SuiteError(f"{where}: found with some seeds only: {found}")
        return set().union(*found)


class LaunchKernel(Kernel):
    PART = re.compile(r"^(?:;|//|#)?--- (\S+)\n", re.M)

    def prepare(self):
        path = self.source(self.about["file"])
        text = path.read_text()
        pieces = self.PART.split(text)
        parts = dict(zip(pieces[1::2], pieces[2::2]))
        launch = self.about.get("launch") or parts["launch.yaml"]
        (self.work / "launch.yaml").write_text(launch)
        return parts.get("kernel.ll", text), path.suffix

    def judge(self, text, where):
        file = where / f"kernel{self.suffix}"
        file.write_text(text)
        if "lower" in self.about:
            lowered = where / "lowered.mlir"
            result = run([self.options.mlir_opt, file, "--pass-pipeline="
                          + self.about["lower"], "-o", lowered])
            if result.returncode:
                raise SuiteError(f"{where}: {result.stderr}")
            file = lowered
        return self.simulate(file, where)


def write_inputs(folder, about):
    """An op set and a histogram with one shape of one operator."""
    static = ", ".join(f"{k}: {v}" for k, v in about["static"].items())
    dims = ", ".join(f"{k}: {v}" for k, v in
                     {**about["static"], **about["request"]}.items())
    options = ", ".join(f"{k}: {v}" for k, v in about.get("choices", {}).items())
    dtype = about.get("dtype", "bf16")
    (folder / "opset.yaml").write_text(
        f"opset: mutants\noperators:\n  - {{name: it, operator: "
        f"{about['operator']}, static: {{{static}}}, options: {{{options}}}, "
        f"dtypes: {{DT: {dtype}}}}}\n")
    (folder / "histogram.yaml").write_text(
        f"histogram: mutants\nopset: mutants\npoints:\n  - {{operator: it, "
        f"phase: decode, dims: {{{dims}}}, count: 1, weight: 1}}\n")


class CandidateKernel(Kernel):
    """A kernel of an operator at one stage of its lowering."""

    def prepare(self):
        write_inputs(self.work, self.about)
        dump = self.work / "dump"
        result = run([self.options.lathe, "compile", "--ops",
                      self.work / "opset.yaml", "--shapes",
                      self.work / "histogram.yaml", "--target",
                      self.about["target"], "--cache", "", "--dump-ir", dump,
                      "--stop-after", "build", "--schedules",
                      str(self.about.get("planned", 8)), "--exact", "0",
                      "-o", self.work / "x"])
        if result.returncode:
            raise SuiteError(f"{self.name}: {result.stderr}")
        wanted = re.compile(self.about["kernel"])
        folders = sorted(f for f in (dump / "kernels").iterdir()
                         if wanted.search(f.name))
        if not folders:
            names = [f.name for f in (dump / "kernels").iterdir()]
            raise SuiteError(f"{self.name}: no kernel fits "
                             f"{self.about['kernel']!r} in {names}")
        file = next(folders[0].glob(f"*-{self.about['stage']}"))
        return file.read_text(), file.suffix

    def judge(self, text, where):
        file = where / f"kernel{self.suffix}"
        file.write_text(text)
        return self.simulate(file, where)


class TemplateKernel(Kernel):
    """An operator's template; its siblings may take over, but for those that
    it is to be judged `without`."""

    def prepare(self):
        write_inputs(self.work, self.about)
        self.folder = self.source(f"templates/operators/{self.about['operator']}")
        self.file = self.about["template"] + ".mlir"
        text = self.source(self.about["file"]) if "file" in self.about \
            else self.folder / self.file
        self.refused = re.compile(
            rf"^refused \w+\.{self.about['template']}\.\S+: (WRONG|FAULT|RACY|"
            r"TIMEOUT|UNSUPPORTED)(?:[: ]+([a-z-]+))?", re.M)
        return text.read_text(), ".mlir"

    def judge(self, text, where):
        mine = where / "templates" / self.about["operator"]
        shutil.copytree(self.folder, mine)
        for sibling in self.about.get("without", []):
            (mine / sibling).unlink()
        (mine / self.file).write_text(text)
        result = run([self.options.lathe, "compile", "--ops",
                      self.work / "opset.yaml", "--shapes",
                      self.work / "histogram.yaml", "--target",
                      self.about["target"], "--templates", where / "templates",
                      "--schedules", "1", "--exact", "0", "--cache", "", "-j",
                      "1", "-o", where / "x.bundle", *self.extra])
        (where / "compile.log").write_text(result.stdout + result.stderr)
        refused = self.refused.findall(result.stderr + result.stdout)
        if not refused:
            if result.returncode:
                # It did not get as far as the gate.
                if re.search(r"^rejected ", result.stderr, re.M):
                    return {"compile"}
                raise SuiteError(f"{where}: {result.stderr}")
            return set()
        kinds = set()
        for verdict, kind in refused:
            kinds.add(kind if verdict in ("FAULT", "RACY") and kind
                      else verdict.lower())
        return kinds


KINDS = {"launch": LaunchKernel, "candidate": CandidateKernel,
         "template": TemplateKernel}


class Outcome:
    def __init__(self, kernel, mutant, verdicts, problem=""):
        self.kernel, self.mutant = kernel, mutant
        self.verdicts, self.problem = verdicts, problem


def judge(kernel, mutant, options):
    where = kernel.work / (mutant["name"] if mutant else "original")
    where.mkdir()
    try:
        if mutant is None:
            verdicts = kernel.judge(kernel.text, where)
            if verdicts:
                raise SuiteError(f"{kernel.name}: without a mistake it is "
                                 f"already refused: {sorted(verdicts)}")
            return Outcome(kernel, None, verdicts)
        text = edited(kernel.text, mutant)
        if text == kernel.text:
            raise SuiteError(f"{mutant['name']}: the edit changes nothing")
        verdicts = kernel.judge(text, where)
        expected = set(mutant.get("expect", []))
        problem = ""
        if "survives" in mutant:
            if verdicts:
                problem = f"is found ({', '.join(sorted(verdicts))}); it was said to survive"
        elif not verdicts:
            problem = "survives"
        elif not verdicts & expected:
            problem = (f"is found as {', '.join(sorted(verdicts))}, expected "
                       f"{' or '.join(sorted(expected))}")
        return Outcome(kernel, mutant, verdicts, problem)
    except SuiteError as error:
        return Outcome(kernel, mutant, set(), str(error))


def print_table(outcomes):
    classes = collections.OrderedDict()
    for outcome in outcomes:
        row = classes.setdefault(outcome.mutant["class"], [0, 0, collections.Counter()])
        row[0] += 1
        if outcome.verdicts:
            row[1] += 1
            kinds = outcome.verdicts & set(outcome.mutant.get("expect", []))
            row[2][sorted(kinds or outcome.verdicts)[0]] += 1
    print(f"{'class of mistake':28} {'mutants':>7} {'killed':>6}  by")
    for name in sorted(classes):
        count, killed, kinds = classes[name]
        by = ", ".join(f"{kind} {n}" for kind, n in
                       sorted(kinds.items(), key=lambda item: (-item[1], item[0])))
        print(f"{name:28} {count:7} {killed:6}  {by}")
    return classes


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lathe", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--mlir-opt", default="mlir-opt")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="*")
    options = parser.parse_args()
    options.seeds = [int(s) for s in options.seeds.split(",")]
    options.lathe = shutil.which(options.lathe) or sys.exit(
        f"error: no program '{options.lathe}'")
    files = options.files or sorted(
        (options.source / "test/Verify/mutants").glob("*.toml"))
    only = re.compile(options.only)

    work = []
    for file in files:
        suite = tomllib.loads(file.read_text())
        for about in suite["kernel"]:
            mutants = [m for m in suite.get("mutant", []) + about.get("mutant", [])
                       if m.get("kernel", about["name"]) == about["name"]
                       and only.search(f"{about['name']}/{m['name']}")]
            if mutants:
                work.append((about, mutants))
    outcomes, problems = [], []
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        def kernel_of(about):
            try:
                return KINDS[about["judge"]](about, options)
            except SuiteError as error:
                return error
        jobs = []
        for kernel, (about, mutants) in zip(
                pool.map(kernel_of, [a for a, _ in work]), work):
            if isinstance(kernel, SuiteError):
                problems.append(str(kernel))
                continue
            for mutant in [None] + mutants:
                jobs.append(pool.submit(judge, kernel, mutant, options))
        for job in jobs:
            outcome = job.result()
            if outcome.problem:
                name = outcome.mutant["name"] if outcome.mutant else "original"
                problems.append(f"{outcome.kernel.name}/{name}: {outcome.problem}")
            if outcome.mutant:
                outcomes.append(outcome)
    classes = print_table(outcomes)
    explained = 0
    for outcome in outcomes:
        if "survives" in outcome.mutant:
            explained += 1
            print(f"survives: {outcome.kernel.name}/{outcome.mutant['name']}: "
                  f"{outcome.mutant['survives']}")
    for problem in problems:
        print("error:", problem)
    killed = sum(bool(o.verdicts) for o in outcomes)
    if options.json:
        options.json.write_text(json.dumps(
            [{"kernel": o.kernel.name, "mutant": o.mutant["name"],
              "class": o.mutant["class"], "verdicts": sorted(o.verdicts)}
             for o in outcomes], indent=1))
    print(f"{len(outcomes)} mutants of {len(classes)} classes in {len(work)} "
          f"kernels: {killed} killed, {explained} survivors explained, "
          f"{len(problems)} errors")
    sys.exit(bool(problems) or not outcomes)


if __name__ == "__main__":
    main()
