// SPDX-License-Identifier: GPL-3.0-or-later
import { el } from "./dom.js";

/** @typedef {import("./dom.js").Inside} Inside */
/**
 * @typedef {{ inside: Inside[], class?: string, title?: string, rows?: number }} Cell
 * rows: how many it stands for; below it null stands in its place
 */

/**
 * @param {string | Cell} cell
 * @param {boolean} isHead
 * @param {"col" | "row"} scope
 */
function cellOf(cell, isHead, scope) {
	/** @type {Cell} */
	const { inside, class: names, title, rows } = typeof cell === "string" ? { inside: [cell] } : cell;
	const attributes = { title, rowspan: rows, scope: !isHead ? null : rows ? "rowgroup" : scope };

	return el(isHead ? "th" : "td", { class: names, attributes }, ...inside);
}

/**
 * A table that scrolls by itself, also by keys. The first cell of a row is its head.
 * @param {{ id: string, caption: string, head: (string | Cell)[], rows: (string | Cell | null)[][], class?: string }} wish
 */
export function table({ id, caption, head, rows, class: names }) {
	return el(
		"div",
		{
			class: "scroll",
			attributes: { tabindex: 0, role: "region", "aria-label": caption, "data-scroll": id },
		},
		el(
			"table",
			{ id, class: names },
			el("caption", "hidden", caption),
			el("thead", {}, el("tr", {}, ...head.map((cell) => cellOf(cell, true, "col")))),
			el(
				"tbody",
				{},
				...rows.map((row) => el("tr", {}, ...row.map((cell, i) => cell && cellOf(cell, i === 0, "row")))),
			),
		),
	);
}
