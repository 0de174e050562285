// SPDX-License-Identifier: GPL-3.0-or-later
// The run in time: one value of the intervals on the left axis, kernel counters on the right one.
import { area, curveStepAfter, line as path } from "d3-shape";
import { counterKind } from "../model/counters.js";
import { formatBytes, formatSeconds } from "../read/quantity.js";
import { domainOf, shade, stroke } from "./chart.js";
import { formatShare } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { makeAxis, markNs, markNumber, markShare } from "./scales.js";
import { svg } from "./svg.js";
import { TRACKS_MAX, leftLabel, onOwnAxes, partsOf, tracksOf } from "./tracks.js";

/** @typedef {import("./chart.js").Scene} Scene */

/** @typedef {import("./tracks.js").Track} Track */

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
	const parts = partsOf(scene),
		hasSubjects = parts.some(({ subject }) => subject !== "");
	const tracks = onOwnAxes(tracksOf(scene, parts.slice(0, TRACKS_MAX)), hasSubjects),
		isShare = tracks.some(({ seconds }) => seconds !== 1),
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
		format: isNs ? markNs : view.left.endsWith("_bytes") ? formatBytes : markNumber,
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
	const x = timeAxis(domain, plot.width, isShare, hasSubjects);
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
		note: noteOf(parts.length),
		legend: tracks.map(({ color, dash, label, seconds }) => ({
			color,
			dash,
			label,
			value: isShare ? formatSeconds(seconds) : "",
		})),
		probe: (px) => probe(tracks, x.value(px), px, up),
		table: () => tableOf(tracks),
	};
}

/**
 * @param {[number, number]} domain
 * @param {number} width
 * @param {boolean} isShare of each one's own time
 * @param {boolean} hasSubjects
 */
function timeAxis(domain, width, isShare, hasSubjects) {
	const since = `time since the start of ${hasSubjects ? "each" : "the run"}`;

	return makeAxis({
		domain,
		range: [0, width],
		isLog: false,
		room: width / 70,
		format: isShare ? markShare : (s) => `${Number(s.toPrecision(6))} s`,
		label: isShare ? "share of each one's own time" : since,
	});
}

/** @param {number} count of lines that there are */
function noteOf(count) {
	if (count === 0) return "Nothing to draw: what is chosen has no such values over time.";
	return count > TRACKS_MAX ? `${count - TRACKS_MAX} more are not drawn: choose one.` : "";
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
		title:
			first.seconds !== 1
				? `${formatShare(s)} of each one's own time`
				: `${formatSeconds(first.begin[at])} to ${formatSeconds(first.begin[at + 1] ?? first.end)}`,
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

/**
 * Side by side what has the same time, otherwise one below the other.
 * @param {Track[]} tracks
 * @returns {import("./chart.js").Table}
 */
function tableOf(tracks) {
	const longest = tracks.reduce((a, b) => (b.begin.length > a.begin.length ? b : a), tracks[0]);

	if (!longest) return { head: ["begin_s", "end_s"], rows: [] };
	const isCommon = tracks.every(
		({ begin, seconds }) => seconds === 1 && begin.every((s, i) => s === longest.begin[i]),
	);
	if (!isCommon)
		return {
			head: ["series", "begin_s", "end_s", "value"],
			rows: tracks.flatMap(({ label, begin, end, seconds, values }) =>
				begin.map((s, i) => [label, s * seconds, (begin[i + 1] ?? end) * seconds, values[i]]),
			),
		};
	return {
		head: ["begin_s", "end_s", ...tracks.map(({ label }) => label)],
		rows: longest.begin.map((s, i) => [
			s,
			longest.begin[i + 1] ?? longest.end,
			...tracks.map(({ values }) => values[i] ?? NaN),
		]),
	};
}
