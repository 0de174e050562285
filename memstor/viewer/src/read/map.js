// SPDX-License-Identifier: GPL-3.0-or-later
// <access_pattern> of memtrace: samples by time and address.
import { ElementFault, attributeCount, attributeText, countAt, numberAt } from "./fault.js";
import { readCount } from "./numbers.js";
import { children, find, textAt, textOf } from "./xml.js";

/** @typedef {{ from: number, to: number, address: string, region: string, isBehindGap: boolean }} MapRow
 * from and to: touched bytes below its ends */

/**
 * @typedef {object} Grid
 * @property {{ from: number, to: number }[]} columns s, rising
 * @property {MapRow[]} rows the lowest address first
 * @property {Uint32Array} samples of column c and row r at c * rows.length + r
 */

/** @typedef {Grid & { covers: { columns: [number, number], rows: [number, number] } }} MapPart finer cells of the map's columns
 * and rows from the first to before the second */

/** @typedef {Grid & { period: number, bucketBytes: number, parts: MapPart[] }} AccessMap
 * period: accesses for each sample; NaN: the engine does not sample by accesses */

const CELLS_MAX = 4_000_000;

/** @param {Element} element @param {string} name @param {number} end */
function indexOf(element, name, end) {
	const index = Number(attributeCount(element, name));

	if (index >= end) throw new ElementFault(element, `${name}="${index}" of <${element.nodeName}>: there are ${end}`);
	return index;
}

/** @param {Element} part @param {string} name @param {string} count @param {number} end @returns {[number, number]} */
function spanOf(part, name, count, end) {
	const [first, size] = [name, count].map((child) => Number(countAt(part, child)));

	if (size === 0 || first + size > end)
		throw new ElementFault(part, `<map_part> covers ${size} ${count} from ${first}: there are ${end}`);
	return [first, first + size];
}

/** @param {Element} part @param {number} position touched bytes below it @returns {MapRow[]} */
function rowsOf(part, position) {
	return children(part, "part_band").map((band) => ({
		from: position,
		to: (position += Number(attributeCount(band, "size_bytes"))),
		address: attributeText(band, "address"),
		region: attributeText(band, "region"),
		isBehindGap: false,
	}));
}

/** Samples of the map that the part covers, each once. @param {Grid} map @param {MapPart["covers"]} covers */
function coveredBy({ rows, samples }, covers) {
	let sum = 0;

	for (let c = covers.columns[0]; c < covers.columns[1]; c++) {
		for (let r = covers.rows[0]; r < covers.rows[1]; r++) sum += samples[c * rows.length + r];
	}
	return sum;
}

/** @param {Element} part @param {Grid} map @returns {MapPart} */
function readPart(part, map) {
	const covers = {
		columns: spanOf(part, "first_column", "columns", map.columns.length),
		rows: spanOf(part, "first_band", "bands", map.rows.length),
	};
	const each = Number(countAt(part, "cells_each")),
		rows = rowsOf(part, map.rows[covers.rows[0]].from);

	if (rows.at(-1)?.to !== map.rows[covers.rows[1] - 1].to || rows.some(({ from, to }) => !(to > from)))
		throw new ElementFault(part, "rows of the <map_part> are not of the size of those that it covers");
	if (each === 0 || each * (covers.columns[1] - covers.columns[0]) * rows.length > CELLS_MAX)
		throw new ElementFault(part, `a part of the map with no cells, or more than ${CELLS_MAX}`);
	const columns = map.columns.slice(...covers.columns).flatMap(({ from, to }) => {
		const ends = Array.from({ length: each + 1 }, (_, i) => (i === each ? to : from + ((to - from) * i) / each));
		return ends.slice(1).map((end, i) => ({ from: ends[i], to: end }));
	});
	const samples = new Uint32Array(rows.length * columns.length);
	children(part, "part_band").forEach((band, r) => {
		const cells = textOf(band).split(" ").map(readCount);
		if (cells.length !== columns.length || cells.includes(null))
			throw new ElementFault(band, `<part_band> has ${cells.length} cells: ${columns.length} numbers are needed`);
		cells.forEach((count, c) => (samples[c * rows.length + r] = Number(count)));
	});
	if (samples.reduce((sum, count) => sum + count, 0) !== coveredBy(map, covers))
		throw new ElementFault(part, "the cells of the <map_part> do not add up to those that they are parts of");
	return { columns, rows, samples, covers };
}

/** @param {[number, number]} one @param {[number, number]} other */
function meet(one, other) {
	return one[0] < other[1] && other[0] < one[1];
}

/** @param {Element} pattern @param {Grid} map @returns {MapPart[]} */
function readParts(pattern, map) {
	/** @type {MapPart[]} */
	const parts = [];

	for (const element of children(pattern, "map_part")) {
		const part = readPart(element, map),
			{ columns, rows } = part.covers;
		if (parts.some(({ covers }) => meet(covers.columns, columns) && meet(covers.rows, rows)))
			throw new ElementFault(element, "the <map_part> covers cells of another one");
		parts.push(part);
	}
	return parts;
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
		parts: readParts(pattern, { columns, rows, samples }),
	};
}
