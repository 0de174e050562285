// SPDX-License-Identifier: GPL-3.0-or-later
// A series of a history: commits in their order, medians with intervals, levels between changes, changes marked.
import { markOf } from "./compare.js";
import { formatUnit } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { makeAxis } from "./scales.js";
import { svg, textWidth } from "./svg.js";

/**
 * @typedef {[commit: string, time: string, value: number, low: number, high: number, runs: number, at?: number,
 *   branch?: string]} Point at and branch: of another than the main one
 */
/**
 * @typedef {object} Change
 * @property {number} at the first point behind it
 * @property {string} state one of STATES
 * @property {string} size "+9.80 %"
 * @property {string} interval
 * @property {string} between commits
 * @property {string} date
 * @property {string} why cause or reason, or ""
 */
/**
 * @typedef {object} Series
 * @property {string} step
 * @property {string} metric
 * @property {string} about what tells it from others of the same name
 * @property {string} unit
 * @property {string} better
 * @property {string} state of its change that matters most, "" = it has none
 * @property {Point[]} points of the main branch
 * @property {Point[]} others of other branches
 * @property {[number, number, number][]} levels first and last point, median
 * @property {Change[]} changes
 */
/** @typedef {import("./palette.js").Theme} Theme */
/** @typedef {{ x: number, y: number, point: Point, branch: string, isMain: boolean, change?: Change }} Mark px */

const COMMIT = 12,
	SHORT = 8,
	LABEL = 11;
/** @type {Record<string, import("../model/metrics.js").Metric["unit"]>} */
const UNITS = { ns: "ns", s: "seconds", bytes: "bytes", "%": "percent", "1/s": "rate" };

/** Colour and dash of each state of a change. @param {Theme} theme @returns {Record<string, [string, string]>} */
function looks({ warning, lines, muted }) {
	return {
		slower: [warning, ""],
		environment: [lines[1], "7 3"],
		acknowledged: [muted, "7 3"],
		"taken back": [muted, "2 3"],
		faster: [lines[2], "9 3 2 3"],
	};
}

/** @param {Series} series @param {number} value */
export function valueText({ unit }, value) {
	return UNITS[unit] ? formatUnit(value, UNITS[unit]) : `${formatUnit(value, "number")} ${unit}`.trim();
}

/** @param {Point} point */
export function called([commit, time], letters = COMMIT) {
	return commit.slice(0, letters) || time.slice(0, 19);
}

/** @param {Series} series @param {number} width @param {[number, number]} domain */
function commitAxis({ points }, width, domain) {
	const axis = makeAxis({ domain, range: [0, width], isLog: false, room: 2, format: String, label: "commit" });
	const texts = points.map((point) => called(point, SHORT));
	const widest = Math.max(1, ...texts.map((text) => textWidth(text))) + 16;
	const step = Math.max(1, Math.ceil(((domain[1] - domain[0]) * widest) / width));
	const marks = texts.map((text, at) => ({ at, text, isMinor: true })).filter(({ at }) => at % step === 0);

	return { ...axis, marks };
}

/** As much as there is, but noise of a percent does not fill the chart. @param {Point[]} points @returns {[number, number]} */
function heights(points) {
	const low = Math.min(...points.map((point) => point[3])),
		high = Math.max(...points.map((point) => point[4])),
		room = Math.max((high - low) * 0.12, Math.abs(high) * 0.02);

	/* The sizes of changes are above the points. */
	return points.length > 0 ? [low - room, high + 1.5 * room] : [0, 1];
}

/** @param {SVGElement} inside @param {Mark[]} marks @param {(value: number) => number} up @param {Theme} theme */
function drawPoints(inside, marks, up, theme) {
	for (const { x, y, point, isMain } of marks) {
		const color = theme.lines[isMain ? 0 : 6];
		inside.append(
			svg("line", { x1: x, x2: x, y1: up(point[3]), y2: up(point[4]), stroke: color, "stroke-width": 1.2 }),
			svg("circle", { cx: x, cy: y, r: 3, fill: isMain ? color : theme.ground, stroke: color, "stroke-width": 1.2 }),
		);
	}
}

/**
 * @param {SVGElement} inside
 * @param {Series} series
 * @param {(at: number) => number} across
 * @param {import("./frame.js").Plot} plot
 * @param {Theme} theme
 */
function drawChanges(inside, { changes }, across, plot, theme) {
	let free = -Infinity;

	for (const { at, state, size } of changes) {
		const x = across(at - 0.5),
			[color, dash] = looks(theme)[state] ?? [theme.muted, ""],
			width = textWidth(size, LABEL),
			left = x + 5 + width > plot.width ? x - 5 - width : x + 5;
		const stroke = { stroke: color, "stroke-width": 1.8, "stroke-dasharray": dash || "none" };
		inside.append(svg("line", { x1: x, x2: x, y1: 0, y2: plot.height, ...stroke }));
		if (left < free) continue;
		free = left + width;
		inside.append(svg("text", { x: left, y: 12, fill: color }, size));
	}
}

/**
 * @param {{ series: Series, main: string, width: number, height: number, theme: Theme, zoom: [number, number] | null }} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawSeries({ series, main, width, height, theme, zoom }) {
	/** @type {[number, number]} */
	const full = [-0.5, Math.max(series.points.length, 1) - 0.5],
		domain = zoom ?? full,
		every = [...series.points, ...series.others];
	const metric = UNITS[series.unit] ?? "number",
		unit = series.unit && metric === "number" ? ` (${series.unit})` : "";
	const wish = {
		domain: heights(every),
		isLog: false,
		format: markOf({ unit: metric }),
		label: `${series.metric}${unit}, ${series.better} is better`,
	};
	const texts = makeAxis({ ...wish, range: [0, 1], room: 6 }).marks.map(({ text }) => text);
	const plot = plotOf(width, height, texts),
		x = commitAxis(series, plot.width, domain),
		y = makeAxis({ ...wish, range: [plot.height, 0], room: 6 });
	const { svg: root, inside } = makeFrame({ width, height, plot, theme, x, y });
	const marks = every
		.map((point, i) => ({
			x: x.place(point[6] ?? i),
			y: y.place(point[2]),
			point,
			branch: point[7] ?? main,
			isMain: i < series.points.length,
			change: series.changes.find(({ at }) => at === i && i < series.points.length),
		}))
		.sort((a, b) => a.x - b.x);
	const seen = marks.filter((mark) => mark.x >= -1 && mark.x <= plot.width + 1);

	for (const [first, last, value] of series.levels) {
		const [x1, x2, at] = [x.place(first - 0.5), x.place(last + 0.5), y.place(value)];
		inside.append(svg("line", { x1, x2, y1: at, y2: at, stroke: theme.text, "stroke-opacity": 0.7 }));
	}
	drawPoints(inside, seen, y.place, theme);
	drawChanges(inside, series, x.place, plot, theme);
	return {
		svg: root,
		plot,
		x,
		full,
		stops: seen.map((mark) => mark.x),
		probe: (px) => probe(series, seen, px, theme),
		table: () => tableOf(series, main),
		legend: legendOf(series, theme),
		note: every.length ? "" : "This series has no points.",
	};
}

/**
 * @param {Series} series
 * @param {Mark[]} marks
 * @param {number} px
 * @param {Theme} theme
 * @returns {import("./chart.js").Reading | null}
 */
function probe(series, marks, px, theme) {
	const [first] = marks;

	if (!first) return null;
	const { x, y, point, branch, isMain, change } = marks.reduce(
		(best, one) => (Math.abs(one.x - px) < Math.abs(best.x - px) ? one : best),
		first,
	);
	const color = theme.lines[isMain ? 0 : 6],
		[, time, value, low, high, runs] = point,
		text = (/** @type {number} */ number) => valueText(series, number),
		[changeColor, dash] = looks(theme)[change?.state ?? ""] ?? ["", ""];
	const rows = [
		{
			color,
			dash: "",
			label: series.metric,
			value: text(value),
			range: runs > 1 ? `${text(low)} to ${text(high)}` : "",
			more: `${runs} run${runs === 1 ? "" : "s"}`,
		},
		{ color: "", dash: "", label: "branch", value: branch },
	];
	if (change)
		rows.push({ color: changeColor, dash, label: change.state, value: change.size, range: change.interval, more: change.why });
	return {
		x,
		title: `${called(point)} · ${time.slice(0, 16).replace("T", " ")}`,
		rows,
		dots: [{ x, y, color }],
	};
}

/** @param {Series} series @param {Theme} theme @returns {import("./chart.js").Row[]} */
function legendOf({ points, others, changes }, theme) {
	const states = Object.entries(looks(theme)).filter(([state]) => changes.some((change) => change.state === state));
	const rows = [
		...(points.length ? [[theme.lines[0], "", "median of a commit's runs, with their interval"]] : []),
		...(others.length ? [[theme.lines[6], "", "other branches"]] : []),
		...states.map(([state, [color, dash]]) => [color, dash, state]),
	];

	return rows.map(([color, dash, label]) => ({ color, dash, label, value: "" }));
}

/** @param {Series} series @param {string} main @returns {import("./chart.js").Table} */
function tableOf({ points, others, changes, unit }, main) {
	const of = (/** @type {number} */ i) => changes.find(({ at }) => at === i);

	return {
		head: ["commit", "date", "branch", `median${unit && ` (${unit})`}`, "low", "high", "runs", "change"],
		rows: [...points, ...others].map(([commit, time, value, low, high, runs, at, branch], i) => {
			const change = at === undefined ? of(i) : undefined;
			return [commit, time, branch ?? main, value, low, high, runs, change ? `${change.state} ${change.size}` : ""];
		}),
	};
}
