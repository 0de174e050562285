#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor and each of its commands: --help, --version and usage errors.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
program_help memstor "$top_srcdir/memstor/commands.h"
tap_done
