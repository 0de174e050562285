// SPDX-License-Identifier: GPL-3.0-or-later
// The function of each kind of chart, and why one shows nothing.
import { drawCdf } from "../chart/cdf.js";
import { drawCompare, drawPredicted } from "../chart/compare.js";
import { drawHeatmap } from "../chart/heatmap.js";
import { drawHistogram } from "../chart/histogram.js";
import { drawMap } from "../chart/map.js";
import { drawPercentiles } from "../chart/percentiles.js";
import { drawSpent } from "../chart/spent.js";
import { drawTime } from "../chart/time.js";
import { LACKS } from "../state.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../chart/chart.js").Chart} Chart */
/** @typedef {import("../model/lines.js").Line} Line */

export const DRAW = {
	histogram: drawHistogram,
	cdf: drawCdf,
	percentiles: drawPercentiles,
	time: drawTime,
	heatmap: drawHeatmap,
	map: drawMap,
	spent: drawSpent,
	predicted: drawPredicted,
	compare: drawCompare,
};

/** Charts of accesses: type and class apply to them. */
export const OF_ACCESSES = ["histogram", "cdf", "percentiles", "spent"];

/** Why a chart shows nothing, "" = it shows something. @param {State} state @param {Chart} chart @param {Line[]} lines */
export function whyEmpty(state, chart, lines) {
	if (OF_ACCESSES.includes(state.chart))
		return lines.length ? "" : "Nothing to draw: no run that is chosen has such accesses.";
	if (chart.stops.length > 0 || state.chart === "map") return "";
	return chart.note || `Nothing to draw. ${LACKS.get(state.chart) ?? ""}`;
}
