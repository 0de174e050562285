// SPDX-License-Identifier: GPL-3.0-or-later
// Time by address: accesses per second of a recording of memtrace. What is seen as one cell is at least some pixels large,
// so that what it holds, and how sure that is, can be read.
import { formatCount, formatNumber } from "./format.js";
import { SIZE, makeFrame, plotOf } from "./frame.js";
import { rampColor } from "./palette.js";
import { makeAxis } from "./scales.js";
import { svg, textWidth } from "./svg.js";
import { formatBytes } from "../read/quantity.js";
import { FEW, areasOf, finestRows, hottest, isExact, openingOf, poisson95 } from "../model/access_map.js";
import { regionOf, samplesIn, weightOf } from "../model/access_map.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("../model/access_map.js").Area} Area */
/** @typedef {import("../model/access_map.js").Block} Block */
/** @typedef {import("../read/map.js").AccessMap} AccessMap */
/** @typedef {import("../read/map.js").MapRow} MapRow */
/**
 * @typedef {{ grid: Area["grid"], column: Block, row: Block, samples: number, rate: number, heat: number }} Cell rate a second,
 * heat per bucket, too
 */

const CELL_PX = 3;
/** What an address on the axis takes. */
const ADDRESS_PX = 92;
/** The least is to stand out from the ground, too. */
const PALEST = 0.15;
/** Of a cell with few samples every so many pixels are left out, aslant. */
const HATCH = 4;

/** Reports that have a map. @param {import("../model/groups.js").Group[]} groups */
export function mapRuns(groups) {
	return groups.flatMap((group) => group.reports.filter(({ map }) => map !== null));
}

/** @param {AccessMap} map */
function unitOf(map) {
	return Number.isFinite(map.period) ? "accesses/s" : "samples/s";
}

/** @param {AccessMap} map @param {Area} area @returns {Cell[]} those with samples */
function cellsOf(map, { grid, columns, rows, isOpen }) {
	return columns.flatMap((column) =>
		rows.flatMap((row) => {
			const samples = isOpen(column, row) ? samplesIn(grid, column, row) : 0;
			if (samples === 0) return [];
			const rate = (samples * weightOf(map)) / (column.to - column.from);
			return [{ grid, column, row, samples, rate, heat: (rate * map.bucketBytes) / (row.to - row.from) }];
		}),
	);
}

/** @param {number} heat @param {[number, number]} ends */
function shareOf(heat, [least, most]) {
	return most > least ? Math.log(heat / least) / Math.log(most / least) : 1;
}

/**
 * @param {Cell[]} cells
 * @param {import("./frame.js").Plot} plot
 * @param {import("./scales.js").Axis} x
 * @param {import("./scales.js").Axis} y
 * @param {(cell: Cell) => { color: number[], isHatched: boolean }} styleOf
 * @returns {string} data: URL of a PNG
 */
function paint(cells, plot, x, y, styleOf) {
	const canvas = document.createElement("canvas"),
		pixels = new ImageData(plot.width, plot.height);
	const within = (/** @type {number} */ px, /** @type {number} */ end) => Math.min(Math.max(Math.round(px), 0), end);

	canvas.width = plot.width;
	canvas.height = plot.height;
	for (const cell of cells) {
		const { color, isHatched } = styleOf(cell);
		const [left, right] = [cell.column.from, cell.column.to].map((s) => within(x.place(s), plot.width));
		const [top, bottom] = [cell.row.to, cell.row.from].map((at) => within(y.place(at), plot.height));
		for (let py = top; py < bottom; py++) {
			for (let px = left; px < right; px++) {
				if (!isHatched || (px + py) % HATCH !== 0) pixels.data.set([...color, 255], (py * plot.width + px) * 4);
			}
		}
	}
	canvas.getContext("2d")?.putImageData(pixels, 0, 0);
	return canvas.toDataURL("image/png");
}

/** Its end says more than its begin: "/usr/lib/libc.so.6". @param {string} text @param {number} room px */
function shorten(text, room) {
	let short = text;

	while (textWidth(short, SIZE) > room && short.length > 4) short = `…${short.slice(short.startsWith("…") ? 2 : 1)}`;
	return short;
}

/**
 * Names of ranges, allocations or mappings, and lines between them.
 * @param {Scene} scene
 * @param {MapRow[]} rows
 * @param {import("./frame.js").Plot} plot
 * @param {import("./scales.js").Axis} y
 * @param {number} room px
 */
function drawRegions({ theme }, rows, plot, y, room) {
	const group = svg("g", { transform: `translate(0,${plot.y})`, class: "regions" });
	let free = Infinity;

	for (let first = 0, end = 0; first < rows.length; first = end) {
		while (end < rows.length && rows[end].region === rows[first].region) end++;
		const bottom = Math.min(y.place(rows[first].from), plot.height),
			top = Math.max(y.place(rows[end - 1].to), 0);
		if (bottom <= 0 || top >= plot.height || bottom - top < 1) continue;
		group.append(
			svg("line", { x1: 8, x2: plot.x - ADDRESS_PX, y1: bottom, y2: bottom, stroke: theme.axis, "stroke-opacity": 0.6 }),
		);
		const middle = (top + bottom) / 2 + 4;
		if (middle > free - 12) continue;
		free = middle;
		group.append(svg("text", { x: 10, y: middle, fill: theme.text }, shorten(rows[first].region, room)));
	}
	return group;
}

/**
 * @param {Scene} scene
 * @param {AccessMap} map
 * @param {import("./frame.js").Plot} plot
 * @param {[number, number]} ends
 * @param {boolean} isHatched
 */
function drawScale({ theme }, map, plot, ends, isHatched) {
	const hatched = isHatched ? `hatched: < ${FEW} samples;  ` : "",
		width = 120,
		high = formatNumber(ends[1]);
	const right = plot.x + plot.width - textWidth(high, SIZE) - 6;
	const group = svg("g", { transform: `translate(${right - width},2)`, class: "scale" });

	for (let i = 0; i < width; i += 2)
		group.append(
			svg("rect", {
				x: i,
				y: 2,
				width: 3,
				height: 9,
				fill: `rgb(${rampColor(theme.ramp, PALEST + (1 - PALEST) * (i / width)).join()})`,
			}),
		);
	group.append(
		svg(
			"text",
			{ x: -6, y: 10, "text-anchor": "end", fill: theme.muted },
			`${hatched}${unitOf(map)} per ${formatBytes(map.bucketBytes)}: ${formatNumber(ends[0])}`,
		),
		svg("text", { x: width + 6, y: 10, fill: theme.muted }, high),
	);
	return group;
}

/** @param {number} count @param {AccessMap} map @param {number} seconds */
function surely(count, map, seconds) {
	const [low, high] = poisson95(count).map((value) => formatNumber((value * weightOf(map)) / seconds));

	return isExact(map) ? "exact: each access was recorded" : `${low} to ${high}`;
}

/** What a picture of estimates owes its reader. @param {AccessMap} map @param {Cell[]} cells */
function doubtOf(map, cells) {
	const few = cells.filter(({ samples }) => samples < FEW).length,
		all = cells.reduce((sum, { samples }) => sum + samples, 0);

	if (isExact(map)) return `Each access was recorded: the counts are exact (${formatCount(all)} here).`;
	const unknown = Number.isFinite(map.period) ? "" : " The engine does not sample by accesses: the rates are of samples.";
	const [low, high] = poisson95(FEW - 1).map((value) => formatNumber(value));
	return (
		`${formatCount(all)} samples here.${unknown}` +
		(few === 0
			? ""
			: ` Warning: ${formatCount(few)} of ${formatCount(cells.length)} visible cells hold fewer than ${FEW} samples ` +
				`(hatched). ${FEW - 1} samples stand for ${low} to ${high} (95 %): such rates are rough, and their differences ` +
				`may be chance. Zoom out to add cells up.`)
	);
}

/**
 * @param {import("./frame.js").Plot} plot
 * @param {[number, number]} seenX
 * @param {[number, number]} seenY
 */
function axesOf({ width, height }, seenX, seenY) {
	const usual = { isLog: false, room: width / 80 };

	return [
		makeAxis({
			...usual,
			domain: seenX,
			range: [0, width],
			format: (s) => `${Number(s.toPrecision(6))} s`,
			label: "time since the recording began",
		}),
		makeAxis({ ...usual, domain: seenY, range: [height, 0], format: String, label: "" }),
	];
}

/**
 * Around the hottest range.
 * @param {Scene} scene
 * @param {{ columns: Block, rows: Block }} hot
 * @param {import("./scales.js").Axis} x
 * @param {import("./scales.js").Axis} y
 */
function frameOf({ theme }, { columns, rows }, x, y) {
	return svg("rect", {
		class: "hottest",
		x: x.place(columns.from),
		y: y.place(rows.to),
		width: x.place(columns.to) - x.place(columns.from),
		height: y.place(rows.from) - y.place(rows.to),
		fill: "none",
		stroke: theme.warning,
		"stroke-width": 1.5,
	});
}

/** @param {Scene} scene @returns {import("./chart.js").Chart} */
export function drawMap(scene) {
	const { width, height, theme, groups, view } = scene;
	const runs = mapRuns(groups),
		run = runs.find(({ id }) => id === view.run) ?? runs[0];
	const place = plotOf(width, height, ["0x7fff12345000"]);

	if (!run?.map) return emptyChart(scene, place);
	const { map } = run,
		opening = openingOf(map),
		hot = hottest(map);
	const room = width < 600 ? 70 : 150;
	const plot = {
		x: place.x + room - 12,
		y: 20,
		width: Math.floor(place.width - room),
		height: Math.floor(place.height - 8),
	};
	/** @type {[number, number]} */
	const full = [map.columns[0].from, map.columns[map.columns.length - 1].to],
		/** @type {[number, number]} */
		fullY = [0, map.rows[map.rows.length - 1].to];
	const [seenX, seenY] = [view.zoom ?? opening.x, view.zoomY ?? opening.y];
	const [x, y] = axesOf(plot, seenX, seenY);
	const areas = areasOf(
		map,
		{ x: seenX, y: seenY },
		{ x: (CELL_PX * (seenX[1] - seenX[0])) / plot.width, y: (CELL_PX * (seenY[1] - seenY[0])) / plot.height },
	);
	const rows = finestRows(map),
		cells = areas.flatMap((area) => cellsOf(map, area));
	const isFew = (/** @type {Cell} */ { samples }) => !isExact(map) && samples < FEW;
	/** @type {[number, number]} */
	const ends = cells.reduce(([low, high], { heat }) => [Math.min(low, heat), Math.max(high, heat)], [Infinity, 0]);
	const frame = makeFrame({ width, height, plot, theme, x, y: { ...y, marks: addressMarks(rows, y) } });
	const styleOf = (/** @type {Cell} */ cell) => ({
		color: rampColor(theme.ramp, PALEST + (1 - PALEST) * shareOf(cell.heat, ends)),
		isHatched: isFew(cell),
	});

	frame.svg.append(drawRegions(scene, rows, plot, y, room));
	if (cells.length > 0) {
		frame.svg.append(drawScale(scene, map, plot, ends, cells.some(isFew)));
		frame.inside.append(
			svg("image", { width: plot.width, height: plot.height, href: paint(cells, plot, x, y, styleOf) }),
		);
	}
	frame.inside.append(frameOf(scene, hot, x, y));
	return {
		svg: frame.svg,
		plot,
		x,
		y,
		full,
		fullY,
		legend: [],
		isPlane: true,
		stops: stopsOf(areas, x, plot.width),
		probe: (px, py) => probe(map, areas, x.value(px), y.value(py), px),
		table: () => tableOf(map, cells),
		note: `${hottestWords(map, hot)} ${doubtOf(map, cells)}`,
	};
}

/** @param {Scene} scene @param {import("./frame.js").Plot} plot @returns {import("./chart.js").Chart} */
function emptyChart({ width, height, theme }, plot) {
	const axis = makeAxis({ domain: [0, 1], range: [0, 1], isLog: false, room: 2, format: () => "", label: "" });
	const frame = makeFrame({ width, height, plot, theme, x: axis, y: axis });

	return {
		svg: frame.svg,
		plot,
		x: null,
		full: [0, 1],
		legend: [],
		stops: [],
		probe: () => null,
		table: () => ({ head: [], rows: [] }),
		note: "Nothing to draw: no run that is chosen has a map of accesses (memtrace analyze pattern).",
	};
}

/** The middles of all columns that are seen. @param {Area[]} areas @param {import("./scales.js").Axis} x @param {number} width */
function stopsOf(areas, x, width) {
	const stops = areas.flatMap(({ columns }) => columns.map(({ from, to }) => x.place((from + to) / 2)));

	return [...new Set(stops)].filter((px) => px >= 0 && px <= width).sort((a, b) => a - b);
}

/** @param {MapRow[]} rows @param {import("./scales.js").Axis} y */
function addressMarks(rows, y) {
	const [low, high] = y.domain;
	let last = Infinity;

	return rows.flatMap(({ address, from, to }) => {
		const at = Math.max(from, low);
		if (to <= low || from >= high || last - y.place(at) < 36) return [];
		last = y.place(at);
		return [{ at, text: address, isMinor: false }];
	});
}

/** @param {AccessMap} map @param {import("../model/access_map.js").Hottest} hot */
function hottestWords(map, { grid, columns, rows }) {
	const samples = samplesIn(grid, columns, rows),
		seconds = columns.to - columns.from;
	const { region, address } = grid.rows[rows.first];

	return (
		`Hottest range (framed; most accesses per byte and second, by the lower end of the 95 % interval): ` +
		`${formatBytes(rows.to - rows.from)} touched from ${address} in ${region}, ` +
		`${Number(columns.from.toPrecision(4))} to ${Number(columns.to.toPrecision(4))} s: ` +
		`${formatNumber((samples * weightOf(map)) / seconds)} ${unitOf(map)} (${surely(samples, map, seconds)}), ` +
		`${formatCount(samples)} samples.`
	);
}

/**
 * @param {AccessMap} map
 * @param {Area[]} areas
 * @param {number} s
 * @param {number} at touched bytes
 * @param {number} px
 * @returns {import("./chart.js").Reading | null}
 */
function probe(map, areas, s, at, px) {
	const within = (/** @type {number} */ value) => (/** @type {Block} */ { from, to }) => value >= from && value < to;
	const area = areas.find(({ columns, rows }) => columns.some(within(s)) && rows.some(within(at))),
		column = area?.columns.find(within(s)),
		row = area?.rows.find(within(at));
	const line = (/** @type {string} */ label, /** @type {string} */ value) => ({ color: "", dash: "", label, value });

	if (!area || !column || !row) return null;
	const { grid } = area,
		samples = samplesIn(grid, column, row),
		seconds = column.to - column.from;
	const regions = new Set(grid.rows.slice(row.first, row.end).map(({ region }) => region));
	const rate = (samples * weightOf(map)) / seconds;
	return {
		x: px,
		title:
			`${Number(column.from.toPrecision(6))} to ${Number(column.to.toPrecision(6))} s, ` +
			`from ${grid.rows[row.first].address}`,
		dots: [],
		rows: [
			line(regionOf(grid, column, row), regions.size > 1 ? `and ${regions.size - 1} more` : ""),
			line("touched bytes", formatBytes(row.to - row.from)),
			line(unitOf(map), formatNumber(rate)),
			line("95 % interval", surely(samples, map, seconds)),
			line(`/s per ${formatBytes(map.bucketBytes)}`, formatNumber((rate * map.bucketBytes) / (row.to - row.from))),
			line("samples", `${formatCount(samples)}${samples < FEW && !isExact(map) ? ": too few to be sure" : ""}`),
		],
	};
}

/** @param {AccessMap} map @param {Cell[]} cells @returns {import("./chart.js").Table} */
function tableOf(map, cells) {
	const name = unitOf(map) === "samples/s" ? "samples_per_second" : "accesses_per_second";

	return {
		head: ["begin_s", "end_s", "address", "region", "touched_bytes", "samples", name, `${name}_low`, `${name}_high`],
		rows: cells.map(({ grid, column, row, samples, rate }) => {
			const ends = isExact(map) ? [samples, samples] : poisson95(samples);
			return [
				column.from,
				column.to,
				grid.rows[row.first].address,
				regionOf(grid, column, row),
				row.to - row.from,
				samples,
				rate,
				...ends.map((value) => (value * weightOf(map)) / (column.to - column.from)),
			];
		}),
	};
}
