// SPDX-License-Identifier: GPL-3.0-or-later
// Latency by percentile; the logarithmic x axis counts nines.
import { line as path } from "d3-shape";
import { boundedPercentile, openBelow } from "../model/histogram.js";
import { domainOf, drawBand, evenStops, legendOf, lineStyle, stroke } from "./chart.js";
import { formatNs, formatShare } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { makeAxis, makeNinesAxis, markNs, markShare } from "./scales.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {[number, number]} Range */

const POINTS = 400;
const TABLE = [0, 1, 5, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 99.9999, 100];

/**
 * Shares at which the lines are drawn: evenly on the axis.
 * @param {Range} domain
 * @param {boolean} isLog
 * @param {number} most samples of a line
 */
function gridOf(domain, isLog, most) {
	const nines = domain.map((share) => -Math.log10(Math.max(1 - share, 0.1 / most)));

	return Array.from({ length: POINTS + 1 }, (_, i) =>
		isLog
			? 1 - 10 ** -(nines[0] + ((nines[1] - nines[0]) * i) / POINTS)
			: domain[0] + ((domain[1] - domain[0]) * i) / POINTS,
	);
}

/**
 * @param {Scene} scene
 * @param {number[]} grid
 * @returns {Range} of the latencies that are seen
 */
function rangeOf({ lines, view }, grid) {
	const seen = lines.flatMap(({ sum, runs }) =>
		[sum, ...(view.band ? runs : [])].flatMap((one) => grid.map((share) => boundedPercentile(one, share * 100).value)),
	);
	const [low, high] = domainOf(seen, view.yLog);

	return view.yLog ? [low / 1.2, high * 1.2] : [low, high * 1.04];
}

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawPercentiles(scene) {
	const { width, height, theme, lines, view } = scene;
	const most = Math.max(10, ...lines.map(({ sum }) => Number(sum.total)));
	/** @type {Range} */
	const full = [0, view.xLog ? 1 - 1 / most : 1];
	const domain = view.zoom ?? full;
	const grid = gridOf(domain, view.xLog, most);
	const range = rangeOf(scene, grid);
	const plot = plotOf(width, height, [markNs(range[1]), "500 µs"]);
	const label = "share of accesses that take no longer";
	/** @type {Range} */
	const across = [0, plot.width];
	const x = view.xLog
		? makeNinesAxis({ domain, range: across, label })
		: makeAxis({ domain, range: across, isLog: false, room: plot.width / 70, format: markShare, label });
	const y = makeAxis({
		domain: range,
		range: [plot.height, 0],
		isLog: view.yLog,
		room: plot.height / 45,
		format: markNs,
		label: "latency of an access",
	});
	const frame = makeFrame({ width, height, plot, theme, x, y });
	const at = (/** @type {number} */ share) => x.place(Math.min(share, full[1]));

	for (const line of lines) {
		const style = lineStyle(theme, line);
		if (view.band && line.runs.length > 1) {
			const values = (/** @type {number} */ share) => line.runs.map((run) => boundedPercentile(run, share * 100).value);
			frame.inside.append(drawBand(grid, values, at, y.place, style.color, line.key));
		}
		const points = grid.map(
			(share) => /** @type {Range} */ ([at(share), y.place(boundedPercentile(line.sum, share * 100).value)]),
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
		note: lines.some(({ sum }) => openBelow(sum))
			? "Latencies in the open first bucket are drawn at its end: no more is known than that they are below."
			: "",
		probe: (px) => probe(scene, x.value(px), px, y.place),
		table: () => ({
			head: ["percent", ...lines.map(({ label: name }) => `${name} (ns)`)],
			rows: TABLE.map((percent) => [percent, ...lines.map(({ sum }) => {
				const one = boundedPercentile(sum, percent);
				return one.isBelow ? `<${one.value}` : one.value;
			})]),
		}),
	};
}

/**
 * @param {Scene} scene
 * @param {number} place on the axis, which may end beyond 100 %
 * @param {number} px
 * @param {(ns: number) => number} up
 */
function probe({ theme, lines }, place, px, up) {
	const share = Math.min(Math.max(place, 0), 1);
	const found = lines.map((line) => ({ line, ...lineStyle(theme, line), ...boundedPercentile(line.sum, share * 100) }));

	return {
		x: px,
		title: `${formatShare(share)} of accesses`,
		rows: found.map(({ line, color, dash, value, isBelow }) => ({
			color,
			dash,
			label: line.label,
			value: `${isBelow ? "below" : "up to"} ${formatNs(value, 4)}`,
		})),
		dots: found.map(({ color, value }) => ({ x: px, y: up(value), color })),
	};
}
