// SPDX-License-Identifier: GPL-3.0-or-later
// What the samples of a part of a map say: rates, how sure they are, and where the hottest range is.

/** @typedef {import("../read/map.js").AccessMap} AccessMap */
/** @typedef {import("../read/map.js").Grid} Grid */
/** @typedef {{ first: number, end: number, from: number, to: number }} Block rows or columns first to end - 1, seen as one */
/** @typedef {{ grid: Grid, columns: Block[], rows: Block[], isOpen: (column: Block, row: Block) => boolean }} Area what is seen of
 * the map or of a part of it; isOpen: no finer part covers the cell */
/** @typedef {{ grid: Grid, columns: Block, rows: Block }} Hottest */
/** @typedef {{ x: [number, number], y: [number, number] }} Range s, and touched bytes */

/** Fewer samples than this leave the rate open by more than a factor of 2 or so each way. */
export const FEW = 5;
const EXACT_MAX = 100,
	Z95 = 1.959964;

/** P(X <= count) of a Poisson process. @param {number} count @param {number} mean */
function atMost(count, mean) {
	let term = Math.exp(-mean),
		sum = term;

	for (let k = 1; k <= count; k++) sum += term *= mean / k;
	return sum;
}

/** @param {(mean: number) => boolean} isAbove @param {number} high */
function bisect(isAbove, high) {
	let low = 0;

	for (let i = 0; i < 60; i++) {
		const middle = (low + high) / 2;
		if (isAbove(middle)) high = middle;
		else low = middle;
	}
	return (low + high) / 2;
}

/** The lower end by Wilson and Hilferty, which is near enough to compare by. @param {number} count */
function lowerEnd(count) {
	return count > 0 ? count * Math.max(0, 1 - 1 / (9 * count) - Z95 / (3 * Math.sqrt(count))) ** 3 : 0;
}

/**
 * The 95 % interval of the mean of a Poisson process of which so many events were seen (Garwood).
 * @param {number} count
 * @returns {[number, number]}
 */
export function poisson95(count) {
	const next = count + 1;

	if (count > EXACT_MAX) return [lowerEnd(count), next * (1 - 1 / (9 * next) + Z95 / (3 * Math.sqrt(next))) ** 3];
	const low = count === 0 ? 0 : bisect((mean) => 1 - atMost(count - 1, mean) > 0.025, count + 1);
	return [low, bisect((mean) => atMost(count, mean) < 0.025, 2 * count + 10)];
}

/** @param {Grid} grid @param {Block} columns @param {Block} rows */
export function samplesIn(grid, columns, rows) {
	let sum = 0;

	for (let c = columns.first; c < columns.end; c++) {
		for (let r = rows.first; r < rows.end; r++) sum += grid.samples[c * grid.rows.length + r];
	}
	return sum;
}

/**
 * The region with the most samples of a cell; the first one of an empty cell.
 * @param {Grid} grid
 * @param {Block} columns
 * @param {Block} rows
 */
export function regionOf(grid, columns, rows) {
	/** @type {Map<string, number>} */
	const regions = new Map();

	for (let r = rows.first; r < rows.end; r++) {
		const { region, from, to } = grid.rows[r],
			samples = samplesIn(grid, columns, { first: r, end: r + 1, from, to });
		regions.set(region, (regions.get(region) ?? 0) + samples);
	}
	return [...regions].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

/** What a count is multiplied by for accesses; 1 where only samples can be told. @param {AccessMap} map */
export function weightOf(map) {
	return Number.isFinite(map.period) && map.period > 0 ? map.period : 1;
}

/** Each access was recorded: there is nothing to estimate. @param {AccessMap} map */
export function isExact(map) {
	return map.period === 1;
}

/**
 * What is seen of an axis, several in one where one alone would be less than a least length.
 * @param {{ from: number, to: number }[]} parts
 * @param {[number, number]} seen
 * @param {number} least
 * @param {Set<number>} [cuts] where a block begins in any case
 * @returns {Block[]}
 */
export function blocksOf(parts, seen, least, cuts = new Set()) {
	/** @type {Block[]} */
	const blocks = [];

	parts.forEach(({ from, to }, i) => {
		const last = blocks.at(-1);
		if (to <= seen[0] || from >= seen[1]) return;
		if (last && last.to - last.from < least && !cuts.has(i)) Object.assign(last, { end: i + 1, to });
		else blocks.push({ first: i, end: i + 1, from, to });
	});
	return blocks;
}

/**
 * What is seen of the map, by the finest cells that there are: its parts, then the map itself between them.
 * @param {AccessMap} map
 * @param {Range} seen
 * @param {{ x: number, y: number }} least
 * @returns {Area[]}
 */
export function areasOf(map, seen, least) {
	const cuts = {
		columns: new Set(map.parts.flatMap(({ covers }) => covers.columns)),
		rows: new Set(map.parts.flatMap(({ covers }) => covers.rows)),
	};
	const isIn = (/** @type {Block} */ { first }, /** @type {[number, number]} */ [begin, end]) => first >= begin && first < end;
	/** @type {Area[]} */
	const areas = map.parts.map((grid) => ({
		grid,
		columns: blocksOf(grid.columns, seen.x, least.x),
		rows: blocksOf(grid.rows, seen.y, least.y),
		isOpen: () => true,
	}));
	const parts = areas.flatMap(({ columns, rows }, i) => (columns.length > 0 && rows.length > 0 ? [map.parts[i]] : []));

	areas.push({
		grid: map,
		columns: blocksOf(map.columns, seen.x, least.x, cuts.columns),
		rows: blocksOf(map.rows, seen.y, least.y, cuts.rows),
		isOpen: (column, row) => !parts.some(({ covers }) => isIn(column, covers.columns) && isIn(row, covers.rows)),
	});
	return areas.filter(({ columns, rows }) => columns.length > 0 && rows.length > 0);
}

/** The rows of the map, those of the hottest part instead of what a part covers. @param {AccessMap} map */
export function finestRows({ rows, parts }) {
	return rows.flatMap((row, r) => {
		const part = parts.find(({ covers }) => r >= covers.rows[0] && r < covers.rows[1]);
		return part ? part.rows.filter(({ from }) => from >= row.from && from < row.to) : [row];
	});
}

/**
 * The run of parts with the most per length, by the lower end of the interval: few samples do not win by chance.
 * @param {{ from: number, to: number }[]} parts
 * @param {number[]} counts
 * @param {(i: number) => string} groupOf a run does not leave its group
 * @returns {Block}
 */
function densest(parts, counts, groupOf) {
	let best = { first: 0, end: 1, from: parts[0].from, to: parts[0].to },
		most = -1;

	for (let first = 0; first < parts.length; first++) {
		let sum = 0;
		for (let i = first; i < parts.length && groupOf(i) === groupOf(first); i++) {
			sum += counts[i];
			const value = lowerEnd(sum) / (parts[i].to - parts[first].from);
			if (value <= most) continue;
			most = value;
			best = { first, end: i + 1, from: parts[first].from, to: parts[i].to };
		}
	}
	return best;
}

/**
 * Those that lie within a range.
 * @param {{ from: number, to: number }[]} parts
 * @param {{ from: number, to: number }} range
 * @returns {Block}
 */
function blockIn(parts, range) {
	const first = parts.findIndex(({ from }) => from >= range.from),
		end = parts.findLastIndex(({ to }) => to <= range.to) + 1;

	return { first, end, from: range.from, to: range.to };
}

/** First where, then when it is hottest. @param {Grid} grid @param {Block} columns @param {Block} rows @returns {Hottest} */
function hottestIn(grid, columns, rows) {
	const all = grid.rows.slice(rows.first, rows.end),
		times = grid.columns.slice(columns.first, columns.end);
	const row = (/** @type {number} */ r) => ({ first: r, end: r + 1, from: 0, to: 0 });
	const shifted = (/** @type {Block} */ { first, end, from, to }, /** @type {number} */ by) => ({
		first: first + by,
		end: end + by,
		from,
		to,
	});
	const inRow = all.map((_, r) => samplesIn(grid, columns, row(rows.first + r)));
	const where = shifted(
		densest(all, inRow, (i) => all[i].region),
		rows.first,
	);
	const inColumn = times.map((_, c) => samplesIn(grid, row(columns.first + c), where));

	return { grid, columns: shifted(densest(times, inColumn, () => ""), columns.first), rows: where };
}

/** @param {AccessMap} map */
function hottestOfMap(map) {
	const whole = (/** @type {unknown[]} */ parts) => ({ first: 0, end: parts.length, from: 0, to: 0 });

	return hottestIn(map, whole(map.columns), whole(map.rows));
}

/**
 * The hottest range of the map, and where a part has finer cells of it the hottest range of these.
 * @param {AccessMap} map
 * @returns {Hottest}
 */
export function hottest(map) {
	const found = hottestOfMap(map),
		{ columns, rows } = found;
	const holds = (/** @type {[number, number]} */ span, /** @type {Block} */ { first, end }) => span[0] <= first && span[1] >= end;
	const part = map.parts.find(({ covers }) => holds(covers.columns, columns) && holds(covers.rows, rows));

	return part ? hottestIn(part, blockIn(part.columns, columns), blockIn(part.rows, rows)) : found;
}

/**
 * A range with as much again around it, no smaller than so many parts.
 * @param {Block} block
 * @param {{ from: number, to: number }[]} parts
 */
function around(block, parts, least = 8) {
	const size = block.end - block.first,
		more = Math.max(size, Math.ceil((least - size) / 2));
	const first = Math.max(0, block.first - more),
		end = Math.min(parts.length, block.end + more);

	return /** @type {[number, number]} */ ([parts[first].from, parts[end - 1].to]);
}

/** What is seen first. @param {AccessMap} map @returns {Range} */
export function openingOf(map) {
	const { columns, rows } = hottestOfMap(map);

	return { x: around(columns, map.columns), y: around(rows, map.rows) };
}
