// SPDX-License-Identifier: GPL-3.0-or-later
// What the results are worth: verdicts that are not "ok", and what may have spoiled a run, with advice.
import { el, said } from "./dom.js";
import { table } from "./table.js";

/** @typedef {import("../read/report.js").Report} Report */

/** For reports of format 1.0, which do not say it themselves. */
const MEANINGS = new Map(
	Object.entries({
		hypervisor: "the machine is a guest",
		clocksource: "the kernel does not trust the CPU's own counter",
		governor: "the CPU's frequency changes with the load",
		load: "other programs use the CPUs",
		"low-memory": "less than a tenth of the memory is available",
		"cgroup-limit": "the memory cgroup's limit is below the machine's memory",
		"other-swap": "swap was in use before the run",
		"thp-always": "huge pages are used wherever possible",
		ksm: "equal pages are merged in the background",
		zswap: "swapped pages are kept compressed in memory first",
		"page-cluster": "swap is read ahead",
		"zone-reclaim": "a NUMA node reclaims its own pages first",
		"numa-balancing": "the kernel moves pages and threads between NUMA nodes",
		damon: "a kdamond watches, and may reclaim, memory",
		steal: "the hypervisor gave CPU time to others during the run",
		"other-faults": "other programs had major faults during the run",
		"oom-kill": "the kernel killed a process for lack of memory",
		"zero-page": "pages share the kernel's zero page and are never paged",
		"not-locked": "what measures could not be locked in memory",
		"not-steady": "throughput still changed at the end",
	}),
);
const NAMES_MAX = 6;

/** @param {Report[]} reports @param {number} all */
function runNames(reports, all) {
	const names = reports
		.slice(0, NAMES_MAX)
		.map(({ file }) => file)
		.join(", ");

	if (all > 1 && reports.length === all) return `all ${all}`;
	return reports.length > NAMES_MAX ? `${names} and ${reports.length - NAMES_MAX} more` : names;
}

/** @param {Report} report that is not to be trusted, or not whole */
function verdict({ file, status, reasons }) {
	const list = reasons.map(({ code, text }) => el("li", {}, el("code", {}, said(code)), " ", said(text)));

	return el(
		"li",
		{},
		el("span", `badge ${status}`, status),
		" ",
		el("strong", {}, said(file)),
		el("ul", {}, ...list),
	);
}

/** @param {Report[]} reports */
function verdicts(reports) {
	const bad = reports.filter(({ status }) => status === "interrupted" || status === "untrustworthy");
	const good = reports.filter(({ status }) => status === "ok").length,
		{ length } = reports;
	const who =
		length === 1
			? "The run finds its result"
			: `${good === length ? "All" : `${good} of`} ${length} runs find their results`;

	if (bad.length === 0 && good === 0)
		return [el("p", {}, length === 1 ? "The report gives no verdict." : "None of the reports gives a verdict.")];
	return [
		bad.length > 0 && el("ul", "verdicts", ...bad.map(verdict)),
		good > 0 &&
			el(
				"p",
				{},
				el("span", "badge ok", "ok"),
				` ${who} trustworthy${good + bad.length < length ? "; others give no verdict" : ""}.`,
			),
	];
}

/** @param {Report[]} reports */
function warnings(reports) {
	/** @type {Map<string, { reports: Report[], measured: Set<string>, finding: string, advice: string }>} */
	const codes = new Map();

	for (const report of reports) {
		for (const { code, finding, measured, advice } of report.checks) {
			const known = codes.get(code) ?? {
				reports: [],
				measured: new Set(),
				finding: finding || (MEANINGS.get(code) ?? ""),
				advice,
			};
			codes.set(code, known);
			known.reports.push(report);
			known.measured.add(measured);
		}
	}
	if (codes.size === 0)
		return el(
			"p",
			{},
			reports.every(({ isOriginal }) => isOriginal)
				? "The original pmbench did not look at its environment."
				: "Nothing was found that may have spoiled a run.",
		);
	return table({
		id: "warnings",
		caption: "What may have spoiled a run",
		class: "warnings",
		head: ["Warning", "Measured", "Runs", "Advice"],
		rows: [...codes]
			.sort((a, b) => b[1].reports.length - a[1].reports.length)
			.map(([code, found]) => {
				const measured = [...found.measured];
				return [
					{
						inside: [el("code", {}, said(code)), el("small", {}, said(found.finding))],
					},
					{
						inside: [
							said(
								measured.slice(0, NAMES_MAX).join(", ") + (measured.length > NAMES_MAX ? ", …" : ""),
							),
						],
					},
					{ inside: [said(runNames(found.reports, reports.length))] },
					{ class: "advice", inside: [said(found.advice)] },
				];
			}),
	});
}

/** @param {Report[]} reports */
export function environment(reports) {
	return [el("h2", { id: "environment-title" }, "Verdicts and warnings"), ...verdicts(reports), warnings(reports)];
}
