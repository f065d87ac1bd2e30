#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

usage() {
  cat <<EOF
Usage: tools/demo.sh [OPTION...]

Installs what is missing, builds Lathe, and compiles both shipped examples for
H200 and MI300X into bundles below build/. Ends with their coverage tables.

  --help   this text

Any other option is handed to 'lathe compile', such as -j 4 or --schedules 4.
EOF
}

for argument in "$@"; do
  case $argument in
    --help | -h) usage; exit 0 ;;
  esac
done

cd "$(dirname "$0")/.."
tools/bootstrap.sh
tools/build.sh lathe lathe-opt

tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
for example in qwen3.5-35b-a3b atrex; do
  echo
  echo "demo: examples/$example for h200,mi300x"
  build/bin/lathe compile --ops "examples/$example/opset.yaml" \
    --shapes "examples/$example/histogram.yaml" --target h200,mi300x \
    -o "build/$example.bundle" "$@" > "$tables.$example"
  mv "$tables.$example" "build/$example.txt"
done

echo
echo "Qwen3.5-35B-A3B: its traffic is an assumption, recorded nowhere."
cat build/qwen3.5-35b-a3b.txt
echo
echo "Atrex-Bench: real shapes and weights. Operators without a template are not"
echo "served yet; they are listed in build/atrex.txt and in the manifest."
awk '$0 !~ /operator has no template$/' build/atrex.txt
