// SPDX-License-Identifier: GPL-3.0-or-later
// What ran where: a row for each report, with what differs between them set off; what all share stands below once.
import { compareKeys, labelOf } from "../model/names.js";
import { valueOf } from "../model/dimensions.js";
import { badges } from "./badges.js";
import { button } from "./controls.js";
import { el, said } from "./dom.js";
import { table } from "./table.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../read/report.js").Report} Report */

const ALWAYS = ["host:hostname", "host:release", "machine:modelname", "tool:tool"];
const COLUMNS_MAX = 14;

/**
 * @param {State} state
 * @param {{ close: (report: Report) => void, details: (report: Report) => void }} acts
 */
function reportTable(state, acts) {
	const differing = new Set(state.dimensions.map(({ key }) => key));
	const own = state.dimensions
		.filter(({ key, alike }) => !alike && !ALWAYS.includes(key))
		.slice(0, COLUMNS_MAX)
		.map(({ key }) => key);
	const columns = [...ALWAYS, ...own];
	const cell = (/** @type {Report} */ report, /** @type {string} */ key) => {
		const { text } = valueOf(report, key);
		return {
			class: differing.has(key) ? "differs" : "",
			title: text.length > 40 ? text : undefined,
			inside: [said(text)],
		};
	};
	const rows = state.reports.map((report, i) => [
		{
			class: "file",
			inside: [
				button({
					id: `details-of-${i}`,
					class: "link",
					text: report.file,
					title: "Show its details",
					run: () => acts.details(report),
				}),
			],
		},
		{ inside: badges(report) },
		report.when,
		...columns.map((key) => cell(report, key)),
		{
			inside: [
				button({
					id: `close-${i}`,
					class: "quiet",
					text: "Close",
					title: `Close ${report.file}`,
					run: () => acts.close(report),
				}),
			],
		},
	]);

	return table({
		id: "reports",
		caption: "Open reports",
		rows,
		class: "reports",
		head: [
			"Report",
			"Verdict",
			"Started",
			...columns.map((key) => ({
				class: differing.has(key) ? "differs" : "",
				inside: [said(labelOf(key))],
			})),
			{ inside: [el("span", "hidden", "Close")] },
		],
	});
}

/**
 * All that differs, a column for each report; set off is what is not as in the first.
 * @param {State} state
 */
function differences({ reports, dimensions }) {
	const rows = dimensions.map(({ key, label }) => {
		const first = valueOf(reports[0], key).same;
		return [
			{ inside: [said(label)] },
			...reports.map((report) => {
				const { same, text } = valueOf(report, key);
				return { class: same === first ? "" : "differs", inside: [said(text)] };
			}),
		];
	});

	return el(
		"details",
		{ id: "differences", attributes: { open: reports.length <= 4 } },
		el("summary", {}, `${dimensions.length} difference${dimensions.length === 1 ? "" : "s"} side by side`),
		table({
			id: "differing",
			caption: "What differs",
			class: "tree",
			rows,
			head: ["Parameter", ...reports.map(({ file }) => ({ inside: [said(file)] }))],
		}),
	);
}

/**
 * Every fact that all open reports have and have equal.
 * @param {State} state
 */
function same({ reports, dimensions }) {
	const differing = new Set(dimensions.map(({ key }) => key));
	const keys = [...reports[0].facts.keys()].filter(
		(key) =>
			!differing.has(key) &&
			reports.every((report) => report.facts.get(key)?.same === reports[0].facts.get(key)?.same),
	);
	const groups = /** @type {[string, (key: string) => boolean][]} */ ([
		["Options", (key) => /^(option|label|tool):/.test(key)],
		["Host and machine", (key) => /^(host|machine):/.test(key)],
		["Settings", (key) => key.startsWith("setting:")],
	]);

	return el(
		"details",
		{ id: "same", attributes: { open: reports.length === 1 } },
		el(
			"summary",
			{},
			reports.length === 1 ? "Options, machine and settings" : `The same in all ${reports.length} reports`,
		),
		el(
			"div",
			"facts",
			...groups.map(([title, isOf]) => {
				const own = keys.filter(isOf).sort(compareKeys);
				return (
					own.length > 0 &&
					el(
						"section",
						{},
						el("h3", {}, title),
						el(
							"dl",
							{},
							...own.flatMap((key) => [
								el("dt", {}, said(labelOf(key))),
								el("dd", {}, said(reports[0].facts.get(key)?.text ?? "")),
							]),
						),
					)
				);
			}),
		),
	);
}

/**
 * @param {State} state
 * @param {{ close: (report: Report) => void, details: (report: Report) => void }} acts
 */
export function runs(state, acts) {
	if (state.reports.length === 0) return [];
	return [
		el("h2", { id: "runs-title" }, "What ran where"),
		reportTable(state, acts),
		state.dimensions.length > 0 &&
			el("p", "hint", el("span", "differs key", "Set off"), " is what differs between the open reports."),
		state.dimensions.length > 0 && differences(state),
		same(state),
	];
}
