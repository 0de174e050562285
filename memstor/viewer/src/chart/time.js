// SPDX-License-Identifier: GPL-3.0-or-later
// The run in time: one value of the intervals on the left axis, kernel counters on the right one.
import { area, curveStepAfter, line as path } from "d3-shape";
import { counterKind, counterSeries, valueSeries } from "../model/counters.js";
import { titleOf } from "../model/metrics.js";
import { formatBytes, formatSeconds } from "../read/quantity.js";
import { domainOf, shade, stroke } from "./chart.js";
import { formatNs, formatNumber } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { colorOf, dashOf } from "./palette.js";
import { makeAxis, markNs, markNumber } from "./scales.js";
import { svg } from "./svg.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("../model/groups.js").Group} Group */

/**
 * @typedef {object} Track
 * @property {string} label
 * @property {boolean} isRight
 * @property {string} color
 * @property {string} dash
 * @property {number[]} begin s, of each interval
 * @property {number} end s, of the last one
 * @property {number[]} values mean of the runs
 * @property {number[]} low of the runs, empty without band
 * @property {number[]} high
 * @property {(value: number) => string} text
 */

/** Of counters, in the colour of their group. */
export const RIGHT_DASHES = ["2 3", "7 3", "9 3 2 3"];

/** @param {string} name of a value @returns {(value: number) => string} */
function valueText(name) {
	return name.endsWith("_ns") ? (value) => formatNs(value) : (value) => `${formatNumber(value)}/s`;
}

/** @param {string} name of a counter @returns {(value: number) => string} */
function counterText(name) {
	const { unit, isLevel } = counterKind(name);

	if (unit === "bytes") return (value) => (Number.isNaN(value) ? "–" : formatBytes(value));
	return (value) => `${formatNumber(value)}${isLevel ? ` ${unit}` : unit === "per second" ? "/s" : " %"}`.trim();
}

/**
 * Interval by interval over a group's runs.
 * @param {Group} group
 * @param {(report: import("../read/report.js").Report) => number[]} series
 * @param {boolean} hasBand
 */
function averaged(group, series, hasBand) {
	const runs = group.reports.filter((report) => report.intervals.length > 0);
	const all = runs.map(series);
	const longest = runs.reduce((a, b) => (b.intervals.length > a.intervals.length ? b : a), runs[0]);
	const columns = longest.intervals.map((_, i) =>
		all.map((values) => values[i]).filter((value) => Number.isFinite(value)),
	);
	const band = hasBand && runs.length > 1;

	return {
		begin: longest.intervals.map((interval) => interval.end - interval.seconds),
		end: longest.intervals[longest.intervals.length - 1].end,
		values: columns.map((column) => (column.length ? column.reduce((a, b) => a + b, 0) / column.length : NaN)),
		low: band ? columns.map((column) => Math.min(...column)) : [],
		high: band ? columns.map((column) => Math.max(...column)) : [],
	};
}

/** @param {Scene} scene @returns {Track[]} */
function tracksOf({ groups, view, theme }) {
	const shown = groups.filter((group) => group.reports.some((report) => report.intervals.length));
	/** @type {Track[]} */
	const tracks = [];

	for (const group of shown) {
		const { index } = group;
		tracks.push({
			label: shown.length > 1 ? group.label : leftLabel(view.left),
			isRight: false,
			color: colorOf(theme, index),
			dash: dashOf(index, theme.lines.length),
			text: valueText(view.left),
			...averaged(group, (report) => valueSeries(report, view.left), view.band),
		});
		view.right.forEach((name, n) =>
			tracks.push({
				label: shown.length > 1 ? `${name}, ${group.label}` : name,
				isRight: true,
				color: colorOf(theme, shown.length > 1 ? index : n + 1),
				dash: shown.length > 1 ? RIGHT_DASHES[n % RIGHT_DASHES.length] : RIGHT_DASHES[0],
				text: counterText(name),
				...averaged(group, (report) => counterSeries(report, name), false),
			}),
		);
	}
	return tracks;
}

/** @param {string} name */
export function leftLabel(name) {
	return name.endsWith("_ns")
		? `${titleOf(name)} latency`
		: /_per_second$/.test(name)
			? titleOf(name)
			: `${titleOf(name)} per second`;
}

/**
 * @param {Track[]} tracks
 * @param {[number, number]} window s
 * @param {boolean} isLog
 */
function valueDomain(tracks, window, isLog) {
	const seen = tracks.flatMap(({ begin, end, values, low, high }) =>
		values.flatMap((value, i) =>
			begin[i] <= window[1] && (begin[i + 1] ?? end) >= window[0]
				? [value, low[i] ?? value, high[i] ?? value]
				: [],
		),
	);
	const [from, to] = domainOf(seen, isLog);

	return /** @type {[number, number]} */ (
		isLog ? [from / 1.2, to * 1.2] : [from * (from < 0 ? 1.05 : 1), to * 1.05]
	);
}

/** Levels far from zero need no zero. @param {Track[]} tracks @param {[number, number]} window @param {boolean} areLevels */
function rightDomain(tracks, window, areLevels) {
	const values = tracks.flatMap((track) => track.values).filter(Number.isFinite);
	const low = Math.min(...values),
		high = Math.max(...values);

	if (areLevels && low > 0 && high - low < low && values.length)
		return /** @type {[number, number]} */ (
			high > low ? [low - (high - low) * 0.1, high + (high - low) * 0.1] : [low * 0.9, low * 1.1]
		);
	return valueDomain(tracks, window, false);
}

/**
 * @param {Scene} scene
 * @param {Track[]} right
 */
function rightLabel({ view }, right) {
	const units = new Set(view.right.map((name) => counterKind(name).unit));

	if (right.length === 0) return "";
	return view.right.length === 1 ? `${view.right[0]}, ${[...units][0]}` : `counters, ${[...units].join(" and ")}`;
}

/**
 * @param {Track} track
 * @param {SVGElement} inside
 * @param {(s: number) => number} across
 * @param {(value: number) => number} up
 */
function drawTrack(track, inside, across, up) {
	/** @type {[number, number, number, number][]} */
	const points = track.values.map((value, i) => [
		across(track.begin[i]),
		up(value),
		up(track.low[i] ?? value),
		up(track.high[i] ?? value),
	]);
	const last = points[points.length - 1];
	const isThere = (/** @type {number[]} */ p) => Number.isFinite(p[1]);

	points.push([across(track.end), last[1], last[2], last[3]]);
	if (track.low.length) {
		const d = area()
			.defined(isThere)
			.x((p) => p[0])
			.y0((p) => /** @type {any} */ (p)[2])
			.y1((p) => /** @type {any} */ (p)[3])
			.curve(curveStepAfter)(/** @type {any} */ (points));
		inside.append(shade(d ?? "", track.color, track.label));
	}
	inside.append(
		stroke(path().defined(isThere).curve(curveStepAfter)(/** @type {any} */ (points)) ?? "", track, track.label),
	);
}

/**
 * Where another phase begins, when all runs have the same ones.
 * @param {Scene} scene
 * @param {SVGElement} inside
 * @param {(s: number) => number} across
 * @param {number} height
 */
function drawPhases({ groups, theme }, inside, across, height) {
	const all = groups.flatMap((group) => group.reports).map(({ phases }) => phases);
	const same = new Set(all.map((phases) => phases.map(({ name, begin }) => `${name} ${begin.toFixed(1)}`).join()));

	if (same.size !== 1 || all[0].length < 2) return;
	for (const { name, begin } of all[0]) {
		const x = across(begin);
		inside.append(
			svg("line", {
				x1: x,
				x2: x,
				y1: 0,
				y2: height,
				stroke: theme.muted,
				"stroke-dasharray": "1 3",
			}),
			svg("text", { x: x + 4, y: 10, fill: theme.muted }, name),
		);
	}
}

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawTime(scene) {
	const { width, height, theme, view } = scene;
	const tracks = tracksOf(scene),
		left = tracks.filter(({ isRight }) => !isRight),
		right = tracks.filter(({ isRight }) => isRight);
	/** @type {[number, number]} */
	const full = [0, Math.max(1e-9, ...tracks.map(({ end }) => end))];
	const domain = view.zoom ?? full;
	const isNs = view.left.endsWith("_ns"),
		areBytes = view.right.length > 0 && view.right.every((name) => counterKind(name).unit === "bytes");
	const areLevels = view.right.every((name) => counterKind(name).isLevel);
	const leftWish = {
		domain: valueDomain(left, domain, view.yLog),
		isLog: view.yLog,
		format: isNs ? markNs : markNumber,
		label: leftLabel(view.left),
	};
	const rightWish = {
		domain: rightDomain(right, domain, areLevels),
		isLog: false,
		format: areBytes ? formatBytes : markNumber,
		label: rightLabel(scene, right),
	};
	const texts = (/** @type {typeof leftWish} */ wish) =>
		makeAxis({ ...wish, range: [0, 1], room: 8 }).marks.map(({ text }) => text);
	const plot = plotOf(width, height, texts(leftWish), right.length ? texts(rightWish) : []);
	const room = plot.height / 45;
	const x = makeAxis({
		domain,
		range: [0, plot.width],
		isLog: false,
		room: plot.width / 70,
		format: (s) => `${Number(s.toPrecision(6))} s`,
		label: "time since the start of the run",
	});
	const y = makeAxis({ ...leftWish, range: [plot.height, 0], room });
	const y2 = right.length ? makeAxis({ ...rightWish, range: [plot.height, 0], room }) : null;
	const frame = makeFrame({ width, height, plot, theme, x, y, right: y2 });
	const up = (/** @type {Track} */ track, /** @type {number} */ value) =>
		(track.isRight && y2 ? y2 : y).place(value);

	drawPhases(scene, frame.inside, x.place, plot.height);
	for (const track of tracks) drawTrack(track, frame.inside, x.place, (value) => up(track, value));
	return {
		svg: frame.svg,
		plot,
		x,
		full,
		stops: stopsOf(tracks, x, plot.width),
		note: "",
		legend: tracks.map(({ color, dash, label }) => ({ color, dash, label, value: "" })),
		probe: (px) => probe(tracks, x.value(px), px, up),
		table: () => tableOf(tracks),
	};
}

/**
 * @param {Track[]} tracks
 * @param {import("./scales.js").Axis} x
 * @param {number} width
 */
function stopsOf(tracks, x, width) {
	const middles = tracks.flatMap(({ begin, end }) => begin.map((s, i) => x.place((s + (begin[i + 1] ?? end)) / 2)));

	return [...new Set(middles.filter((px) => px >= 0 && px <= width).map(Math.round))].sort((a, b) => a - b);
}

/** @param {Track} track @param {number} s index of the interval, or -1 */
function intervalAt({ begin, end }, s) {
	return s > end ? -1 : begin.findLastIndex((from) => from <= s);
}

/**
 * @param {Track[]} tracks
 * @param {number} s
 * @param {number} px
 * @param {(track: Track, value: number) => number} up
 */
function probe(tracks, s, px, up) {
	const found = tracks.map((track) => ({ track, i: intervalAt(track, s) })).filter(({ i }) => i >= 0);

	if (found.length === 0) return null;
	const { track: first, i: at } = found[0];
	return {
		x: px,
		title: `${formatSeconds(first.begin[at])} to ${formatSeconds(first.begin[at + 1] ?? first.end)}`,
		rows: found.map(({ track, i }) => ({
			color: track.color,
			dash: track.dash,
			label: track.label,
			value: track.text(track.values[i]),
		})),
		dots: found
			.filter(({ track, i }) => Number.isFinite(track.values[i]))
			.map(({ track, i }) => ({ x: px, y: up(track, track.values[i]), color: track.color })),
	};
}

/** @param {Track[]} tracks @returns {import("./chart.js").Table} */
function tableOf(tracks) {
	const longest = tracks.reduce((a, b) => (b.begin.length > a.begin.length ? b : a), tracks[0]);

	if (!longest) return { head: ["begin_s", "end_s"], rows: [] };
	return {
		head: ["begin_s", "end_s", ...tracks.map(({ label }) => label)],
		rows: longest.begin.map((s, i) => [
			s,
			longest.begin[i + 1] ?? longest.end,
			...tracks.map(({ values }) => values[i] ?? NaN),
		]),
	};
}
