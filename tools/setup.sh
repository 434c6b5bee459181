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
# Without these some tests skip: the live report in a browser, printed JavaScript.
browser_tools=(chromium chromium-driver nodejs)

# And without these: the tree-sitter grammar, which is compiled.
grammar_tools=(gcc libc6-dev)

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
  # One source of many that cannot be reached is no reason to stop.
  "${root[@]}" apt-get -qq update || true
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 \
    install -y --no-install-recommends "${missing[@]}" >/dev/null
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

# Debian ships `venv` without the part that puts pip into a new environment.
can_make_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# The Debian package that lets the Python at hand make environments, if it cannot.
packages_for_venv() {
  local python
  if ! python=$(find_python); then
    printf '%s\n' python3 python3-venv
  elif ! can_make_venv "$python"; then
    "$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
  fi
}

# A half-made environment, or one whose Python has gone, is made anew.
has_venv() { "$venv/bin/python" -m pip --version >/dev/null 2>&1; }

goal=${1:-run}
case $goal in
  run) packages=("${libraries[@]}") ;;
  dev) packages=("${libraries[@]}" "${test_tools[@]}") ;;
  *) fail "usage: tools/setup.sh run|dev" ;;
esac
# shellcheck disable=SC2207  # names of packages hold no blanks
has_venv || packages+=($(packages_for_venv))
need_packages "${packages[@]}"
if [[ $goal == dev ]]; then
  # 130 MB to fetch; a machine that cannot have them still runs all other tests.
  (need_packages "${browser_tools[@]}") ||
    say "going on without ${browser_tools[*]}: the tests of the live report skip"
fi

if [[ $goal == dev ]]; then
  (need_packages "${grammar_tools[@]}") ||
    say "going on without ${grammar_tools[*]}: the tests of the tree-sitter grammar skip"
fi

# The accessibility checks of the tests; those skip without them.
if [[ $goal == dev ]]; then
  if ! command -v npm >/dev/null; then
    say "there is no npm: the accessibility checks of the live report skip"
  elif ! npm ci --prefix tests --ignore-scripts --no-audit --no-fund --silent; then
    say "npm cannot fetch axe-core: the accessibility checks of the live report skip"
  fi
fi

if ! has_venv; then
  python=$(find_python) ||
    fail "no Python 3.11 or newer; name one: make PYTHON=/path/to/python ..."
  can_make_venv "$python" || fail "$python cannot make environments: no ensurepip"
  "$python" -m venv --clear "$venv"
fi

pip=("$venv/bin/python" -m pip -qq --disable-pip-version-check install)
say "installing the locked packages: requirements/$goal.txt"
"${pip[@]}" --require-hashes -r requirements/run.txt
[[ $goal == run ]] || "${pip[@]}" --require-hashes -r requirements/dev.txt
"${pip[@]}" --no-deps --no-build-isolation --editable .
# Compiled now, for those who let Python write nothing: half a second of each command.
"$venv/bin/python" -m compileall -q cli dsl engine grammar reports || true
[[ $goal == run ]] || tools/tree_sitter_cli.sh ||
  say "going on without tree-sitter's generator: no test that the kept parser is its own"
