// SPDX-License-Identifier: GPL-3.0-or-later
// A run's verdict in a word, wherever its numbers stand.
import { el } from "./dom.js";

/** @typedef {import("../read/report.js").Report} Report */

/** @param {Report} report */
export function badges(report) {
	const count = report.checks.length;

	return [
		el("span", `badge ${report.status}`, report.status || "none given"),
		report.parts > 0 && el("span", "badge", `${report.parts} runs merged`),
		count > 0 &&
			el(
				"span",
				{
					class: "badge warned",
					attributes: { title: report.checks.map(({ code }) => code).join(", ") },
				},
				`${count} warning${count > 1 ? "s" : ""}`,
			),
	];
}

/**
 * Whether a sum of runs holds any that are not to be trusted.
 * @param {Report[]} reports
 */
export function doubt(reports) {
	return doubts(reports).map(({ status, text }) => el("span", `badge ${status}`, text));
}

/** @param {Report[]} reports */
function doubts(reports) {
	return ["untrustworthy", "interrupted"].flatMap((status) => {
		const { length } = reports.filter((report) => report.status === status);
		return length > 0 ? [{ status, text: reports.length === 1 ? status : `${length} ${status}` }] : [];
	});
}

/** The same for what leaves the page. @param {Report[]} reports */
export function doubtWords(reports) {
	return doubts(reports)
		.map(({ text }) => text)
		.join(", ");
}
