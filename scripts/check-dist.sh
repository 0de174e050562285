#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-dist.sh TARBALL     every committed file is in the tarball, but for what only a clone needs.
set -eu
tarball=$(readlink -f "$1")
cd "$(dirname "$0")/.."
if ! git rev-parse --git-dir >/dev/null 2>&1; then
	echo "check-dist: needs a clone, this is no git tree" >&2
	exit 3
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files | grep -vE '^(\.gitignore|\.ci/.*)$' | sort >"$work/committed"
tar -tf "$tarball" | sed 's,^[^/]*/,,' | grep -v '/$' | sort >"$work/packed"
missing=$(comm -23 "$work/committed" "$work/packed")
if [ -n "$missing" ]; then
	echo "check-dist: committed but not in $(basename "$tarball") (add to EXTRA_DIST in the folder's .am):" >&2
	echo "$missing" >&2
	exit 1
fi
echo "check-dist: $(wc -l <"$work/committed") committed files are in $(basename "$tarball")"
