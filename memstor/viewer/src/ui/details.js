// SPDX-License-Identifier: GPL-3.0-or-later
// Everything else that a report says, of whatever tool: names and values as they stand in the file, elements that
// repeat side by side.
import { titleOf } from "../model/metrics.js";
import { menu } from "./controls.js";
import { el, said } from "./dom.js";
import { table } from "./table.js";

/** @typedef {import("../read/tree.js").Tree} Tree */
/** @typedef {import("../state.js").State} State */

const ROWS_MAX = 1000,
	COLUMNS_MAX = 64;

/** @param {Tree} tree */
function isLeaf(tree) {
	return tree.children.length === 0;
}

/** @param {Tree} tree "swap_area", "cache DCACHE 1" @param {number} index @param {number} count */
function titleOfNode(tree, index, count) {
	const marks = tree.attributes.map(([, value]) => value).join(" ");

	return [tree.name, marks || (count > 1 ? String(index + 1) : "")].filter(Boolean).join(" ");
}

/** @param {Tree} leaf what it is called and what it says */
function leafPair(leaf) {
	const attributes = new Map(leaf.attributes),
		value = attributes.get("value");
	const name =
		attributes.get("name") ??
		[leaf.name, ...leaf.attributes.filter(([key]) => key !== "value").map(([, text]) => text)].join(" ");

	return /** @type {[string, string]} */ ([name, value !== undefined && leaf.text === "" ? value : leaf.text]);
}

/**
 * @param {Tree} tree
 * @param {string} path
 * @param {Map<string, string>} values
 */
function flatten(tree, path, values) {
	for (const child of tree.children) {
		const [name, text] = isLeaf(child) ? leafPair(child) : [child.name, ""];
		const full = path ? `${path} / ${name}` : name;
		if (isLeaf(child)) values.set(full, values.has(full) ? `${values.get(full)}, ${text}` : text);
		else flatten(child, full, values);
	}
	return values;
}

/** @param {Tree[]} nodes of one name @param {string} id */
function sideBySide(nodes, id) {
	const shown = nodes.slice(0, COLUMNS_MAX),
		columns = shown.map((node) => (isLeaf(node) ? new Map([leafPair(node)]) : flatten(node, "", new Map())));
	const names = [...new Set(columns.flatMap((column) => [...column.keys()]))];

	return [
		table({
			id,
			caption: nodes[0].name,
			class: "tree",
			head: ["Element", ...shown.map((node, i) => ({ inside: [said(titleOfNode(node, i, nodes.length))] }))],
			rows: names
				.slice(0, ROWS_MAX)
				.map((name) => [
					{ inside: [said(name)] },
					...columns.map((column) => ({ inside: [said(column.get(name) ?? "")] })),
				]),
		}),
		names.length > ROWS_MAX || nodes.length > COLUMNS_MAX
			? el("p", "hint", `Not all of ${nodes.length} × ${names.length} values are shown.`)
			: null,
	];
}

/** @param {Tree[]} leaves */
function list(leaves) {
	const shown = leaves.slice(0, ROWS_MAX);

	return [
		shown.length > 0 &&
			el(
				"dl",
				"leaves",
				...shown.flatMap((leaf) => {
					const [name, text] = leafPair(leaf);
					return [el("dt", {}, said(name)), el("dd", {}, said(text === "" ? "–" : text))];
				}),
			),
		leaves.length > ROWS_MAX && el("p", "hint", `${leaves.length - ROWS_MAX} more are not shown.`),
	];
}

/**
 * @param {Tree} tree
 * @param {string} id
 * @returns {import("./dom.js").Inside[]}
 */
function content(tree, id) {
	/** @type {Map<string, Tree[]>} */
	const groups = new Map();

	for (const child of tree.children) groups.set(child.name, [...(groups.get(child.name) ?? []), child]);
	if (groups.has("argument"))
		return [
			el(
				"pre",
				{},
				said(
					(groups.get("argument") ?? [])
						.map(({ text }) =>
							/[^\w@%+=:,./-]/.test(text) || text === "" ? `'${text.replaceAll("'", "'\\''")}'` : text,
						)
						.join(" "),
				),
			),
		];
	const branches = [...groups].filter(([, nodes]) => !nodes.every(isLeaf)).slice(0, ROWS_MAX);
	return [
		...list(tree.children.filter(isLeaf)),
		...branches.flatMap(([name, nodes], i) => {
			const inner = `${id}-${i}`;
			return [
				el("h3", {}, said(titleOf(name))),
				...(nodes.length > 1 ? sideBySide(nodes, inner) : content(nodes[0], inner)),
			];
		}),
	];
}

/** @param {State} state @param {() => void} changed */
export function details(state, changed) {
	const report = state.reports.find(({ id }) => id === state.details);

	if (!report) return [];
	const sections = [...report.tree.children, ...report.rest].map((part, i) => {
		const id = `part-${i}`,
			body = el("div", "part");
		const section = el("details", { id, class: "part-of" }, el("summary", {}, said(titleOf(part.name))), body);
		section.addEventListener(
			"toggle",
			() =>
				section.open &&
				!body.hasChildNodes() &&
				body.append(...content(part, id).filter((one) => one !== null && one !== false && one !== undefined)),
		);
		return section;
	});

	return [
		el("h2", { id: "details-title" }, "The whole report"),
		state.reports.length > 1
			? menu({
					id: "details-report",
					label: "Report",
					value: String(report.id),
					options: state.reports.map(({ id, file }) => ({
						value: String(id),
						text: file,
					})),
					change(value) {
						state.details = Number(value);
						changed();
					},
				})
			: el("p", {}, said(report.file)),
		...sections,
	];
}
