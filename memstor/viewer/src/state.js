// SPDX-License-Identifier: GPL-3.0-or-later
// The one state of the page: what is open and how it is looked at. Everything shown follows from it.
import { predictionsOf } from "./chart/compare.js";
import { THRESHOLDS } from "./chart/spent.js";
import { subjectsOf } from "./model/counters.js";
import { findDimensions } from "./model/dimensions.js";
import { firstChoices, makeGroups } from "./model/groups.js";
import { metricsOf } from "./model/metrics.js";
import { stepsOf } from "./model/steps.js";
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
		map: { title: "Memory heat map", x: null, y: null },
		spent: { title: "Time spent", x: null, y: null },
		predicted: { title: "Prediction", x: null, y: true },
		compare: { title: "By parameter", x: false, y: false },
	}),
);

/** What a kind of chart is not drawn without. */
export const LACKS = new Map(
	Object.entries({
		histogram: "These reports have no histograms of latencies.",
		cdf: "These reports have no histograms of latencies.",
		percentiles: "These reports have no histograms of latencies.",
		spent: "These reports have no histograms of latencies.",
		time: "These reports have no series over time.",
		heatmap: "The series of these reports have no histograms of latencies.",
		map: "These reports have no map of accesses; memtrace analyze pattern makes one.",
		predicted: "These reports have no predicted times; iowrite-bench evaluate makes them.",
		compare: "These reports have no number to compare.",
	}),
);

export class State {
	constructor() {
		/** @type {Report[]} all that are open */
		this.open = [];
		/** @type {Report[]} those of the step that is looked at, or all */
		this.reports = [];
		/** @type {import("./model/steps.js").Step[]} of all that are open */
		this.steps = [];
		/** key of the step that is looked at, "" = all together */
		this.scope = "";
		/** kind of chart that was chosen, and whose data was not there when it was read; "" = none */
		this.lost = "";
		/** @type {{ file: string, line: number, text: string }[]} files that are not shown */
		this.refused = [];
		/** @type {Dimension[]} */
		this.dimensions = [];
		/** @type {Map<string, string>} */
		this.choices = new Map();
		this.basis = "";
		this.chart = "histogram";
		/** @type {Map<string, Pick<View, "xLog" | "yLog" | "zoom" | "zoomY">>} by kind of chart */
		this.axes = new Map(
			[...CHARTS].map(([name, { x, y }]) => [name, { xLog: x === true, yLog: y === true, zoom: null, zoomY: null }]),
		);
		/** @type {Set<string>} keys of groups */
		this.hidden = new Set();
		/** @type {number} id of the report whose details are shown */
		this.details = 0;
		/** @type {string} key of the group that others are set against */
		this.base = "";
		/** @type {Omit<View, "xLog" | "yLog" | "zoom" | "zoomY">} */
		this.look = {
			rounds: "mean",
			band: true,
			measure: "share",
			smooth: 20,
			detail: "",
			subject: "",
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

	/** What is open has changed. @param {Report[]} reports @param {string} [first] key of the step to begin with */
	setReports(reports, first = "") {
		const were = this.steps.length;

		this.open = reports;
		this.steps = stepsOf(reports);
		const isThere = (/** @type {string} */ key) => this.steps.some((step) => step.key === key);
		if (this.steps.length < 2) this.scope = "";
		else if (were < 2 || !isThere(this.scope)) this.scope = isThere(first) ? first : this.steps[0].key;
		this.setScope(this.scope);
	}

	/** @param {string} scope key of a step, "" = all together */
	setScope(scope) {
		this.scope = scope;
		this.lost = "";
		this.lookAt(this.steps.find(({ key }) => key === scope)?.reports ?? this.open);
	}

	/** @param {Report[]} reports */
	lookAt(reports) {
		const before = this.dimensions.map(({ key }) => key).join("\n");

		this.reports = reports;
		this.dimensions = findDimensions(reports);
		if (!reports.some(({ id }) => id === this.details)) this.details = reports[0]?.id ?? 0;
		if (this.dimensions.map(({ key }) => key).join("\n") !== before) {
			const own = this.dimensions.filter(({ isRound, alike }) => !isRound && !alike);
			/* Sides of a comparison first, then the tools: their options say nothing of each other. */
			const first = ["set:side", "set:tool"].find((name) => own.some(({ key }) => key === name));
			this.basis = first ?? own[0]?.key ?? "";
			this.choices = firstChoices(reports, this.dimensions, this.basis, LINES_FIRST);
			this.hidden.clear();
		}
		for (const axes of this.axes.values()) axes.zoom = axes.zoomY = null;
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
		if (!["each", "all", ...kindsOf(this.reports)].includes(this.look.kind)) this.look.kind = "all";
		/* Cells differ by orders of magnitude. */
		const time = this.axes.get("time");
		if (time && subjectsOf(this.reports).length > 1) time.yLog = true;
		/* What is drawn of few reports only comes last. */
		if (!this.canDraw(this.chart))
			this.chart =
				["histogram", "predicted", "map", ...CHARTS.keys()].find((chart) => this.canDraw(chart)) ?? "histogram";
	}

	/** What the reports lack for a kind of chart, "" = nothing. @param {string} chart */
	whyNot(chart) {
		return this.canDraw(chart) ? "" : (LACKS.get(chart) ?? "");
	}

	/** Whether the open reports have what a kind of chart is drawn from. @param {string} chart @returns {boolean} */
	canDraw(chart) {
		if (chart === "compare") return this.canDraw("histogram") || metricsOf(this.reports).length > 0;
		if (chart === "predicted") return this.reports.some((report) => predictionsOf(report).length > 0);
		if (chart === "map") return this.reports.some(({ map }) => map !== null);
		if (chart === "time")
			return this.reports.some(({ intervals, packed }) => intervals.length > 0 || packed.has("series"));
		if (chart === "heatmap")
			return this.reports.some(
				({ intervals, packed }) =>
					packed.has("series") || intervals.some(({ histogram }) => histogram !== null),
			);
		return this.reports.some(({ histograms, packed }) => histograms.length > 0 || packed.has("statistics"));
	}

	/**
	 * What is not read yet of what is looked at.
	 * @param {import("./model/groups.js").Group[]} groups
	 */
	missing(groups) {
		const shown = groups.filter(({ key }) => !this.hidden.has(key)).flatMap(({ reports }) => reports);
		const names = ["time", "heatmap"].includes(this.chart) ? ["statistics", "series", "sys_mem_info"] : ["statistics"];
		const wanted = shown.flatMap((report) => names.map((part) => ({ report, part })));
		const details = this.reports.filter(({ id }) => id === this.details);

		return [...wanted, ...details.map((report) => ({ report, part: "sys_mem_info" }))].filter(({ report, part }) =>
			report.packed.has(part),
		);
	}

	/** Every group that is chosen, hidden ones included. */
	groups() {
		return makeGroups(this.reports, this.dimensions, this.choices, this.basis, this.look.rounds === "each");
	}

	/** @returns {View} */
	view() {
		const axes = this.axes.get(this.chart) ?? { xLog: false, yLog: false, zoom: null, zoomY: null };

		return { ...this.look, ...axes };
	}

	/** @param {import("./model/groups.js").Group[]} groups */
	lines(groups) {
		return makeLines(groups, this.look.type, this.look.kind, this.hidden);
	}

	/** Whether there is any chart of what is open; a table there is always. */
	hasChart() {
		return this.canDraw(this.chart);
	}

	basisLabel() {
		return this.dimensions.find(({ key }) => key === this.basis)?.label ?? "";
	}
}
