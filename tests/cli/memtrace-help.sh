#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace's front: help, version and usage errors, of itself and of each of its commands.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
program_help memtrace "$top_srcdir/memtrace/commands.h"
tap_done
