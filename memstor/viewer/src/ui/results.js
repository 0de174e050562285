// SPDX-License-Identifier: GPL-3.0-or-later
// What a report found, as tables: elements of its result that repeat are rows, whatever they are called (cells, scenarios,
// repetitions, states of the kernel), and the columns and rows of an analysis.
import { formatUnit } from "../chart/format.js";
import { titleOf, unitOf } from "../model/metrics.js";
import { readNumber } from "../read/numbers.js";
import { branch } from "../read/tree.js";
import { menu } from "./controls.js";
import { el, said } from "./dom.js";
import { table } from "./table.js";

/** @typedef {import("../read/tree.js").Tree} Tree */
/** @typedef {import("../read/report.js").Report} Report */
/** @typedef {import("../state.js").State} State */
/** @typedef {{ name: string, head: string[], rows: string[][] }} Found */

const ROWS_MAX = 200,
	OPEN_ROWS = 50,
	COLUMNS_MAX = 64;
/** Parts of a row that repeat more often are not columns of it: the writes of a scenario. */
const PARTS_MAX = 16;
const DEPTH_MAX = 4;

/** @param {Tree} tree */
function byName(tree) {
	/** @type {Map<string, Tree[]>} */
	const groups = new Map();

	for (const child of tree.children) groups.set(child.name, [...(groups.get(child.name) ?? []), child]);
	return groups;
}

/**
 * @param {Tree} tree
 * @param {string} path
 * @param {Map<string, string>} values
 */
function flatten(tree, path, values) {
	const attributes = path === "" ? tree.attributes : [];

	for (const [name, text] of attributes) values.set(name, text);
	for (const [name, nodes] of byName(tree)) {
		if (nodes.length > PARTS_MAX) continue;
		for (const node of nodes) {
			const isEmpty = node.children.length === 0 && node.text === "";
			const marks = isEmpty ? "" : node.attributes.map(([, text]) => text).join(" ");
			const full = [path, marks || name].filter(Boolean).join(" ");
			/* What stands in attributes alone are values, of each device for example: no column is named after them. */
			for (const [key, text] of isEmpty ? node.attributes : []) {
				const column = `${full} ${key}`;
				values.set(column, [values.get(column), text].filter((one) => one !== undefined).join(", "));
			}
			if (isEmpty && node.attributes.length > 0) continue;
			if (node.children.length > 0) flatten(node, full, values);
			else if (!values.has(full)) values.set(full, node.text);
		}
	}
	return values;
}

/** @param {string} name @param {Tree[]} nodes @returns {Found} */
function rowsOf(name, nodes) {
	const rows = nodes.slice(0, ROWS_MAX).map((node) => flatten(node, "", new Map()));
	const head = [...new Set(rows.flatMap((row) => [...row.keys()]))].slice(0, COLUMNS_MAX);

	return {
		name: nodes.length > ROWS_MAX ? `${name}, the first ${ROWS_MAX} of ${nodes.length}` : name,
		head,
		rows: rows.map((row) => head.map((column) => row.get(column) ?? "")),
	};
}

/** @param {Tree} tree @param {number} [depth] @returns {Found[]} */
function tablesOf(tree, depth = 0) {
	const groups = byName(tree),
		columns = groups.get("column") ?? [],
		rows = groups.get("row") ?? [];

	if (columns.length > 0)
		return [
			{
				name: [tree.name, ...tree.attributes.map(([, text]) => text)].join(" "),
				head: columns.map(({ text }) => text),
				rows: rows.slice(0, ROWS_MAX).map(({ children }) => children.map(({ text }) => text)),
			},
		];
	return [...groups].flatMap(([name, nodes]) => {
		const isData = nodes.some(({ children, attributes }) => children.length > 0 || attributes.length > 1);
		if (nodes.length > 1) return isData ? [rowsOf(name, nodes)] : [];
		return depth < DEPTH_MAX ? tablesOf(nodes[0], depth + 1) : [];
	});
}

/** Totals and threads of pmbench stand in the figures. @param {Report} report */
function foundIn(report) {
	const result = report.root === "pmbenchmark" ? undefined : branch(report.tree, "result");

	return result ? tablesOf(result) : [];
}

/** @param {string} column @param {string} text */
function cellOf(column, text) {
	const value = readNumber(text);

	const unit = unitOf(column);

	if (value === null) return { inside: [said(text)] };
	/* Percentiles are told by their last figures. */
	const isPlain = unit === "number" || unit === "percent";
	return {
		class: "number",
		title: text,
		inside: [isPlain ? String(Number(value.toPrecision(8))) + (unit === "percent" ? " %" : "") : formatUnit(value, unit)],
	};
}

/** @param {Found} found @param {number} index */
function shown({ name, head, rows }, index) {
	return el(
		"details",
		{ id: `result-${index}`, attributes: { open: index === 0 || rows.length <= OPEN_ROWS } },
		el("summary", {}, said(titleOf(name)), el("small", {}, ` ${rows.length} row${rows.length === 1 ? "" : "s"}`)),
		table({
			id: `result-table-${index}`,
			caption: name,
			class: "figures",
			head: head.map((column, i) => ({
				class: rows.some((row) => readNumber(row[i] ?? "") !== null) ? "number" : "",
				title: column,
				inside: [said(titleOf(column))],
			})),
			rows: rows.map((row) => row.map((text, i) => cellOf(head[i] ?? "", text))),
		}),
	);
}

/** @param {State} state @param {() => void} changed */
export function results(state, changed) {
	const own = state.reports.filter(({ root }) => root !== "pmbenchmark");
	const report = own.find(({ id }) => id === state.details) ?? own[0];
	const tables = report ? foundIn(report) : [];

	if (tables.length === 0) return [];
	return [
		el("h2", { id: "results-title" }, "Results"),
		own.length > 1
			? menu({
					id: "results-report",
					label: "Report",
					value: String(report.id),
					options: own.map(({ id, file }) => ({ value: String(id), text: file })),
					change(value) {
						state.details = Number(value);
						changed();
					},
				})
			: el("p", {}, said(report.file)),
		...tables.map(shown),
	];
}
