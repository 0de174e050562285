/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/report.h"

void report_write_verification(struct report *report, const struct verify_result *verify)
{
	report_begin(report, "verification");
	report_u64(report, "blocks", verify->blocks);
	report_u64(report, "bytes", verify->bytes);
	report_u64(report, "acknowledged", verify->acknowledged);
	report_u64(report, "later", verify->later);
	report_bool(report, "is_complete", verify->is_complete);
	for (int i = 0; i < VERIFY_LOSSES; i++) {
		if (!verify->lost[i])
			continue;
		report_begin(report, "loss");
		report_attribute(report, "kind", verify_loss_name((enum verify_loss)i));
		report_attribute_u64(report, "count", verify->lost[i]);
		report_end(report);
	}
	if (verify->first[0])
		report_text(report, "first_loss", verify->first);
	report_end(report);
}
