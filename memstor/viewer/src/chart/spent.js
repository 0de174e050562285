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
const BAR = 22, GAP = 10;

/**
 * @param {number[]} limits
 * @returns {string[]}
 */
function names(limits) {
	return [`under ${formatNs(limits[0])}`, ...limits.slice(1).map((limit, i) => `${formatNs(limits[i])} to ${formatNs(limit)}`),
		`${formatNs(limits[limits.length - 1])} and more`];
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
		const low = sum.min > sum.lo[i] ? sum.min : sum.lo[i], end = upperEdge(sum, i), high = sum.max < end ? sum.max : end;
		const middle = (low + high) / 2, part = limits.findIndex((limit) => middle < limit);
		parts[part < 0 ? limits.length : part] += count * middle / 1e9;
	});
	const total = parts.reduce((a, b) => a + b, 0), exact = sum.mean * Number(sum.total) / 1e9;
	return exact > 0 && total > 0 ? parts.map((part) => part * exact / total) : parts;
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

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawSpent(scene) {
	const { width, theme, lines, view } = scene;
	const divisor = (/** @type {Line} */ line) => view.rounds === "mean" ? line.runs.length : 1;
	const all = lines.map((line) => spent(line.sum, view.thresholds).map((part) => part / divisor(line)));
	const totals = all.map((parts) => parts.reduce((a, b) => a + b, 0));
	const height = Math.max(150, lines.length * (BAR + GAP) + GAP + 56);
	const room = Math.min(width * 0.38, Math.max(60, ...lines.map(({ label }) => textWidth(label) + 8)));
	const base = plotOf(width, height, []);
	const plot = { ...base, x: room + 12, width: Math.max(60, width - room - 12 - 24) };
	const most = view.toHundred ? 1 : Math.max(1e-9, ...totals) * 1.02;
	const x = makeAxis({
		domain: [0, most], range: [0, plot.width], isLog: false, room: plot.width / 70, format: view.toHundred ? markShare : (s) => `${markNumber(s)} s`,
		label: view.toHundred ? "share of the time spent in accesses" : "time spent in accesses, all threads together",
	});
	const y = { domain: /** @type {[number, number]} */ ([0, 1]), marks: [], label: "", place: () => 0, value: () => 0 };
	const frame = makeFrame({ width, height, plot, theme, x, y });
	const titles = names(view.thresholds);
	const top = (/** @type {number} */ row) => GAP + row * (BAR + GAP);

	lines.forEach((line, row) => {
		let at = 0;
		frame.svg.append(svg("text", { x: plot.x - 8, y: plot.y + top(row) + BAR / 2 + 4, "text-anchor": "end", fill: theme.text }, cut(line.label, room)));
		all[row].forEach((part, i) => {
			const share = part / (view.toHundred ? totals[row] || 1 : 1), from = x.place(at), to = x.place(at + share);
			at += share;
			const text = formatShare(part / (totals[row] || 1));
			frame.inside.append(svg("rect", { x: from, y: top(row), width: Math.max(0, to - from - 0.5), height: BAR, fill: theme.steps[i] }));
			if (to - from > textWidth(text) + 8)
				frame.inside.append(svg("text", { x: (from + to) / 2, y: top(row) + BAR / 2 + 4, "text-anchor": "middle", fill: inkOn(theme.steps[i]) }, text));
		});
	});
	return {
		svg: frame.svg, plot, x: null, full: [0, most],
		stops: [], legend: titles.map((label, i) => ({ color: theme.steps[i], dash: "", label, value: "" })),
		probe(px, py) {
			const row = Math.floor((py - GAP / 2) / (BAR + GAP));
			if (row < 0 || row >= lines.length)
				return null;
			return {
				x: px, title: `${lines[row].label}: ${formatSeconds(totals[row])}`, dots: [],
				rows: titles.map((label, i) => ({ color: theme.steps[i], dash: "", label, value: `${formatSeconds(all[row][i])} (${formatShare(all[row][i] / totals[row])})` })),
			};
		},
		table: () => ({
			head: ["", ...titles.map((title) => `${title} (s)`), "together (s)"],
			rows: lines.map((line, row) => [line.label, ...all[row], totals[row]]),
		}),
		note: "Times are counts times the middle of their buckets, brought to the exact mean where the report has one.",
	};
}
