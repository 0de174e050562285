// SPDX-License-Identifier: GPL-3.0-or-later
// Where the time went: the sum of all latencies, by how long an access took. With the paper's limits these are hits,
// soft faults, and hard faults on a fast, a slow and a very slow path.
import { upperEdge } from "../model/histogram.js";
import { formatSeconds } from "../read/quantity.js";
import { formatNs, formatShare } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { makeAxis, markNumber, markShare } from "./scales.js";
import { svg, textWidth } from "./svg.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("../model/lines.js").Line} Line */

/** ns; from the original's viewer. */
export const THRESHOLDS = [500, 3000, 50_000, 500_000];
const BAR = 22,
	GAP = 10;

/**
 * @param {number[]} limits
 * @returns {string[]}
 */
function names(limits) {
	return [
		`under ${formatNs(limits[0])}`,
		...limits.slice(1).map((limit, i) => `${formatNs(limits[i])} to ${formatNs(limit)}`),
		`${formatNs(limits[limits.length - 1])} and more`,
	];
}

/**
 * A bucket counts with its middle, cut to the extremes; the whole is then brought to the exact mean, if it is known.
 * @param {import("../model/histogram.js").Histogram} sum
 * @param {number[]} limits
 * @returns {number[]} s in each range
 */
function spent(sum, limits) {
	const parts = new Array(limits.length + 1).fill(0);

	sum.counts.forEach((count, i) => {
		const low = sum.min > sum.lo[i] ? sum.min : sum.lo[i],
			end = upperEdge(sum, i),
			high = sum.max < end ? sum.max : end;
		const middle = (low + high) / 2,
			part = limits.findIndex((limit) => middle < limit);
		parts[part < 0 ? limits.length : part] += (count * middle) / 1e9;
	});
	const total = parts.reduce((a, b) => a + b, 0),
		exact = (sum.mean * Number(sum.total)) / 1e9;
	const scale = exact / total;
	return scale > 0 && Number.isFinite(exact) && Number.isFinite(scale) ? parts.map((part) => part * scale) : parts;
}

/** @param {string} text @param {number} width px */
function cut(text, width) {
	const fit = Math.floor(width / textWidth("x", 11));

	return text.length <= fit ? text : `${text.slice(0, Math.max(1, fit - 1))}…`;
}

/** @param {string} color of the ground */
function inkOn(color) {
	const [red, green, blue] = [1, 3, 5].map((at) => (parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2);

	return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#101214" : "#ffffff";
}

/** @typedef {{ line: Line, parts: number[], total: number }} Bar s */

/** @param {Scene} scene @returns {Bar[]} */
function barsOf({ lines, view }) {
	return lines.map((line) => {
		const divisor = view.rounds === "mean" ? line.runs.length : 1;
		const parts = spent(line.sum, view.thresholds).map((part) => part / divisor);
		return { line, parts, total: parts.reduce((a, b) => a + b, 0) };
	});
}

/** Upper edge of a row. @param {number} row */
function top(row) {
	return GAP + row * (BAR + GAP);
}

/**
 * @param {SVGElement} inside
 * @param {Bar} bar
 * @param {number} row
 * @param {string[]} colors
 * @param {(part: number) => number} across
 */
function drawBar(inside, { parts, total }, row, colors, across) {
	let at = 0;

	parts.forEach((part, i) => {
		const from = across(at),
			to = across((at += part)),
			text = formatShare(part / (total || 1));
		const width = Math.max(0, to - from - 0.5);
		inside.append(svg("rect", { x: from, y: top(row), width, height: BAR, fill: colors[i] }));
		if (to - from > textWidth(text) + 8) {
			const place = { x: (from + to) / 2, y: top(row) + BAR / 2 + 4, "text-anchor": "middle" };
			inside.append(svg("text", { ...place, fill: inkOn(colors[i]) }, text));
		}
	});
}

/**
 * @param {Scene} scene
 * @param {Bar[]} bars
 * @param {import("./frame.js").Plot} plot
 */
function axisOf({ view }, bars, plot) {
	const most = view.toHundred ? 1 : Math.max(1e-9, ...bars.map(({ total }) => total)) * 1.02;

	return makeAxis({
		domain: [0, most],
		range: [0, plot.width],
		isLog: false,
		room: plot.width / 70,
		format: view.toHundred ? markShare : (s) => `${markNumber(s)} s`,
		label: view.toHundred
			? "share of the time spent in accesses"
			: "time spent in accesses, all threads together",
	});
}

/** Rows have names instead. @type {import("./scales.js").Axis} */
const NO_AXIS = { domain: [0, 1], marks: [], label: "", place: () => 0, value: () => 0 };

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawSpent(scene) {
	const { width, theme, lines, view } = scene;
	const bars = barsOf(scene),
		titles = names(view.thresholds);
	const height = Math.max(150, lines.length * (BAR + GAP) + GAP + 56);
	const room = Math.min(width * 0.38, Math.max(60, ...lines.map(({ label }) => textWidth(label) + 8)));
	const plot = { ...plotOf(width, height, []), x: room + 12, width: Math.max(60, width - room - 12 - 24) };
	const x = axisOf(scene, bars, plot);
	const frame = makeFrame({ width, height, plot, theme, x, y: NO_AXIS });

	bars.forEach((bar, row) => {
		const place = { x: plot.x - 8, y: plot.y + top(row) + BAR / 2 + 4, "text-anchor": "end" };
		frame.svg.append(svg("text", { ...place, fill: theme.text }, cut(bar.line.label, room)));
		drawBar(frame.inside, bar, row, theme.steps, (part) => x.place(part / (view.toHundred ? bar.total || 1 : 1)));
	});
	return {
		svg: frame.svg,
		plot,
		x: null,
		full: x.domain,
		stops: bars.map(() => plot.width / 2),
		stopsY: bars.map((_, row) => top(row) + BAR / 2),
		legend: titles.map((label, i) => ({ color: theme.steps[i], dash: "", label, value: "" })),
		probe: (px, py) => probe(bars, titles, theme.steps, px, py),
		table: () => ({
			head: ["series", ...titles.map((title) => `${title} (s)`), "together (s)"],
			rows: bars.map(({ line, parts, total }) => [line.label, ...parts, total]),
		}),
		note: "Times are counts times the middle of their buckets, brought to the exact mean where the report has one.",
	};
}

/**
 * @param {Bar[]} bars
 * @param {string[]} titles
 * @param {string[]} colors
 * @param {number} px
 * @param {number} py
 */
function probe(bars, titles, colors, px, py) {
	const bar = bars[Math.floor((py - GAP / 2) / (BAR + GAP))];

	if (!bar) return null;
	return {
		x: px,
		title: `${bar.line.label}: ${formatSeconds(bar.total)}`,
		dots: [],
		rows: titles.map((label, i) => ({
			color: colors[i],
			dash: "",
			label,
			value: `${formatSeconds(bar.parts[i])} (${formatShare(bar.parts[i] / bar.total)})`,
		})),
	};
}
