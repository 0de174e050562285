// SPDX-License-Identifier: GPL-3.0-or-later
// What ran is a tool and a step of a suite: each has a chart of its own, as their latencies say nothing of each other.

/** @typedef {import("../read/report.js").Report} Report */
/** @typedef {{ key: string, tool: string, step: string, title: string, reports: Report[] }} Step */

/** @param {string} tool @param {string} step */
export function stepKey(tool, step) {
	return JSON.stringify([tool, step]);
}

/** In the order of their first reports. @param {Report[]} reports @returns {Step[]} */
export function stepsOf(reports) {
	/** @type {Map<string, Step>} */
	const steps = new Map();

	for (const report of reports) {
		const tool = report.facts.get("set:tool")?.text ?? report.root,
			step = report.facts.get("set:step")?.text ?? "",
			key = stepKey(tool, step);
		const known = steps.get(key) ?? { key, tool, step, title: step || tool, reports: [] };
		steps.set(key, known);
		known.reports.push(report);
	}
	return [...steps.values()];
}
