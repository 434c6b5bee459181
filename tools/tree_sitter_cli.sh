#!/usr/bin/env bash
# Puts Debian's `tree-sitter` (the generator of parsers for editors) into .venv/bin.
#
# Debian has it from release 13 on. An older one takes the package from that release,
# with the C library that it wants, and unpacks both: nothing of the system changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=.venv/bin/tree-sitter
release=trixie
[[ -x $program ]] && exit 0
if command -v tree-sitter >/dev/null; then
  ln -s "$(command -v tree-sitter)" "$program"
  exit 0
fi

# From where this machine gets its packages, under the keys that every Debian has.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Origin: Debian' \
  'Created-By: Packages' 'Component: main' | awk '$2 !~ /-/ { print $1; exit }')
keys=/usr/share/keyrings/debian-archive-keyring.gpg

home=$PWD/.venv/lib/tree-sitter
rm -rf "$home"
mkdir -p "$home"/apt/{lists,cache,archives}/partial
printf 'deb [signed-by=%s] %s %s main\n' "$keys" "$mirror" "$release" \
  >"$home/apt/sources.list"
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$home/apt/sources.list"
  -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$home/apt/lists"
  -o "Dir::Cache=$home/apt/cache" -o "Dir::Cache::archives=$home/apt/archives"
  -o Acquire::Languages=none -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$home/apt" && "${apt[@]}" download tree-sitter-cli libc6)
for package in "$home"/apt/*.deb; do dpkg-deb -x "$package" "$home"; done
rm -rf "$home/apt"

loader=$(find "$home" -name 'ld-linux*' | head -1)
library=$(dirname "$(find "$home" -name libc.so.6)")
printf '#!/bin/sh\nexec "%s" --library-path "%s:%s" "%s" "$@"\n' "$loader" "$library" \
  "$(dirname "$(ldconfig -p | sed -n 's/.*libgcc_s.so.1.* => //p' | head -1)")" \
  "$home/usr/bin/tree-sitter" >"$program.new"
chmod +x "$program.new"
"$program.new" --version >/dev/null
mv "$program.new" "$program"
