// SPDX-License-Identifier: GPL-3.0-or-later
// Latency by percentile; the logarithmic x axis counts nines.
import { area, line as path } from "d3-shape";
import { percentile } from "../model/histogram.js";
import { domainOf, evenStops, legendOf, lineStyle, shade, stroke } from "./chart.js";
import { formatNs, formatShare } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { makeAxis, makeNinesAxis, markNs, markShare } from "./scales.js";

/** @typedef {import("./chart.js").Scene} Scene */

const POINTS = 400;
const TABLE = [0, 1, 5, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 99.9999, 100];

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawPercentiles(scene) {
	const { width, height, theme, lines, view } = scene;
	const most = Math.max(10, ...lines.map(({ sum }) => Number(sum.total)));
	/** @type {[number, number]} */
	const full = [0, view.xLog ? 1 - 1 / most : 1], domain = view.zoom ?? full;
	const nines = domain.map((share) => -Math.log10(Math.max(1 - share, 0.1 / most)));
	const grid = Array.from({ length: POINTS + 1 }, (_, i) => view.xLog ?
		1 - 10 ** -(nines[0] + (nines[1] - nines[0]) * i / POINTS) : domain[0] + (domain[1] - domain[0]) * i / POINTS);
	const values = lines.map(({ sum }) => grid.map((share) => percentile(sum, share * 100)));
	const bands = lines.map(({ runs }) => view.band && runs.length > 1 ? grid.map((share) => {
		const all = runs.map((run) => percentile(run, share * 100));
		return [Math.min(...all), Math.max(...all)];
	}) : []);
	const range = domainOf([...values.flat(), ...bands.flat(2)], view.yLog);
	/** @type {[number, number]} */
	const roomy = view.yLog ? [range[0] / 1.2, range[1] * 1.2] : [range[0], range[1] * 1.04];
	const plot = plotOf(width, height, [markNs(range[1]), "500 µs"]);
	/** @type {[number, number]} */
	const xRange = [0, plot.width];
	const label = "share of accesses that take no longer";
	const x = view.xLog ? makeNinesAxis({ domain, range: xRange, label }) :
		makeAxis({ domain, range: xRange, isLog: false, room: plot.width / 70, format: markShare, label });
	const y = makeAxis({ domain: roomy, range: [plot.height, 0], isLog: view.yLog, room: plot.height / 45, format: markNs, label: "latency of an access" });
	const frame = makeFrame({ width, height, plot, theme, x, y });
	const at = (/** @type {number} */ share) => x.place(Math.min(share, full[1]));

	lines.forEach((line, n) => {
		const style = lineStyle(theme, line);
		if (bands[n].length) {
			const edges = bands[n].map(([low, high], i) => [at(grid[i]), y.place(low), y.place(high)]);
			const d = area().x((p) => p[0]).y0((p) => p[1]).y1((p) => /** @type {any} */ (p)[2])(/** @type {any} */ (edges));
			frame.inside.append(shade(d ?? "", style.color, line.key));
		}
		const points = values[n].map((value, i) => /** @type {[number, number]} */ ([at(grid[i]), y.place(value)]));
		frame.inside.append(stroke(path()(points) ?? "", style, line.key));
	});
	return {
		svg: frame.svg, plot, x, full, stops: evenStops(plot.width), legend: legendOf(scene), note: "",
		probe(px) {
			const share = Math.min(Math.max(x.value(px), 0), 1);
			const found = lines.map((line) => percentile(line.sum, share * 100));
			return {
				x: px, title: `${formatShare(share)} of accesses`,
				rows: lines.map((line, n) => ({ ...lineStyle(theme, line), label: line.label, value: `up to ${formatNs(found[n], 4)}` })),
				dots: lines.map((line, n) => ({ x: px, y: y.place(found[n]), color: lineStyle(theme, line).color })),
			};
		},
		table: () => ({
			head: ["percent", ...lines.map(({ label: name }) => `${name} (ns)`)],
			rows: TABLE.map((percent) => [percent, ...lines.map(({ sum }) => percentile(sum, percent))]),
		}),
	};
}
