// SPDX-License-Identifier: GPL-3.0-or-later
// What facts are called on the page; those of other tools keep their own names.

const LABELS = new Map(
	Object.entries({
		"set:side": "Side",
		"set:folder": "Folder",
		"set:tool": "Tool",
		"set:step": "Step",
		"tool:tool": "Version",
		"host:hostname": "Host",
		"host:os_name": "System",
		"host:release": "Kernel",
		"host:arch": "Architecture",
		"machine:modelname": "CPU",
		"machine:memory": "Memory",
		"machine:swap_area": "Swap areas",
		"machine:cgroup_limit": "Memory limit",
		"machine:cores": "Cores",
		"machine:hardware_threads": "Hardware threads",
		"machine:hypervisor": "Hypervisor",
		"machine:page_bytes": "Page size",
		"machine:time_source": "Clock used",
		"option:pattern": "Pattern",
		"option:shape": "Shape",
		"option:mapsize": "Map size",
		"option:setsize": "Set size",
		"option:ratio": "Reads",
		"option:jobs": "Threads",
		"option:processes": "Processes",
		"option:access": "Access",
		"option:delay": "Delay",
		"option:offset": "Offset",
		"option:timestamp": "Time source",
		"option:duration": "Duration",
		"option:accesses": "Accesses",
		"option:warmup": "Warm-up",
		"option:threshold": "Threshold",
		"option:interval": "Interval",
		"option:ram": "RAM",
		"option:swap": "Swap",
		"option:classify": "Classify",
		"option:content": "Content",
		"option:map": "Map",
		"option:initialize": "Initialize",
		"option:cold": "Cold start",
	}),
);

/** The order of menus: what runs are mostly compared by comes first. */
const ORDER = [
	"set:side",
	"set:folder",
	"set:tool",
	"set:step",
	"host:os_name",
	"option:pattern",
	"option:shape",
	"option:mapsize",
	"option:setsize",
	"option:ratio",
	"option:jobs",
	"option:processes",
	"option:access",
	"option:ram",
	"option:swap",
	"option:delay",
];
const GROUPS = ["option", "label", "tool", "host", "machine", "setting"];

/** @param {string} key */
export function labelOf(key) {
	return LABELS.get(key) ?? key.slice(key.indexOf(":") + 1);
}

/**
 * @param {string} key
 * @returns {number}
 */
function rank(key) {
	const at = ORDER.indexOf(key),
		group = GROUPS.indexOf(key.slice(0, key.indexOf(":")));

	return at >= 0 ? at : 100 + group;
}

/**
 * @param {string} a
 * @param {string} b
 */
export function compareKeys(a, b) {
	return rank(a) - rank(b) || (labelOf(a) < labelOf(b) ? -1 : labelOf(a) > labelOf(b) ? 1 : 0);
}
