// SPDX-License-Identifier: GPL-3.0-or-later
// Share of accesses up to a latency; on a logarithmic y axis the share of slower ones, where the tail is seen.
import { area, line as path } from "d3-shape";
import { shareBelow } from "../model/histogram.js";
import { bars } from "../model/smooth.js";
import { evenStops, legendOf, lineStyle, shade, stroke } from "./chart.js";
import { formatNs, formatShare } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { latencyDomain } from "./histogram.js";
import { makeAxis, markNs, markShare } from "./scales.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("../model/lines.js").Line} Line */

const POINTS = 500;

/**
 * @param {[number, number]} domain
 * @param {boolean} isLog
 */
function latencies([low, high], isLog) {
	return Array.from({ length: POINTS + 1 }, (_, i) =>
		isLog ? low * (high / low) ** (i / POINTS) : low + (high - low) * i / POINTS);
}

/**
 * Where a line bends on top of the even grid: the edges of its buckets, if they are not too many.
 * @param {Line} line
 * @param {number[]} grid
 */
function placesOf(line, grid) {
	const inside = line.sum.lo.filter((lo) => lo > grid[0] && lo < grid[POINTS]);

	return inside.length > POINTS ? grid : [...grid, ...inside].sort((a, b) => a - b);
}

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawCdf(scene) {
	const { width, height, theme, lines, view } = scene;
	const share = (/** @type {import("../model/histogram.js").Histogram} */ histogram, /** @type {number} */ ns) =>
		view.yLog ? 1 - shareBelow(histogram, ns) : shareBelow(histogram, ns);
	const { full, usual } = latencyDomain(lines.map((line) => (
		{ line, sum: line.sum, bars: bars(line.sum), values: [], low: [], high: [] })), view.xLog);
	const domain = view.zoom ?? usual;
	const least = Math.min(0.1, ...lines.map(({ sum }) => 0.5 / Number(sum.total)));
	/** @type {[number, number]} */
	const range = view.yLog ? [least, 1] : [0, 1];
	const plot = plotOf(width, height, ["99.99 %", view.yLog ? markShare(10 ** Math.floor(Math.log10(least))) : ""]);
	const x = makeAxis({ domain, range: [0, plot.width], isLog: view.xLog, room: plot.width / 70, format: markNs, label: "latency of an access" });
	const y = makeAxis({
		domain: range, range: [plot.height, 0], isLog: view.yLog, room: plot.height / 45, format: markShare,
		label: view.yLog ? "share of accesses that take longer" : "share of accesses up to this latency",
	});
	const frame = makeFrame({ width, height, plot, theme, x, y });
	const grid = latencies(domain, view.xLog);
	const up = (/** @type {number} */ value) => y.place(Math.max(value, view.yLog ? least / 10 : 0));

	for (const line of lines) {
		const style = lineStyle(theme, line);
		if (view.band && line.runs.length > 1) {
			const edges = grid.map((ns) => {
				const shares = line.runs.map((run) => share(run, ns));
				return /** @type {[number, number, number]} */ ([x.place(ns), up(Math.min(...shares)), up(Math.max(...shares))]);
			});
			const d = area().x((p) => p[0]).y0((p) => p[1]).y1((p) => /** @type {any} */ (p)[2])(/** @type {any} */ (edges));
			frame.inside.append(shade(d ?? "", style.color, line.key));
		}
		const points = placesOf(line, grid).map((ns) => /** @type {[number, number]} */ ([x.place(ns), up(share(line.sum, ns))]));
		frame.inside.append(stroke(path()(points) ?? "", style, line.key));
	}
	return {
		svg: frame.svg, plot, x, full, stops: evenStops(plot.width), legend: legendOf(scene),
		probe(px) {
			const ns = x.value(px);
			const rows = lines.map((line) => ({
				...lineStyle(theme, line), label: line.label,
				value: `${formatShare(share(line.sum, ns))} ${view.yLog ? "slower" : "faster"}`,
			}));
			const dots = lines.map((line) => ({ x: px, y: up(share(line.sum, ns)), color: lineStyle(theme, line).color }));
			return { x: px, title: formatNs(ns, 4), rows, dots };
		},
		table() {
			const edges = [...new Set(lines.flatMap(({ sum }) => [...sum.lo, ...sum.hi.filter(Number.isFinite)]))].sort((a, b) => a - b);
			return {
				head: ["latency_ns", ...lines.map(({ label }) => `${label} (share ${view.yLog ? "slower" : "faster"})`)],
				rows: edges.map((ns) => [ns, ...lines.map(({ sum }) => share(sum, ns))]),
			};
		},
		note: domain[1] < full[1] && !view.zoom ? "The axis ends at the 99.9 % latency; zoom out for the rest." : "",
	};
}
