#!/usr/bin/env bash
# Holds every C++ file against .clang-format; `--fix` rewrites instead.
# It asks the file system and not git, so that new files count and an unpacked archive works too.
set -euo pipefail

cd "$(dirname "$(readlink -f -- "$0")")/../.."
mode=(--dry-run --Werror)
[[ ${1:-} != --fix ]] || mode=(-i)
find sim hardware models reports scenarios tests \( -name '*.cpp' -o -name '*.hpp' \) -print0 |
  xargs -0 -r -n 16 -P 2 clang-format "${mode[@]}"
