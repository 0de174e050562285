// SPDX-License-Identifier: GPL-3.0-or-later
// What all kinds of chart have in common: what they are drawn from and what they give.
import { area } from "d3-shape";
import { colorOf, dashOf } from "./palette.js";
import { svg } from "./svg.js";

/** @typedef {import("../model/lines.js").Line} Line */
/** @typedef {import("../model/groups.js").Group} Group */
/** @typedef {import("./palette.js").Theme} Theme */
/** @typedef {import("./scales.js").Axis} Axis */

/**
 * @typedef {object} View how a chart is looked at
 * @property {boolean} xLog
 * @property {boolean} yLog
 * @property {"mean" | "sum" | "each"} rounds
 * @property {boolean} band extremes of the rounds
 * @property {"share" | "count" | "density"} measure
 * @property {number} smooth samples a bar of the tail holds at least
 * @property {string} detail layout; "" = no finer than can be seen, "recorded" = as they are
 * @property {[number, number] | null} zoom of the x axis
 * @property {[number, number] | null} zoomY of the y axis, of charts that have it
 * @property {string} subject of the time series, "" = each
 * @property {string} left value of the time series
 * @property {string[]} right its counters
 * @property {number} run id of the report of a heat map
 * @property {string} metric
 * @property {number[]} thresholds ns, of time spent
 * @property {boolean} toHundred
 * @property {string} type
 * @property {string} kind
 */

/**
 * @typedef {object} Scene
 * @property {number} width
 * @property {number} height
 * @property {Theme} theme
 * @property {Group[]} groups that are shown
 * @property {Line[]} lines
 * @property {string} basis label of the basis, or ""
 * @property {View} view
 */

/** @typedef {{ color: string, dash: string, label: string, value: string, range?: string, more?: string }} Row */
/** @typedef {{ x: number, y: number, color: string }} Dot px of the plot */
/** @typedef {{ x: number, title: string, rows: Row[], dots: Dot[] }} Reading x in px of the plot */
/** @typedef {{ head: string[], rows: (string | number | bigint)[][] }} Table numbers unrounded, for people and for CSV */

/**
 * @typedef {object} Chart
 * @property {SVGElement} svg
 * @property {import("./frame.js").Plot} plot
 * @property {Axis | null} x null: cannot be zoomed
 * @property {[number, number]} full the x axis without zoom
 * @property {Axis} [y] is zoomed, too; then no zoom is the hottest range
 * @property {[number, number]} [fullY]
 * @property {number[]} stops px of the plot that the cursor's keys go through
 * @property {number[]} [stopsY] where these are, if not anywhere; then they need not rise
 * @property {boolean} [isPlane] a place has a height, too: keys go up and down
 * @property {(px: number, py: number) => Reading | null} probe
 * @property {() => Table} table
 * @property {Row[]} legend
 * @property {string} note what the picture does not say by itself, or ""
 */

export const HEIGHT = 420;

/**
 * @param {Theme} theme
 * @param {Line} line
 */
export function lineStyle(theme, line) {
	return {
		color: colorOf(theme, line.color),
		dash: dashOf(line.dash * theme.lines.length + line.color, theme.lines.length),
	};
}

/** @param {Scene} scene @returns {Row[]} */
export function legendOf({ theme, lines, view }) {
	return lines.map((line) => ({
		...lineStyle(theme, line),
		label: line.label,
		value: view.rounds === "each" || line.runs.length < 2 ? "" : `${view.rounds} of ${line.runs.length} runs`,
	}));
}

/**
 * @param {string} d
 * @param {{ color: string, dash: string }} style
 * @param {string} key of the line, by which the legend finds it
 */
export function stroke(d, style, key) {
	const path = svg("path", {
		d,
		fill: "none",
		stroke: style.color,
		"stroke-width": 1.6,
		"stroke-linejoin": "round",
		"stroke-dasharray": style.dash || "none",
	});

	path.dataset.line = key;
	return path;
}

/**
 * @param {string} d
 * @param {string} color
 * @param {string} key
 */
export function shade(d, color, key) {
	const path = svg("path", { d, fill: color, "fill-opacity": 0.18, stroke: "none" });

	path.dataset.line = key;
	return path;
}

/**
 * From the least to the most of the rounds.
 * @param {number[]} grid of the x axis
 * @param {(at: number) => number[]} values of each round there
 * @param {(at: number) => number} across
 * @param {(value: number) => number} up
 * @param {string} color
 * @param {string} key
 */
export function drawBand(grid, values, across, up, color, key) {
	const edges = grid.map((at) => {
		const all = values(at);
		return { x: across(at), low: up(Math.min(...all)), high: up(Math.max(...all)) };
	});
	const shape = /** @type {import("d3-shape").Area<{ x: number, low: number, high: number }>} */ (area());
	const d = shape
		.x((edge) => edge.x)
		.y0((edge) => edge.low)
		.y1((edge) => edge.high)(edges);

	return shade(d ?? "", color, key);
}

/**
 * A domain that a scale can have, of numbers some of which are none.
 * @param {number[]} values
 * @param {boolean} isLog
 * @returns {[number, number]}
 */
export function domainOf(values, isLog) {
	let low = Infinity,
		high = -Infinity;

	for (const value of values) {
		if (Number.isFinite(value) && (!isLog || value > 0)) {
			low = Math.min(low, value);
			high = Math.max(high, value);
		}
	}
	if (low > high) return isLog ? [1, 10] : [0, 1];
	if (isLog) return low === high ? [low / 2, high * 2] : [low, high];
	const from = Math.min(0, low),
		to = Math.max(0, high);
	return from === to ? [0, 1] : [from, to];
}

/** Every so many px, for the keys of charts whose x axis has no steps. @param {number} width */
export function evenStops(width) {
	const count = 200;

	return Array.from({ length: count + 1 }, (_, i) => (i * width) / count);
}
