// SPDX-License-Identifier: GPL-3.0-or-later
// What ran where: a row for each report, with what differs between them set off; what all share stands below once.
import { compareKeys, labelOf } from "../model/names.js";
import { valueOf } from "../model/dimensions.js";
import { badges } from "./badges.js";
import { button } from "./controls.js";
import { el, fill, said } from "./dom.js";
import { table } from "./table.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../read/report.js").Report} Report */
/**
 * @typedef {{ close: (report: Report) => void, details: (report: Report) => void, isWhole: boolean, listAll: () => void }} Acts
 */

const ALWAYS = ["host:hostname", "host:release", "machine:modelname", "tool:tool"];
const COLUMNS_MAX = 14,
	ROWS_MAX = 100,
	BESIDE_MAX = 64;

/**
 * @param {State} state
 * @param {Acts} acts
 */
function reportTable(state, acts) {
	const isWhole = acts.isWhole || state.reports.length <= ROWS_MAX;
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
	const listed = isWhole ? state.reports : state.reports.slice(0, ROWS_MAX);
	const all = table({
		id: "reports",
		caption: "Open reports",
		rows: listed.map((report, i) => reportRow(report, i, columns, cell, acts)),
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
	return [
		all,
		!isWhole &&
			button({
				id: "all-reports",
				text: `List all ${state.reports.length} reports`,
				run: acts.listAll,
			}),
	];
}

/**
 * @param {Report} report
 * @param {number} i
 * @param {string[]} columns
 * @param {(report: Report, key: string) => import("./table.js").Cell} cell
 * @param {Acts} acts
 */
function reportRow(report, i, columns, cell, acts) {
	return [
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
	];
}

/**
 * All that differs, a column for each report; set off is what is not as in the first.
 * @param {State} state
 */
function differences({ reports, dimensions }) {
	const shown = reports.slice(0, BESIDE_MAX);
	const rowOf = (/** @type {import("../model/dimensions.js").Dimension} */ { key, label }) => {
		const first = valueOf(shown[0], key).same;
		return [
			{ inside: [said(label)] },
			...shown.map((report) => {
				const { same, text } = valueOf(report, key);
				return { class: same === first ? "" : "differs", inside: [said(text)] };
			}),
		];
	};
	const make = () => [
		table({
			id: "differing",
			caption: "What differs",
			class: "tree",
			rows: dimensions.map(rowOf),
			head: ["Parameter", ...shown.map(({ file }) => ({ inside: [said(file)] }))],
		}),
		shown.length < reports.length && el("p", "hint", `Of the first ${shown.length} reports.`),
	];
	const isOpen = reports.length <= 4;
	const count = `${dimensions.length} difference${dimensions.length === 1 ? "" : "s"} side by side`;
	const body = el("div");
	const section = el("details", { id: "differences", attributes: { open: isOpen } }, el("summary", {}, count), body);

	/* Columns of many reports are made when they are asked for. */
	section.addEventListener("toggle", () => section.open && !body.hasChildNodes() && fill(body, ...make()));
	if (isOpen) fill(body, ...make());
	return section;
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
 * @param {Acts} acts
 */
export function runs(state, acts) {
	if (state.reports.length === 0) return [];
	return [
		el("h2", { id: "runs-title" }, "What ran where"),
		...reportTable(state, acts),
		state.dimensions.length > 0 &&
			el("p", "hint", el("span", "differs key", "Set off"), " is what differs between the open reports."),
		state.dimensions.length > 0 && differences(state),
		same(state),
	];
}
