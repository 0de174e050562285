#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace.1: sections and options as in --help.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
program_manual memtrace "$top_builddir/memtrace/memtrace.1"
tap_done
