// SPDX-License-Identifier: GPL-3.0-or-later
// Share of accesses up to a latency; on a logarithmic y axis the share of slower ones, where the tail is seen.
import { line as path } from "d3-shape";
import { shareBelow } from "../model/histogram.js";
import { bars } from "../model/smooth.js";
import { drawBand, evenStops, legendOf, lineStyle, stroke } from "./chart.js";
import { formatNs, formatShare } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { latencyDomain } from "./histogram.js";
import { makeAxis, markNs, markShare } from "./scales.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("../model/lines.js").Line} Line */
/** @typedef {(histogram: import("../model/histogram.js").Histogram, ns: number) => number} Share */

const POINTS = 500;

/**
 * @param {[number, number]} domain
 * @param {boolean} isLog
 */
function latencies([low, high], isLog) {
	return Array.from({ length: POINTS + 1 }, (_, i) =>
		isLog ? low * (high / low) ** (i / POINTS) : low + ((high - low) * i) / POINTS,
	);
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

/** @param {Scene} scene */
function domainsOf({ lines, view }) {
	const drawn = lines.map((line) => ({ line, sum: line.sum, bars: bars(line.sum), values: [], low: [], high: [] }));
	const { full, usual } = latencyDomain(drawn, view.xLog);
	const least = Math.min(0.1, ...lines.map(({ sum }) => 0.5 / Number(sum.total)));

	return { full, domain: view.zoom ?? usual, least };
}

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawCdf(scene) {
	const { width, height, theme, lines, view } = scene;
	const { full, domain, least } = domainsOf(scene);
	/** @type {Share} */
	const share = (histogram, ns) => (view.yLog ? 1 - shareBelow(histogram, ns) : shareBelow(histogram, ns));
	const plot = plotOf(width, height, ["99.99 %", view.yLog ? markShare(10 ** Math.floor(Math.log10(least))) : ""]);
	const label = "latency of an access";
	const x = makeAxis({
		domain,
		range: [0, plot.width],
		isLog: view.xLog,
		room: plot.width / 70,
		format: markNs,
		label,
	});
	const y = makeAxis({
		domain: view.yLog ? [least, 1] : [0, 1],
		range: [plot.height, 0],
		isLog: view.yLog,
		room: plot.height / 45,
		format: markShare,
		label: view.yLog ? "share of accesses that take longer" : "share of accesses up to this latency",
	});
	const frame = makeFrame({ width, height, plot, theme, x, y });
	const up = (/** @type {number} */ value) => y.place(Math.max(value, view.yLog ? least / 10 : 0));
	const grid = latencies(domain, view.xLog);

	for (const line of lines) {
		const style = lineStyle(theme, line);
		if (view.band && line.runs.length > 1)
			frame.inside.append(
				drawBand(grid, (ns) => line.runs.map((run) => share(run, ns)), x.place, up, style.color, line.key),
			);
		const points = placesOf(line, grid).map(
			(ns) => /** @type {[number, number]} */ ([x.place(ns), up(share(line.sum, ns))]),
		);
		frame.inside.append(stroke(path()(points) ?? "", style, line.key));
	}
	return {
		svg: frame.svg,
		plot,
		x,
		full,
		stops: evenStops(plot.width),
		legend: legendOf(scene),
		probe: (px) => probe(scene, share, x.value(px), px, up),
		table: () => tableOf(scene, share),
		note: domain[1] < full[1] && !view.zoom ? "The axis ends at the 99.9 % latency; zoom out for the rest." : "",
	};
}

/**
 * @param {Scene} scene
 * @param {Share} share
 * @param {number} ns
 * @param {number} px
 * @param {(share: number) => number} up
 */
function probe({ theme, lines, view }, share, ns, px, up) {
	const shares = lines.map((line) => ({ line, ...lineStyle(theme, line), value: share(line.sum, ns) }));

	return {
		x: px,
		title: formatNs(ns, 4),
		rows: shares.map(({ line, color, dash, value }) => ({
			color,
			dash,
			label: line.label,
			value: `${formatShare(value)} ${view.yLog ? "slower" : "faster"}`,
		})),
		dots: shares.map(({ color, value }) => ({ x: px, y: up(value), color })),
	};
}

/**
 * At the edges of all buckets.
 * @param {Scene} scene
 * @param {Share} share
 * @returns {import("./chart.js").Table}
 */
function tableOf({ lines, view }, share) {
	const edges = new Set(lines.flatMap(({ sum }) => [...sum.lo, ...sum.hi.filter(Number.isFinite)]));

	return {
		head: ["latency_ns", ...lines.map(({ label }) => `${label} (share ${view.yLog ? "slower" : "faster"})`)],
		rows: [...edges].sort((a, b) => a - b).map((ns) => [ns, ...lines.map(({ sum }) => share(sum, ns))]),
	};
}
