// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn over time: a line for each thing that each group measured one by one, and for counters.
import { counterKind, counterSeries, isPerSecond, subjectsOf, valueSeries } from "../model/counters.js";
import { titleOf } from "../model/metrics.js";
import { formatBytes } from "../read/quantity.js";
import { ABSENT, formatNs, formatNumber } from "./format.js";
import { colorOf, dashOf } from "./palette.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("../model/groups.js").Group} Group */

/**
 * @typedef {object} Track
 * @property {string} label
 * @property {boolean} isRight
 * @property {string} color
 * @property {string} dash
 * @property {number[]} begin of each interval, on the axis: s, or shares of its own time
 * @property {number} end of the last one
 * @property {number} seconds what the axis' unit is of it
 * @property {number[]} values mean of the runs
 * @property {number[]} low of the runs, empty without band
 * @property {number[]} high
 * @property {(value: number) => string} text
 */

/** Of counters, in the colour of their group. */
export const RIGHT_DASHES = ["2 3", "7 3", "9 3 2 3"];

/** @param {string} name of a value @returns {(value: number) => string} */
function valueText(name) {
	if (name.endsWith("_ns")) return (value) => formatNs(value);
	if (name.endsWith("_bytes")) return (value) => (Number.isNaN(value) ? ABSENT : formatBytes(value));
	return (value) => `${formatNumber(value)}${isPerSecond(name) || name.endsWith("_per_second") ? "/s" : ""}`;
}

/** @param {string} name of a counter @returns {(value: number) => string} */
function counterText(name) {
	const { unit, isLevel } = counterKind(name);

	if (unit === "bytes") return (value) => (Number.isNaN(value) ? "–" : formatBytes(value));
	return (value) => `${formatNumber(value)}${isLevel ? ` ${unit}` : unit === "per second" ? "/s" : " %"}`.trim();
}

/**
 * Interval by interval over the runs of a group, and of a subject its repetitions. A subject's time is its own: it begins
 * with its first interval.
 * @param {Group} group
 * @param {string} subject
 * @param {(report: import("../read/report.js").Report) => number[]} series
 * @param {boolean} hasBand
 */
function averaged(group, subject, series, hasBand) {
	const runs = group.reports.flatMap((report) => {
		const values = series(report);
		/** @type {Map<string, { begin: number, end: number, value: number }[]>} */
		const parts = new Map();
		report.intervals.forEach((interval, i) => {
			if (interval.subject !== subject) return;
			const part = parts.get(interval.repetition) ?? [];
			part.push({ begin: interval.end - interval.seconds, end: interval.end, value: values[i] });
			parts.set(interval.repetition, part);
		});
		return [...parts.values()];
	});
	const longest = runs.reduce((a, b) => (b.length > a.length ? b : a), runs[0]);
	const origin = subject === "" ? 0 : longest[0].begin;
	const columns = longest.map((_, i) => runs.map((run) => run[i]?.value).filter((value) => Number.isFinite(value)));
	const band = hasBand && runs.length > 1;

	return {
		begin: longest.map(({ begin }) => begin - origin),
		end: longest[longest.length - 1].end - origin,
		seconds: 1,
		values: columns.map((column) => (column.length ? column.reduce((a, b) => a + b, 0) / column.length : NaN)),
		low: band ? columns.map((column) => Math.min(...column)) : [],
		high: band ? columns.map((column) => Math.max(...column)) : [],
	};
}

/** Of cells that differ more in length, all but the longest would stand at the edge of a common axis. */
const LENGTHS_MAX = 3;

/** Each on its own time axis, from its begin to its end, if need be. @param {Track[]} tracks @param {boolean} isOwn */
export function onOwnAxes(tracks, isOwn) {
	const ends = tracks.map(({ end }) => end).filter((end) => end > 0);

	if (!isOwn || Math.max(...ends) <= LENGTHS_MAX * Math.min(...ends)) return tracks;
	return tracks.map((track) => {
		const seconds = track.end > 0 ? track.end : 1;
		return { ...track, begin: track.begin.map((s) => s / seconds), end: track.end / seconds, seconds };
	});
}

/** More lines are not told apart. */
export const TRACKS_MAX = 32;

/** What has a line of its own: each subject of each group that is shown. @param {Scene} scene */
export function partsOf({ groups, view }) {
	return groups.flatMap((group) =>
		subjectsOf(group.reports)
			.filter((subject) => view.subject === "" || subject === view.subject)
			.filter((subject) =>
				group.reports.some(({ intervals }) =>
					intervals.some((interval) => interval.subject === subject && interval.values.has(view.left)),
				),
			)
			.map((subject) => ({ group, subject })),
	);
}

/** @param {Scene} scene @param {{ group: Group, subject: string }[]} shown @returns {Track[]} */
export function tracksOf({ groups, view, theme }, shown) {
	const hasGroups = groups.length > 1,
		hasSubjects = shown.some(({ subject }) => subject !== "");
	/** @type {Track[]} */
	const tracks = [];

	for (const [n, { group, subject }] of shown.entries()) {
		const index = hasSubjects ? n : group.index;
		const name = [hasGroups ? group.label : "", subject].filter(Boolean).join(", ");
		tracks.push({
			label: name || leftLabel(view.left),
			isRight: false,
			color: colorOf(theme, index),
			dash: dashOf(index, theme.lines.length),
			text: valueText(view.left),
			...averaged(group, subject, (report) => valueSeries(report, view.left), view.band),
		});
		view.right.forEach((counter, i) =>
			tracks.push({
				label: name ? `${counter}, ${name}` : counter,
				isRight: true,
				color: colorOf(theme, name ? index : i + 1),
				dash: name ? RIGHT_DASHES[i % RIGHT_DASHES.length] : RIGHT_DASHES[0],
				text: counterText(counter),
				...averaged(group, subject, (report) => counterSeries(report, counter), false),
			}),
		);
	}
	return tracks;
}

/** @param {string} name */
export function leftLabel(name) {
	if (name.endsWith("_ns")) return `${titleOf(name)} latency`;
	return isPerSecond(name) ? `${titleOf(name)} per second` : titleOf(name);
}
