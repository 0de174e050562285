// SPDX-License-Identifier: GPL-3.0-or-later
// Elements that a report has once.
import { ElementFault } from "./fault.js";
import { quote } from "./refusal.js";

/** What a reader looks up by name must not be there twice. */
const ONCE = new Set([
	"report",
	"signature",
	"machine_info",
	"environment",
	"result",
	"statistics",
	"series",
	"sys_mem_info",
	"verdict",
	"options",
	"labels",
	"settings",
	"host",
	"params",
	"totals",
	"summary",
	"count",
	"min_ns",
	"mean_ns",
	"stddev_ns",
	"max_ns",
	"time_s",
	"seconds",
	"counters",
	"bucket_interval",
	"interval_lo",
	"interval_hi",
	"sum_count",
	"bucket_hexes",
	"uuid",
	"tool",
	"tool_version",
	"report_version",
	"measured",
	"advice",
]);

/** @param {Element} root */
export function checkOnce(root) {
	for (const element of [root, ...root.querySelectorAll("*")]) {
		const seen = new Set();
		for (let child = element.firstElementChild; child; child = child.nextElementSibling) {
			if (!ONCE.has(child.nodeName)) continue;
			if (seen.has(child.nodeName))
				throw new ElementFault(child, `a second <${child.nodeName}> in one <${quote(element.nodeName)}>`);
			seen.add(child.nodeName);
		}
	}
}
