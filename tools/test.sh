#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -uo pipefail

usage() {
  cat <<EOF
Usage: tools/test.sh [--no-build] [FILTER]

Installs what is missing, builds everything, and runs all tests: GoogleTest
binaries, lit tests, and the fuzzers' corpora. Tests that cannot run here (no
ptxas, no GPU) are counted as skipped, never as passed. The last line is
'N passed, N failed'; the exit status is 0 if nothing failed.

  --no-build   test what lies in build/ as it is
  FILTER       only lit tests whose path matches this regular expression
  --help       this text
EOF
}

build_first=true
filter=
for argument in "$@"; do
  case $argument in
    --help | -h) usage; exit 0 ;;
    --no-build) build_first=false ;;
    -*)
      echo "error: unknown option '$argument', expected --no-build or --help" >&2
      exit 1
      ;;
    *) filter=$argument ;;
  esac
done

cd "$(dirname "$0")/.."
if $build_first; then
  tools/bootstrap.sh && tools/build.sh || exit 1
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# A binary that dies before it reports is one failed test.
if [ -z "$filter" ]; then
  for binary in build/unittests/*; do
    [ -f "$binary" ] && [ -x "$binary" ] && [[ $binary != *.so* ]] || continue
    name=$(basename "$binary")
    timeout 600 "$binary" --gtest_brief=1 \
      --gtest_output="json:$results/$name.gtest.json"
    status=$?
    [ -s "$results/$name.gtest.json" ] ||
      echo "$name ended with status $status" > "$results/$name.died"
  done
  # Each fuzzer once over what earlier runs found.
  for source in test/Fuzz/*Fuzzer.cpp; do
    name=$(basename "$source" Fuzzer.cpp)
    corpus=test/Fuzz/${name,,}-corpus
    [ "$name" != Bundle ] || corpus=test/Fuzz/corpus
    if ! [ -x "build/fuzz/${name}Fuzzer" ]; then
      echo "no libFuzzer" > "$results/${name}Fuzzer.skipped"
    elif "build/fuzz/${name}Fuzzer" -runs=0 "$corpus" > "$results/fuzz.log" 2>&1; then
      touch "$results/${name}Fuzzer.passed"
    else
      cat "$results/fuzz.log"
      echo "${name}Fuzzer on $corpus" > "$results/${name}Fuzzer.died"
    fi
    rm -f "$results/fuzz.log"
  done
fi

lit=$(sed -n 's/^LATHE_LIT:FILEPATH=//p' build/CMakeCache.txt)
python3 "$lit" -sv ${filter:+--filter "$filter"} -o "$results/lit.json" \
  build/test
[ -s "$results/lit.json" ] || echo "lit wrote no results" > "$results/lit.died"

python3 - "$results" << 'EOF'
import collections, glob, json, os, sys

passed = collections.Counter()
failed, skipped = [], []
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*"))):
    name, kind = os.path.basename(path).split(".", 1)
    if kind == "gtest.json":
        for suite in json.load(open(path))["testsuites"]:
            for test in suite["testsuite"]:
                full = f"{name}: {suite['name']}.{test['name']}"
                if test.get("failures"):
                    failed.append(full)
                elif test["status"] != "RUN" or test["result"] == "SKIPPED":
                    skipped.append(full)
                else:
                    passed["GoogleTest"] += 1
    elif path.endswith("lit.json"):
        for test in json.load(open(path))["tests"]:
            if test["code"] in ("PASS", "FLAKYPASS", "XFAIL"):
                passed["lit"] += 1
            elif test["code"] == "EXCLUDED":
                continue  # by FILTER
            elif test["code"] in ("UNSUPPORTED", "SKIPPED"):
                skipped.append(test["name"])
            else:
                failed.append(f"{test['name']} ({test['code']})")
    elif kind == "passed":
        passed["fuzz corpus"] += 1
    elif kind == "skipped":
        skipped.append(f"{name}: {open(path).read().strip()}")
    elif kind == "died":
        failed.append(open(path).read().strip())

print()
for name in failed:
    print("failed:", name)
for name in skipped:
    print("skipped:", name)
suites = ", ".join(f"{count} of {suite}" for suite, count in sorted(passed.items()))
print(f"passed by suite: {suites or 'none'}; skipped: {len(skipped)}")
total = sum(passed.values())
print(f"{total} passed, {len(failed)} failed")
sys.exit(1 if failed or not total else 0)
EOF
