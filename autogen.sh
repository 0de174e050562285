#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes configure and friends from a fresh clone; needs autoconf and automake.
set -e
cd "$(dirname "$0")"
for tool in autoconf automake pkg-config; do
	command -v "$tool" >/dev/null 2>&1 || {
		echo "autogen.sh: $tool is missing: install autoconf automake pkg-config (as root: make setup)" >&2
		exit 1
	}
done
mkdir -p build-aux
exec autoreconf -i
