# What the two entry scripts, ./kvtraffic and ./check, share: Debian packages, one build at a time, a usable compiler cache.
# It is sourced, never run. It expects `root` to hold the repository's root, and leaves shell options to the caller.
# shellcheck shell=bash
: "${root:?}"

say() { printf '%s\n' "$*" >&2; }

# fail CODE TEXT: the last words of a script.
fail() {
  say "${0##*/}: $2"
  exit "$1"
}

# packages_of SECTION...: their package names, in the array `packages`.
packages_of() {
  local line section='' word
  packages=()
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%%#*}
    read -r word _ <<<"$line" || true
    case $word in
      '') ;;
      '['*) section=${word//[\[\]]/} ;;
      *) [[ " $* " != *" $section "* ]] || packages+=("$word") ;;
    esac
  done <"$root/packages.txt"
}

# find_missing SECTION...: what is not installed, in the array `missing`. Without dpkg there is no way to tell: none.
find_missing() {
  local installed status name
  missing=()
  packages_of "$@"
  command -v dpkg-query >/dev/null || return 0
  installed=' '
  while read -r status name; do
    [[ $status != ?i* ]] || installed+="$name "  # second letter: the state it is in, whatever was wished for
  done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2>/dev/null)
  for name in "${packages[@]}"; do
    [[ $installed == *" $name "* ]] || missing+=("$name")
  done
}

# may_install: whether we can become root without asking; the prefix for it is left in the array `as_root`.
may_install() {
  as_root=(env)
  [[ -z ${KVTRAFFIC_NO_INSTALL:-} || ${KVTRAFFIC_NO_INSTALL} == 0 ]] || return 1
  command -v apt-get >/dev/null || return 1
  ((EUID == 0)) && return 0
  as_root=(sudo -n env)
  command -v sudo >/dev/null && sudo -n true </dev/null >/dev/null 2>&1
}

install_missing() {
  local output
  local apt=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  "${apt[@]}" update </dev/null >/dev/null 2>&1 || true  # what apt already knows may do
  output=$("${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null 2>&1) && return 0
  tail -n 10 <<<"$output" >&2
  return 1
}

# require_packages SECTION...: installs what is missing, or says how to and returns 5. Silent when all is there.
require_packages() {
  find_missing "$@"
  ((${#missing[@]})) || return 0
  if may_install; then
    exec 8<"$root/packages.txt"  # a lock that also works in a checkout we may not write to
    flock 8
    find_missing "$@"  # somebody else may have been faster
    ((${#missing[@]} == 0)) || install_missing || true
    exec 8<&-
    find_missing "$@"
    ((${#missing[@]})) || return 0
  fi
  say "${0##*/}: these Debian packages are missing and cannot be installed from here: ${missing[*]}"
  say "  as root, run: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  return 5
}

# lock_build NAME: makes build/NAME and holds it (descriptor 9) until this process and its builds are gone.
lock_build() {
  local folder=$root/build/$1
  if ! { mkdir -p "$folder" && exec 9>"$folder.lock" && [[ -w $folder ]]; } 2>/dev/null; then
    say "${0##*/}: cannot write to $folder: read-only, somebody else's, or on a full disk"
    return 5
  fi
  flock -n 9 && return 0
  say "waiting for another build in $folder ..."
  flock 9
}

# A build folder remembers where it was made. After the checkout moved or was copied it is of no use.
drop_moved_build() {
  local cache=$root/build/$1/CMakeCache.txt
  [[ -f $cache ]] || return 0
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" || rm -rf "${root:?}/build/$1"/*
}

# ccache refuses to compile when it cannot write its folder, as for users without a home.
prepare_ccache() {
  local folder=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ccache}
  command -v ccache >/dev/null || return 0
  { [[ $folder != /nonexistent/* ]] && mkdir -p "$folder" 2>/dev/null && [[ -w $folder ]]; } || export CCACHE_DIR=$root/build/ccache
}

disk_is_full() {
  local log=$1 free
  grep -qsE 'No space left on device|Disk quota exceeded' "$log" && return 0
  free=$(df -Pk "$root/build" 2>/dev/null | awk 'NR == 2 { print $4 }')
  [[ -n $free ]] && ((free < 1024))
}
