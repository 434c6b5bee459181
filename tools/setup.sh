#!/usr/bin/env bash
# Prepares a Debian machine: system packages and the virtual environment.
#
#   tools/setup.sh run   what `isocost` needs
#   tools/setup.sh dev   that, and what the tests and the linters need
#
# Called by the Makefile, which remembers with stamps what is already done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.venv
libraries=(libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0)
test_tools=(poppler-utils qpdf)

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' ||
      printf '%s\n' "$package"
  done
}

# Installs Debian packages that are missing, or says which ones somebody must.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is no Debian: make sure that you have what these packages hold: $*"
    return
  fi
  local missing=() root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if (($(id -u))); then
    sudo -n true 2>/dev/null ||
      fail "missing Debian packages; as root, run: apt-get install ${missing[*]}"
    root=(sudo -n)
  fi
  say "installing Debian packages: ${missing[*]}"
  "${root[@]}" apt-get -q update >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q install -y --no-install-recommends "${missing[@]}" >&2
}

# The first Python that is new enough; the lock was made with 3.11.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3.11 python3 python3.12 python3.13; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
    then printf '%s\n' "$candidate"; return; fi
  done
  return 1
}

make_venv() {
  local python version
  python=$(find_python) || {
    need_packages python3 python3-venv
    python=$(find_python) || fail "no Python 3.11 or newer; set PYTHON=/path/to/python"
  }
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    need_packages "python$version-venv"
  fi
  "$python" -m venv --clear "$venv"
}

goal=${1:-run}
case $goal in
  run) need_packages "${libraries[@]}" ;;
  dev) need_packages "${libraries[@]}" "${test_tools[@]}" ;;
  *) fail "usage: tools/setup.sh run|dev" ;;
esac

# A half-made environment, or one whose Python has gone, is made anew.
"$venv/bin/python" -m pip --version >/dev/null 2>&1 || make_venv

pip=("$venv/bin/python" -m pip -qq --disable-pip-version-check install)
say "installing the locked packages: requirements/$goal.txt"
"${pip[@]}" --require-hashes -r requirements/run.txt
[[ $goal == run ]] || "${pip[@]}" --require-hashes -r requirements/dev.txt
"${pip[@]}" --no-deps --no-build-isolation --editable .
