// SPDX-License-Identifier: GPL-3.0-or-later
// <access_pattern> of memtrace: samples by time and address.
import { ElementFault, attributeCount, countAt, numberAt } from "./fault.js";
import { children, find, textAt } from "./xml.js";

/** @typedef {{ from: number, to: number, address: string, region: string, isBehindGap: boolean }} MapRow
 * from and to: touched bytes below its ends */

/**
 * @typedef {object} AccessMap
 * @property {number} period accesses for each sample; NaN: the engine does not sample by accesses
 * @property {number} bucketBytes
 * @property {{ from: number, to: number }[]} columns s, rising
 * @property {MapRow[]} rows the lowest address first
 * @property {Uint32Array} samples of column c and row r at c * rows.length + r
 */

const CELLS_MAX = 4_000_000;

/** @param {Element} element @param {string} name @param {number} end */
function indexOf(element, name, end) {
	const index = Number(attributeCount(element, name));

	if (index >= end) throw new ElementFault(element, `${name}="${index}" of <${element.nodeName}>: there are ${end}`);
	return index;
}

/** @param {Element} report @returns {AccessMap | null} */
export function readMap(report) {
	const pattern = find(report, "result/access_pattern");
	let position = 0;
	const rows = children(pattern, "map_band").map((band) => ({
		from: position,
		to: (position += Number(countAt(band, "size_bytes"))),
		address: textAt(band, "address"),
		region: textAt(band, "region"),
		isBehindGap: countAt(band, "is_behind_gap") > 0n,
	}));
	const columns = children(pattern, "map_column").map((column) => ({
		from: numberAt(column, "from_s"),
		to: numberAt(column, "to_s"),
	}));

	if (!pattern || rows.length === 0 || columns.length === 0) return null;
	if (rows.length * columns.length > CELLS_MAX) throw new ElementFault(pattern, `a map of more than ${CELLS_MAX} cells`);
	if (rows.some(({ from, to }) => !(to > from)) || columns.some(({ from, to }) => !(to > from)))
		throw new ElementFault(pattern, "a row or column of the map has no size");
	const samples = new Uint32Array(rows.length * columns.length);
	for (const cell of children(pattern, "map_cell")) {
		const column = indexOf(cell, "column_index", columns.length),
			row = indexOf(cell, "band_index", rows.length);
		samples[column * rows.length + row] += Number(attributeCount(cell, "samples"));
	}
	const period = find(report, "result/recording/period");
	return {
		period: period ? numberAt(report, "result/recording/period") : NaN,
		bucketBytes: Number(countAt(pattern, "bucket_bytes")),
		columns,
		rows,
		samples,
	};
}
