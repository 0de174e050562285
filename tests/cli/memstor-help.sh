#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor's front: help, version and wrong words, of itself and of each of its commands.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
program_help memstor "$top_srcdir/memstor/commands.h"
tap_done
