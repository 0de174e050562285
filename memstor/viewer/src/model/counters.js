// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of a series: reports hold what changed in each interval. What counts events is shown per second; what is a
// level (bytes of dirty memory) is summed up from the snapshot before the run.

/** @typedef {import("../read/report.js").Report} Report */
/** @typedef {{ unit: string, isLevel: boolean, factor: number }} CounterKind factor: from the counter's unit to unit */

const EVENTS = /^vmstat\.nr_(written|dirtied|vmscan_\w+|throttled_written|foll_pin_\w+)$/;
const CGROUP_EVENTS =
	/^cgroup\.(total_)?(pg|workingset|failcnt|kmem_failcnt|memsw_failcnt|thp_|numa_|zsw|swpin|swpout|oom|max|high|low)/;

/** @param {string} name "vmstat.pswpin" @returns {CounterKind} */
export function counterKind(name) {
	if (name.startsWith("meminfo."))
		return { unit: /HugePages_/.test(name) ? "" : "bytes", isLevel: true, factor: 1 };
	if (name.startsWith("vmstat.nr_") && !EVENTS.test(name)) return { unit: "pages", isLevel: true, factor: 1 };
	if (name.startsWith("cgroup.") && !CGROUP_EVENTS.test(name)) return { unit: "bytes", isLevel: true, factor: 1 };
	/* Microseconds of stall in a second. */
	if (/^psi\..*\.total$/.test(name)) return { unit: "% of time", isLevel: false, factor: 1e-4 };
	return { unit: "per second", isLevel: false, factor: 1 };
}

/**
 * @param {Report} report
 * @param {string} name
 * @returns {number[]} one for each interval; NaN where it was not read
 */
export function counterSeries(report, name) {
	const { isLevel, factor } = counterKind(name);
	const before = report.snapshots.find((snapshot) => snapshot.name === "pre-run")?.counters.get(name);
	let level = before ?? 0;

	return report.intervals.map((interval) => {
		const change = interval.counters.get(name) ?? (interval.isComplete ? 0 : NaN);
		level += Number.isNaN(change) ? 0 : change;
		return isLevel ? level * factor : (change / interval.seconds) * factor;
	});
}

/**
 * Counters that changed in a series, the much used first.
 * @param {Report[]} reports
 */
export function counterNames(reports) {
	const first = [
		"vmstat.pgmajfault",
		"vmstat.pswpin",
		"vmstat.pswpout",
		"meminfo.MemFree",
		"meminfo.SwapFree",
		"meminfo.Dirty",
		"meminfo.Writeback",
		"psi.memory.some.total",
		"psi.memory.full.total",
		"psi.io.some.total",
	];
	const found = new Set(
		reports.flatMap((report) => report.intervals.flatMap((interval) => [...interval.counters.keys()])),
	);

	return [...first.filter((name) => found.has(name)), ...[...found].filter((name) => !first.includes(name)).sort()];
}

/** Values of intervals, those of every tool. @param {Report[]} reports */
export function valueNames(reports) {
	const first = [
		"accesses_per_second",
		"operations_per_second",
		"measured_ns",
		"mean_ns",
		"p50_ns",
		"p99_ns",
		"major_faults",
		"minor_faults",
	];
	const found = new Set(
		reports.flatMap((report) => report.intervals.flatMap((interval) => [...interval.values.keys()])),
	);

	found.delete("accesses");
	return [...first.filter((name) => found.has(name)), ...[...found].filter((name) => !first.includes(name)).sort()];
}

/**
 * Counts of an interval are shown per second, so that a short last one does not look like a drop.
 * @param {Report} report
 * @param {string} name
 */
export function valueSeries(report, name) {
	const isCount = isPerSecond(name);

	return report.intervals.map((interval) => (interval.values.get(name) ?? NaN) / (isCount ? interval.seconds : 1));
}

/**
 * Things that a series measures one by one: cells, streams, scenarios. [""] where it is one.
 * @param {Report[]} reports
 */
export function subjectsOf(reports) {
	return [...new Set(reports.flatMap(({ intervals }) => intervals.map(({ subject }) => subject)))];
}

/** @param {string} name of an interval's value */
export function isPerSecond(name) {
	return !/_(ns|per_second|percent|bytes|s)$/.test(name);
}
