/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/file/losses.h"

#include <math.h>
#include <stdio.h>

double losses_bursts_asked(double hz, double most_percent, uint64_t bursts, double stopped_s)
{
	return most_percent > 0 && bursts ? fmin(hz, most_percent / 100 * (double)bursts / stopped_s) : hz;
}

bool losses_counts_samples(enum trace_loss loss)
{
	return loss != TRACE_THROTTLED && loss != TRACE_COLLISION && loss != TRACE_EXEC && loss != TRACE_NOT_TAKEN &&
		loss != TRACE_OWN;
}

const char *losses_phrase(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss, char text[LOSSES_TEXT])
{
	double all = (double)samples;

	for (unsigned i = 0; i < TRACE_LOSSES; i++)
		all += losses_counts_samples(i) ? (double)losses[i] : 0;
	if (losses_counts_samples(loss))
		snprintf(text, LOSSES_TEXT, "%s, %.2g %%", trace_loss_name(loss), 100 * (double)losses[loss] / all);
	else
		snprintf(text, LOSSES_TEXT, "%s", trace_loss_name(loss));
	return text;
}

double losses_accesses(const uint64_t losses[TRACE_LOSSES], uint64_t samples)
{
	return (double)samples + (double)losses[TRACE_NO_ADDRESS] + (double)losses[TRACE_CLOBBERED] +
		(double)losses[TRACE_NO_CODE] + (double)losses[TRACE_OUTSIDE] + (double)losses[TRACE_BRANCH_TARGET];
}

double losses_dropped_percent(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss)
{
	double accesses = losses_accesses(losses, samples);

	switch (loss) {
	case TRACE_NO_ADDRESS: case TRACE_CLOBBERED: case TRACE_NO_CODE: case TRACE_OUTSIDE:
		return accesses > 0 ? 100 * (double)losses[loss] / accesses : 0;
	default:
		return NAN;
	}
}

/* Returns the class of which most is dropped, if it is above LOSSES_DROPPED_MOST; else TRACE_LOSSES. */
static enum trace_loss find_dropped(const uint64_t losses[TRACE_LOSSES], uint64_t samples)
{
	enum trace_loss worst = TRACE_LOSSES;
	double most = LOSSES_DROPPED_MOST;

	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		double percent = losses_dropped_percent(losses, samples, i);

		if (samples + losses[i] >= LOSSES_LEAST_ASKED && percent > most) {
			worst = i;
			most = percent;
		}
	}
	return worst;
}

bool losses_is_reason(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss)
{
	switch (loss) {
	case TRACE_LOST_BY_KERNEL: case TRACE_THROTTLED:
		return losses[loss] && losses[TRACE_LOST_BY_KERNEL] + losses[TRACE_THROTTLED] > samples / 100;
	case TRACE_NOT_TAKEN: case TRACE_EXEC:
		return losses[loss];
	default:
		return loss == find_dropped(losses, samples);
	}
}

size_t losses_reasons(const uint64_t losses[TRACE_LOSSES], uint64_t samples, struct losses_reason reasons[LOSSES_REASONS])
{
	uint64_t lost = losses[TRACE_LOST_BY_KERNEL] + losses[TRACE_THROTTLED];
	enum trace_loss dropped = find_dropped(losses, samples);
	size_t count = 0;

	if (losses_is_reason(losses, samples, losses[TRACE_THROTTLED] ? TRACE_THROTTLED : TRACE_LOST_BY_KERNEL)) {
		reasons[count].code = "samples-lost";
		snprintf(reasons[count++].text, LOSSES_TEXT, "lacks %llu samples that the kernel lost or throttled (%.2g %%)",
			(unsigned long long)lost, 100 * (double)lost / (double)(samples + lost));
	}
	if (losses[TRACE_NOT_TAKEN]) {
		reasons[count].code = "samples-not-taken";
		snprintf(reasons[count++].text, LOSSES_TEXT,
			"lacks %llu samples, bursts or pages, more than 90 %% of those that the engine was asked for",
			(unsigned long long)losses[TRACE_NOT_TAKEN]);
	}
	if (losses[TRACE_EXEC]) {
		reasons[count].code = "sampling-stopped";
		snprintf(reasons[count++].text, LOSSES_TEXT, "lacks all samples of %llu program%s that the kernel does not sample "
			"(set-user-ID, with capabilities, or not readable); record as root", (unsigned long long)losses[TRACE_EXEC],
			losses[TRACE_EXEC] == 1 ? "" : "s");
	}
	if (dropped != TRACE_LOSSES) {
		reasons[count].code = "accesses-dropped";
		snprintf(reasons[count++].text, LOSSES_TEXT,
			"lacks %.2g %% of the accesses that were sampled, %s: the others are biased; -e burst has all kinds",
			losses_dropped_percent(losses, samples, dropped), trace_loss_name(dropped));
	}
	return count;
}
