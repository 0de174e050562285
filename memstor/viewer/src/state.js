// SPDX-License-Identifier: GPL-3.0-or-later
// The one state of the page: what is open and how it is looked at. Everything shown follows from it.
import { THRESHOLDS } from "./chart/spent.js";
import { findDimensions } from "./model/dimensions.js";
import { firstChoices, makeGroups } from "./model/groups.js";
import { kindsOf, makeLines, typesOf } from "./model/lines.js";

/** @typedef {import("./read/report.js").Report} Report */
/** @typedef {import("./chart/chart.js").View} View */
/** @typedef {import("./model/dimensions.js").Dimension} Dimension */

/** More lines than this are not told apart at the first look. */
const LINES_FIRST = 12;

/** Kinds of chart, and whether each axis is logarithmic at first; null: it cannot be. */
export const CHARTS = new Map(
	Object.entries({
		histogram: { title: "Histogram", x: true, y: true },
		cdf: { title: "CDF", x: true, y: false },
		percentiles: { title: "Percentiles", x: true, y: true },
		time: { title: "Over time", x: null, y: false },
		heatmap: { title: "Heat map", x: null, y: true },
		spent: { title: "Time spent", x: null, y: null },
		compare: { title: "By parameter", x: false, y: false },
	}),
);

export class State {
	constructor() {
		/** @type {Report[]} */
		this.reports = [];
		/** @type {{ file: string, line: number, text: string }[]} files that are not shown */
		this.refused = [];
		/** @type {Dimension[]} */
		this.dimensions = [];
		/** @type {Map<string, string>} */
		this.choices = new Map();
		this.basis = "";
		this.chart = "histogram";
		/** @type {Map<string, { xLog: boolean, yLog: boolean, zoom: [number, number] | null }>} by kind of chart */
		this.axes = new Map(
			[...CHARTS].map(([name, { x, y }]) => [name, { xLog: x === true, yLog: y === true, zoom: null }]),
		);
		/** @type {Set<string>} keys of groups */
		this.hidden = new Set();
		/** @type {number} id of the report whose details are shown */
		this.details = 0;
		/** @type {string} key of the group that others are set against */
		this.base = "";
		/** @type {Omit<View, "xLog" | "yLog" | "zoom">} */
		this.look = {
			rounds: "mean",
			band: true,
			measure: "share",
			smooth: 20,
			detail: "",
			left: "accesses_per_second",
			right: [],
			run: 0,
			metric: "accesses_per_second",
			thresholds: THRESHOLDS,
			toHundred: false,
			type: "both",
			kind: "all",
		};
	}

	/** What is open has changed. @param {Report[]} reports */
	setReports(reports) {
		const before = this.dimensions.map(({ key }) => key).join("\n");

		this.reports = reports;
		this.dimensions = findDimensions(reports);
		if (!reports.some(({ id }) => id === this.details)) this.details = reports[0]?.id ?? 0;
		if (this.dimensions.map(({ key }) => key).join("\n") !== before) {
			this.basis = this.dimensions.find(({ isRound, alike }) => !isRound && !alike)?.key ?? "";
			this.choices = firstChoices(reports, this.dimensions, this.basis, LINES_FIRST);
			this.hidden.clear();
		}
		this.keepPossible();
	}

	/** Choices that the open reports no longer offer fall back. */
	keepPossible() {
		const offered = new Map(
			this.dimensions.map(({ key, values }) => [key, new Set(values.map(({ same }) => same))]),
		);

		for (const [key, choice] of [...this.choices]) {
			if (!offered.has(key) || (choice.startsWith("=") && !offered.get(key)?.has(choice.slice(1))))
				this.choices.delete(key);
		}
		if (this.basis && !offered.has(this.basis)) this.basis = "";
		if (!["both", "each", ...typesOf(this.reports)].includes(this.look.type)) this.look.type = "both";
		if (!["each", ...kindsOf(this.reports)].includes(this.look.kind))
			this.look.kind = kindsOf(this.reports)[0] ?? "all";
		for (const axes of this.axes.values()) axes.zoom = null;
		if (!this.canDraw(this.chart))
			this.chart = [...CHARTS.keys()].find((chart) => this.canDraw(chart)) ?? "compare";
	}

	/** Whether the open reports have what a kind of chart is drawn from. @param {string} chart */
	canDraw(chart) {
		if (chart === "compare") return true;
		if (chart === "time") return this.reports.some(({ intervals }) => intervals.length > 0);
		if (chart === "heatmap")
			return this.reports.some(({ intervals }) => intervals.some(({ histogram }) => histogram !== null));
		return this.reports.some(({ histograms }) => histograms.length > 0);
	}

	/** Every group that is chosen, hidden ones included. */
	groups() {
		return makeGroups(this.reports, this.dimensions, this.choices, this.basis, this.look.rounds === "each");
	}

	/** @returns {View} */
	view() {
		const axes = this.axes.get(this.chart) ?? { xLog: false, yLog: false, zoom: null };

		return { ...this.look, ...axes };
	}

	/** @param {import("./model/groups.js").Group[]} groups */
	lines(groups) {
		return makeLines(groups, this.look.type, this.look.kind, this.hidden);
	}

	basisLabel() {
		return this.dimensions.find(({ key }) => key === this.basis)?.label ?? "";
	}
}
