// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as CSV (RFC 4180).

/** @typedef {import("../chart/chart.js").Table} Table */

/**
 * A text that a spreadsheet would take for a formula gets an apostrophe: names come from files of anybody.
 * @param {string | number | bigint} cell
 */
function field(cell) {
	if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
	if (typeof cell === "bigint") return String(cell);
	const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {Table} table */
export function toCsv({ head, rows }) {
	return [head, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/**
 * The same with one column more, that says the same in each row; without it where there is nothing to say.
 * @param {Table} table
 * @param {string} name
 * @param {string} text
 * @returns {Table}
 */
export function withColumn(table, name, text) {
	if (!text) return table;
	return { head: [...table.head, name], rows: table.rows.map((row) => [...row, text]) };
}
