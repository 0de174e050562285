// SPDX-License-Identifier: GPL-3.0-or-later
// Time by latency of one run: how much of an interval's accesses took how long, by colour. The picture is painted
// pixel by pixel, since a long run has a million cells, and stands in the drawing as an image.
import { domainOf } from "./chart.js";
import { formatCount, formatNs, formatShare } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { rampColor } from "./palette.js";
import { makeAxis, markNs, markShare } from "./scales.js";
import { svg } from "./svg.js";
import { formatSeconds } from "../read/quantity.js";
import { boundedPercentile, percentile, upperEdge } from "../model/histogram.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("../read/series.js").Interval} Interval */
/** @typedef {import("../model/histogram.js").Histogram} Histogram */
/** @typedef {{ begin: number, end: number, histogram: Histogram }} Column */

/** Shares of an interval's accesses in an eighth of a decade that the ramp goes over. */
const LEAST = 1e-5,
	MOST = 1,
	DECADE_PART = 8;

/** @param {Interval[]} intervals @returns {Column[]} */
function columnsOf(intervals) {
	return intervals.flatMap(({ end, seconds, histogram }) =>
		histogram && histogram.total > 0n ? [{ begin: end - seconds, end, histogram }] : [],
	);
}

/** Reports that a heat map can be made of. @param {import("../model/groups.js").Group[]} groups */
export function heatRuns(groups) {
	return groups.flatMap((group) =>
		group.reports.filter((report) => report.intervals.some(({ histogram }) => histogram !== null)),
	);
}

/**
 * The share by latency, made comparable between narrow and wide buckets.
 * @param {Histogram} histogram
 * @param {number} i
 */
function shareOfPart(histogram, i) {
	const low = Math.max(histogram.lo[i], 1),
		width = Math.log10(upperEdge(histogram, i) / low) * DECADE_PART;

	return histogram.counts[i] / Number(histogram.total) / Math.max(width, 1 / 64);
}

/** @param {Histogram} histogram @param {number} ns */
function bucketAt(histogram, ns) {
	let first = 0,
		last = histogram.lo.length - 1;

	while (first < last) {
		const middle = Math.ceil((first + last) / 2);
		if (histogram.lo[middle] <= ns) first = middle;
		else last = middle - 1;
	}
	return histogram.lo[first] <= ns && ns < upperEdge(histogram, first) ? first : -1;
}

/** @param {number} share */
function heat(share) {
	return Math.log(Math.max(share, LEAST) / LEAST) / Math.log(MOST / LEAST);
}

/**
 * @param {Column[]} columns
 * @param {{ width: number, height: number }} size px
 * @param {(px: number) => number} timeAt
 * @param {(px: number) => number} latencyAt
 * @param {string[]} ramp
 * @returns {string} data: URL of a PNG
 */
function paint(columns, { width, height }, timeAt, latencyAt, ramp) {
	const canvas = document.createElement("canvas");
	const pixels = new ImageData(width, height);
	const rows = Array.from({ length: height }, (_, y) => latencyAt(y + 0.5));
	const colors = Array.from({ length: 256 }, (_, i) => [...rampColor(ramp, i / 255), 255]);
	let column = 0;

	canvas.width = width;
	canvas.height = height;
	for (let x = 0; x < width; x++) {
		const s = timeAt(x + 0.5);
		while (column < columns.length && columns[column].end <= s) column++;
		if (column === columns.length || columns[column].begin > s) continue;
		const { histogram } = columns[column];
		for (let y = 0; y < height; y++) {
			const bucket = bucketAt(histogram, rows[y]);
			if (bucket < 0) continue;
			pixels.data.set(
				colors[Math.round(255 * Math.min(1, heat(shareOfPart(histogram, bucket))))],
				(y * width + x) * 4,
			);
		}
	}
	canvas.getContext("2d")?.putImageData(pixels, 0, 0);
	return canvas.toDataURL("image/png");
}

/**
 * @param {Scene} scene
 * @param {import("./frame.js").Plot} plot
 */
function drawRamp({ theme }, plot) {
	const width = 150,
		group = svg("g", { transform: `translate(${plot.x + plot.width - width},${2})` });

	for (let i = 0; i < width; i += 2)
		group.append(
			svg("rect", {
				x: i,
				y: 0,
				width: 3,
				height: 8,
				fill: `rgb(${rampColor(theme.ramp, i / width).join()})`,
			}),
		);
	group.append(
		svg(
			"text",
			{ x: -6, y: 8, "text-anchor": "end", fill: theme.muted },
			`share of the interval: ${markShare(LEAST)}`,
		),
		svg("text", { x: width + 5, y: 8, fill: theme.muted }, "all"),
	);
	return group;
}

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawHeatmap(scene) {
	const { width, height, theme, groups, view } = scene;
	const runs = heatRuns(groups),
		run = runs.find(({ id }) => id === view.run) ?? runs[0];
	const columns = columnsOf(run?.intervals ?? []);
	/** @type {[number, number]} */
	const full = [0, Math.max(1e-9, ...columns.map(({ end }) => end))];
	const edges = columns.flatMap(({ histogram }) => [
		Math.max(histogram.lo[0], histogram.hi[0] / 2),
		upperEdge(histogram, histogram.lo.length - 1),
	]);
	const range = domainOf(edges, view.yLog),
		usual = Math.max(1, ...columns.map(({ histogram }) => percentile(histogram, 99)));
	const place = plotOf(width, height, ["500 µs"]);
	const plot = { ...place, width: Math.floor(place.width) - 20, y: 18, height: Math.floor(place.height) - 6 };
	const x = makeAxis({
		domain: view.zoom ?? full,
		range: [0, plot.width],
		isLog: false,
		room: plot.width / 70,
		format: (s) => `${Number(s.toPrecision(6))} s`,
		label: "time since the start of the run",
	});
	const y = makeAxis({
		domain: view.yLog ? range : [0, Math.min(range[1], usual * 1.2)],
		range: [plot.height, 0],
		isLog: view.yLog,
		room: plot.height / 45,
		format: markNs,
		label: "latency of an access",
	});
	const frame = makeFrame({ width, height, plot, theme, x, y });

	frame.svg.append(drawRamp(scene, plot));
	if (columns.length > 0)
		frame.inside.append(
			svg("image", {
				width: plot.width,
				height: plot.height,
				href: paint(columns, plot, x.value, y.value, theme.ramp),
			}),
		);
	return {
		svg: frame.svg,
		plot,
		x,
		full,
		legend: [],
		isPlane: true,
		stops: columns
			.map(({ begin, end }) => x.place((begin + end) / 2))
			.filter((px) => px >= 0 && px <= plot.width),
		probe: (px, py) => probe(columns, x.value(px), y.value(py), px),
		table: () => tableOf(columns),
		note: view.yLog ? "" : "The axis ends above the 99 % latency of the slowest interval.",
	};
}

/**
 * @param {Column[]} columns
 * @param {number} s
 * @param {number} ns
 * @param {number} px
 * @returns {import("./chart.js").Reading | null}
 */
function probe(columns, s, ns, px) {
	const column = columns.find(({ begin, end }) => s >= begin && s < end);

	if (!column) return null;
	const { histogram } = column,
		i = bucketAt(histogram, ns);
	const bound = (/** @type {number} */ percent) => {
		const { value, isBelow } = boundedPercentile(histogram, percent);
		return `${isBelow ? "< " : ""}${formatNs(value)}`;
	};
	const row = (/** @type {string} */ label, /** @type {string} */ value) => ({
		color: "",
		dash: "",
		label,
		value,
	});
	return {
		x: px,
		title: `${formatSeconds(column.begin)} to ${formatSeconds(column.end)}`,
		dots: [],
		rows: [
			...(i < 0
				? [row(formatNs(ns), "none")]
				: [
						row(
							`${formatNs(histogram.lo[i], 4)} to ${formatNs(upperEdge(histogram, i), 4)}`,
							`${formatCount(histogram.counts[i])} (${formatShare(histogram.counts[i] / Number(histogram.total))})`,
						),
					]),
			row("accesses in the interval", formatCount(histogram.total)),
			row("half of them up to", bound(50)),
			row("99 % up to", bound(99)),
		],
	};
}

/** @param {Column[]} columns @returns {import("./chart.js").Table} */
function tableOf(columns) {
	return {
		head: ["begin_s", "end_s", "lo_ns", "hi_ns", "count"],
		rows: columns.flatMap(({ begin, end, histogram }) =>
			histogram.lo.map((lo, i) => [
				begin,
				end,
				lo,
				histogram.hi[i] === Infinity ? "" : histogram.hi[i],
				histogram.counts[i],
			]),
		),
	};
}
