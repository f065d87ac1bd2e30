#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

usage() {
  cat <<EOF
Usage: tools/bootstrap.sh [--dry-run]

Installs what building and testing Lathe needs on Debian 12, by apt. Does
nothing, and needs no root, where all of it is there.

  --dry-run   only say what is missing
  --help      this text

A CUDA toolkit is not required and not installed: without ptxas, NVIDIA kernels
are shipped as PTX alone, and the bundle says so.
EOF
}

packages=(
  # MLIR and LLVM 22, their tools, and the compiler
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools llvm-22
  clang-22 lld-22 libclang-rt-22-dev
  # build
  cmake ninja-build ccache python3
  # libraries
  libyaml-cpp-dev libcli11-dev libgtest-dev libgmock-dev libbenchmark-dev
  libsimdjson-dev libsqlite3-dev libboost-context-dev nlohmann-json3-dev
  # what LLVM's own libraries link
  zlib1g-dev libzstd-dev libxml2-dev libffi-dev
)

die() {
  echo "error: $*" >&2
  exit 1
}

dry_run=false
for argument in "$@"; do
  case $argument in
    --dry-run) dry_run=true ;;
    --help | -h) usage; exit 0 ;;
    *) die "unknown option '$argument', expected --dry-run or --help" ;;
  esac
done

command -v dpkg-query > /dev/null && command -v apt-get > /dev/null ||
  die "no dpkg and apt here, expected Debian 12; install the likes of: ${packages[*]}"

present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2> /dev/null |
  sed -n 's/^installed //p')
missing=()
for package in "${packages[@]}"; do
  grep -qxF "$package" <<< "$present" || missing+=("$package")
done

if [ ${#missing[@]} -eq 0 ]; then
  echo "bootstrap: all ${#packages[@]} packages are present"
elif $dry_run; then
  echo "bootstrap: would install ${missing[*]}"
else
  [ "$(id -u)" -eq 0 ] ||
    die "not root, cannot install; run as root: apt-get install ${missing[*]}"
  echo "bootstrap: installing ${missing[*]}"
  apt-get update -qq || die "apt-get update failed"
  unavailable=()
  for package in "${missing[@]}"; do
    candidate=$(apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')
    [ -n "$candidate" ] && [ "$candidate" != "(none)" ] ||
      unavailable+=("$package")
  done
  [ ${#unavailable[@]} -eq 0 ] || die "apt has no ${unavailable[*]}, expected \
a source of LLVM 22 in its sources: Debian's bookworm-security, apt.llvm.org, \
or an equivalent"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" ||
    die "apt-get install failed"
fi

ptxas=$(command -v ptxas || true)
for prefix in "${LATHE_CUDA:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
  [ -z "$ptxas" ] && [ -n "$prefix" ] && [ -x "$prefix/bin/ptxas" ] &&
    ptxas=$prefix/bin/ptxas
done
if [ -n "$ptxas" ]; then
  echo "bootstrap: ptxas is $ptxas"
else
  echo "bootstrap: no ptxas: NVIDIA kernels will be PTX without cubins"
fi
