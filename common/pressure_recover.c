/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_run.h"

int pressure_recover(unsigned *journals)
{
	return journal_recover(&pressure_journal_kind, pressure_journal_dir(), journals);
}

int pressure_set_aside(unsigned *journals)
{
	return journal_set_aside_unreadable(&pressure_journal_kind, pressure_journal_dir(), journals);
}
