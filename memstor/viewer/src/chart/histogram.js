// SPDX-License-Identifier: GPL-3.0-or-later
import { area, curveStepAfter, line as path } from "d3-shape";
import { middleOf, percentile, rebin, shareBelow } from "../model/histogram.js";
import { layoutOf } from "../model/layouts.js";
import { drawable, lowEdge, perStep, smoothTail, steppedBars } from "../model/smooth.js";
import { domainOf, legendOf, lineStyle, shade, stroke } from "./chart.js";
import { formatCount, formatNs, formatNumber, formatShare } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { makeAxis, markNs, markNumber, markShare } from "./scales.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("./chart.js").View} View */
/** @typedef {import("../model/lines.js").Line} Line */
/** @typedef {import("../model/histogram.js").Histogram} Histogram */
/** @typedef {import("../model/smooth.js").Bar} Bar */
/**
 * @typedef {{ line: Line, sum: Histogram, isStepped: boolean, bars: Bar[], values: number[], low: number[], high: number[] }} Drawn
 */

const MEASURES = {
	share: { label: "share of accesses per 1/16 power of two", mark: markShare, text: formatShare },
	count: { label: "accesses per bucket", mark: markNumber, text: formatCount },
	density: {
		label: "share of accesses per µs",
		mark: markShare,
		text: (/** @type {number} */ v) => `${formatShare(v)}/µs`,
	},
};

/**
 * A share is set to equal steps of the logarithmic axis, so that wide and narrow buckets, and layouts, compare.
 * @param {Bar} bar
 * @param {number} count inside the bar
 * @param {Histogram} sum that it is of
 * @param {number} total
 * @param {View["measure"]} measure
 */
function measured(bar, count, sum, total, measure) {
	switch (measure) {
		case "count":
			return count / bar.parts;
		case "share":
			return (count / total) * perStep(sum, bar);
		default:
			return (count / total / (bar.hi - bar.lo)) * 1000;
	}
}

/**
 * The samples of a run in each bar: a bucket is in the one that its middle is in.
 * @param {Histogram} run
 * @param {Bar[]} list
 */
function countsIn(run, list) {
	let i = 0;

	return list.map(({ hi }) => {
		let count = 0;
		for (; i < run.lo.length && middleOf(run, i) < hi; i++) count += run.counts[i];
		return count;
	});
}

const RECORDED = "recorded";

/** Layouts that differ are drawn in the coarser one: counts per bucket compare with no other. @param {Scene} scene */
function detailOf({ lines, view }) {
	const names = new Set(lines.flatMap(({ runs }) => runs.map(({ layout }) => layoutOf(layout)?.name ?? layout)));

	return (view.detail !== RECORDED && view.detail) || (names.size > 1 && view.measure === "count" ? "log16" : view.detail);
}

/**
 * @param {Line} line
 * @param {View} view
 * @param {string} detail
 * @returns {Drawn}
 */
function prepare(line, view, detail) {
	const isJoined = detail !== "" && detail !== RECORDED;
	const sum = isJoined ? rebin(line.sum, detail) : line.sum;
	const runs = line.runs.map((run) => rebin(run, sum.layout));
	const stepped = steppedBars(detail === "" ? drawable(sum) : sum, detail !== "");
	const list = smoothTail(stepped, view.smooth);
	const divisor = view.measure === "count" && view.rounds === "mean" ? runs.length : 1;
	const factor = view.measure === "count" && view.rounds === "sum" ? runs.length : 1;
	const each =
		view.band && runs.length > 1
			? runs.map((run) =>
					countsIn(run, list).map((count, i) =>
						measured(list[i], count * factor, sum, Number(run.total), view.measure),
					),
				)
			: [];

	return {
		line,
		sum,
		isStepped: stepped.some(({ count, parts }) => count > 0 && parts > 1),
		bars: list,
		values: list.map((bar) => measured(bar, bar.count, sum, Number(sum.total), view.measure) / divisor),
		low: each.length ? list.map((_, i) => Math.min(...each.map((values) => values[i]))) : [],
		high: each.length ? list.map((_, i) => Math.max(...each.map((values) => values[i]))) : [],
	};
}

/**
 * @param {Pick<Drawn, "bars" | "sum">[]} drawn
 * @param {boolean} isLog
 * @returns {{ full: [number, number], usual: [number, number] }}
 */
export function latencyDomain(drawn, isLog) {
	const edges = drawn.flatMap((one) =>
		one.bars.length ? [lowEdge(one.sum, one.bars[0]), one.bars[one.bars.length - 1].hi] : [],
	);
	const full = domainOf(edges, isLog);
	const usual = Math.max(...drawn.map(({ sum }) => percentile(sum, 99.9)), 1);

	return { full, usual: isLog ? full : [0, Math.min(full[1], usual * 1.05)] };
}

/**
 * @param {Drawn[]} drawn
 * @param {[number, number]} x
 * @param {boolean} isLog
 * @returns {[number, number]}
 */
function valueDomain(drawn, x, isLog) {
	const seen = drawn.flatMap((one) =>
		one.bars.flatMap((bar, i) =>
			bar.hi > x[0] && bar.lo < x[1]
				? [one.values[i], one.high[i] ?? one.values[i], one.low[i] ?? one.values[i]]
				: [],
		),
	);
	const [low, high] = domainOf(seen, isLog);

	return isLog ? [low / 1.6, high * 1.6] : [low, high * 1.05];
}

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawHistogram(scene) {
	const { width, height, theme, lines, view } = scene;
	const measure = MEASURES[view.measure],
		detail = detailOf(scene);
	const drawn = lines.map((line) => prepare(line, view, detail));
	const { full, usual } = latencyDomain(drawn, view.xLog);
	const domain = view.zoom ?? usual,
		range = valueDomain(drawn, domain, view.yLog);
	const marks = makeAxis({
		domain: range,
		range: [0, 1],
		isLog: view.yLog,
		room: 8,
		format: measure.mark,
		label: "",
	}).marks;
	const plot = plotOf(
		width,
		height,
		marks.map(({ text }) => text),
	);
	const x = makeAxis({
		domain,
		range: [0, plot.width],
		isLog: view.xLog,
		room: plot.width / 70,
		format: markNs,
		label: "latency of an access",
	});
	const y = makeAxis({
		domain: range,
		range: [plot.height, 0],
		isLog: view.yLog,
		room: plot.height / 45,
		format: measure.mark,
		label: measure.label + (view.smooth ? ", smoothed" : ""),
	});
	const frame = makeFrame({ width, height, plot, theme, x, y });
	const at = (/** @type {Drawn} */ one, /** @type {Bar} */ bar) =>
		x.place(view.xLog ? lowEdge(one.sum, bar) : bar.lo);
	const up = (/** @type {number} */ value) => (value > 0 || !view.yLog ? y.place(value) : plot.height + 2);

	for (const one of drawn) drawOne(one, frame.inside, lineStyle(theme, one.line), at, up, plot.height, x.place);
	return {
		svg: frame.svg,
		plot,
		x,
		full,
		stops: stopsOf(drawn, x, plot.width),
		probe: (px) => probe(drawn, scene, x.value(px), px, up),
		table: () => tableOf(drawn, view),
		legend: legendOf(scene),
		note: noteOf(scene, detail, domain[1] < full[1] && !view.zoom, coarsestStep(drawn)),
	};
}

/**
 * @param {Drawn} one
 * @param {SVGElement} inside
 * @param {{ color: string, dash: string }} style
 * @param {(one: Drawn, bar: Bar) => number} at
 * @param {(value: number) => number} up
 * @param {number} floor
 * @param {(ns: number) => number} place
 */
function drawOne(one, inside, style, at, up, floor, place) {
	const { bars: list, values, low, high, line } = one;
	const end = list.length ? place(list[list.length - 1].hi) : 0;
	/** @type {[number, number][]} */
	const points = list.map((bar, i) => [at(one, bar), up(values[i])]);
	const band = list.map((bar, i) => [at(one, bar), up(low[i]), up(high[i])]);

	if (list.length === 0) return;
	if (low.length) {
		band.push([end, band[band.length - 1][1], band[band.length - 1][2]]);
		const d = area()
			.x((p) => p[0])
			.y0((p) => p[1])
			.y1((p) => /** @type {number[]} */ (p)[2])
			.curve(curveStepAfter)(/** @type {any} */ (band));
		inside.append(shade(d ?? "", style.color, line.key));
	}
	points.unshift([points[0][0], floor + 2]);
	points.push([end, floor + 2]);
	inside.append(stroke(path().curve(curveStepAfter)(points) ?? "", style, line.key));
}

/**
 * The middle of every bar that is seen, at least a pixel apart.
 * @param {Drawn[]} drawn
 * @param {import("./scales.js").Axis} x
 * @param {number} width
 */
function stopsOf(drawn, x, width) {
	const all = drawn
		.flatMap((one) => one.bars.map((bar) => (x.place(Math.max(bar.lo, x.domain[0])) + x.place(bar.hi)) / 2))
		.filter((px) => px >= 0 && px <= width);

	return [...new Set(all.map(Math.round))].sort((a, b) => a - b);
}

/**
 * @param {Drawn[]} drawn
 * @param {Scene} scene
 * @param {number} ns
 * @param {number} px
 * @param {(value: number) => number} up
 */
function probe(drawn, { theme, view }, ns, px, up) {
	let narrowest = { lo: 0, hi: Infinity };
	const dots = [],
		rows = [];

	for (const { line, sum, bars: list, values, low, high } of drawn) {
		const i = list.findIndex((bar) => ns >= bar.lo && ns < bar.hi),
			style = lineStyle(theme, line);
		const value = i < 0 ? 0 : values[i];
		const range =
			i >= 0 && low.length
				? `${MEASURES[view.measure].text(low[i])} to ${MEASURES[view.measure].text(high[i])}`
				: "";
		if (i >= 0 && list[i].hi - list[i].lo < narrowest.hi - narrowest.lo) narrowest = list[i];
		if (value > 0) dots.push({ x: px, y: up(value), color: style.color });
		rows.push({
			...style,
			label: line.label,
			value: MEASURES[view.measure].text(value),
			range,
			more: `${formatShare(shareBelow(sum, i < 0 ? ns : list[i].hi))} faster`,
		});
	}
	const title =
		narrowest.hi === Infinity ? formatNs(ns) : `${formatNs(narrowest.lo, 4)} to ${formatNs(narrowest.hi, 4)}`;
	return { x: px, title, rows, dots };
}

/**
 * Buckets of all lines side by side, unsmoothed.
 * @param {Drawn[]} drawn
 * @param {View} view
 * @returns {import("./chart.js").Table}
 */
function tableOf(drawn, view) {
	const edges = drawn.flatMap(({ sum }, line) =>
		sum.lo.map((lo, i) => ({ lo, hi: sum.hi[i], line, count: sum.exact[i] })),
	);
	/** @type {{ lo: number, hi: number, counts: bigint[] }[]} */
	const rows = [];

	edges.sort((a, b) => a.lo - b.lo || b.hi - a.hi);
	for (const { lo, hi, line, count } of edges) {
		let row = rows[rows.length - 1];
		if (row && lo < row.hi) row.hi = Math.max(row.hi, hi);
		else rows.push((row = { lo, hi, counts: drawn.map(() => 0n) }));
		row.counts[line] += count;
	}
	const isMean = (/** @type {Drawn} */ one) => view.rounds === "mean" && one.line.runs.length > 1;
	return {
		head: [
			"lo_ns",
			"hi_ns",
			...drawn.map((one) => `${one.line.label}${isMean(one) ? ` (mean of ${one.line.runs.length})` : ""}`),
		],
		rows: rows.map(({ lo, hi, counts }) => [
			lo,
			hi === Infinity ? "" : hi,
			...counts.map((count, i) => (isMean(drawn[i]) ? Number(count) / drawn[i].line.runs.length : count)),
		]),
	};
}

/** The step of the coarsest clock that is seen in bars. @param {Drawn[]} drawn */
function coarsestStep(drawn) {
	const steps = drawn.filter(({ isStepped }) => isStepped).map(({ sum }) => sum.step);

	return steps.length ? Math.max(...steps) : NaN;
}

/**
 * @param {Scene} scene
 * @param {string} detail
 * @param {boolean} isCut
 * @param {number} step of a clock that is drawn no finer, NaN = none
 */
function noteOf({ view }, detail, isCut, step) {
	const notes = [];

	if (step > 0) notes.push(`The clock's steps are ${formatNs(step, 3)}: finer is not drawn.`);
	if (detail && detail !== view.detail)
		notes.push("The runs were recorded in buckets of different width; all are drawn in the wider ones.");
	if (isCut) notes.push("The axis ends at the 99.9 % latency; zoom out for the rest.");
	if (view.smooth)
		notes.push(
			`Where buckets hold fewer than ${formatNumber(view.smooth)} accesses, neighbours are joined until they ` +
				"hold as many; no count is lost.",
		);
	return notes.join(" ");
}
