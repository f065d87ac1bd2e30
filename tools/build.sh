#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

usage() {
  cat <<EOF
Usage: tools/build.sh [--preset NAME] [TARGET...]

Configures with a preset of CMakePresets.json and builds with ninja, everything
if no target is named. The preset 'default' builds below build/.

  --preset NAME   default, or asan (build-asan/)
  --help          this text
EOF
}

preset=default
targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --preset)
      [ $# -ge 2 ] || { echo "error: --preset needs a name" >&2; exit 1; }
      preset=$2
      shift
      ;;
    -*)
      echo "error: unknown option '$1', expected --preset or --help" >&2
      exit 1
      ;;
    *) targets+=("$1") ;;
  esac
  shift
done

cd "$(dirname "$0")/.."
build=build
[ "$preset" = default ] || build=build-$preset
echo "build: preset $preset in $build/"
mkdir -p "$build"
cmake --preset "$preset" -Wno-dev > "$build/configure.log" 2>&1 ||
  { cat "$build/configure.log" >&2; exit 1; }
ninja -C "$build" ${targets[@]+"${targets[@]}"}
