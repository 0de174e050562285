// SPDX-License-Identifier: GPL-3.0-or-later
// What stands below a chart: its legend, and its data as a table.
import { swatch } from "../chart/cursor.js";
import { el, said } from "./dom.js";
import { table } from "./table.js";

const ROWS_MAX = 2000;

/** @param {import("../chart/chart.js").Row[]} rows */
export function legendList(rows) {
	return (
		rows.length > 0 &&
		el(
			"ul",
			{ class: "legend", attributes: { "aria-label": "Legend" } },
			...rows.map(({ color, dash, label, value }) =>
				el("li", {}, swatch(color, dash), said(label), value && el("small", {}, value)),
			),
		)
	);
}

/** @param {string | number | bigint} cell */
function textOf(cell) {
	return typeof cell !== "number" ? String(cell) : Number.isFinite(cell) ? String(Number(cell.toPrecision(8))) : "";
}

/**
 * What the picture shows, for those who cannot see it; made when it is opened.
 * @param {string} id
 * @param {string} tableId
 * @param {string} title of the chart
 * @param {() => import("../chart/chart.js").Table | undefined} data
 */
export function dataOf(id, tableId, title, data) {
	const details = el("details", { id }, el("summary", {}, "Data as a table"));
	const show = () => {
		const { head, rows } = data() ?? { head: [], rows: [] };
		const rest = rows.length > ROWS_MAX ? `${rows.length - ROWS_MAX} more rows are in the CSV.` : "";
		details.append(
			table({
				id: tableId,
				caption: `Data of the chart: ${title}`,
				class: "figures",
				head,
				rows: rows.slice(0, ROWS_MAX).map((row) => row.map(textOf)),
			}),
			el("p", "hint", rest),
		);
	};

	details.addEventListener("toggle", () => details.open && details.childElementCount === 1 && show());
	return details;
}
