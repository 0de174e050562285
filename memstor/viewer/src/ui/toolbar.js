// SPDX-License-Identifier: GPL-3.0-or-later
// How a chart is drawn: its kind, axes, and what only this kind has.
import { heatRuns } from "../chart/heatmap.js";
import { mapRuns } from "../chart/map.js";
import { leftLabel } from "../chart/tracks.js";
import { formatNs } from "../chart/format.js";
import { counterKind, counterNames, subjectsOf, valueNames } from "../model/counters.js";
import { metricsOf } from "../model/metrics.js";
import { CHARTS } from "../state.js";
import { button, check, menu, radios } from "./controls.js";
import { el } from "./dom.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../model/groups.js").Group} Group */

const AXIS = [
	{ value: "linear", text: "linear" },
	{ value: "log", text: "log" },
];

/** @param {State} state @param {() => void} changed */
export function kinds(state, changed) {
	return radios({
		id: "chart",
		legend: "Chart",
		value: state.chart,
		options: [...CHARTS].map(([value, { title }]) => ({ value, text: title, why: state.whyNot(value) })),
		change(value) {
			state.chart = value;
			state.lost = "";
			changed();
		},
	});
}

/** @param {State} state @param {() => void} changed */
function axes(state, changed) {
	const can = CHARTS.get(state.chart),
		axis = state.axes.get(state.chart);

	if (!can || !axis) return [];
	return /** @type {const} */ ([
		["x", "xLog"],
		["y", "yLog"],
	]).flatMap(([name, key]) =>
		can[name] === null
			? []
			: [
					radios({
						id: `${name}-axis`,
						legend: name === "x" ? "X axis" : "Y axis",
						options: AXIS,
						value: axis[key] ? "log" : "linear",
						change(value) {
							axis[key] = value === "log";
							axis.zoom = name === "x" ? null : axis.zoom;
							changed();
						},
					}),
				],
	);
}

/** @param {State} state @param {() => void} changed */
function forHistogram({ look }, changed) {
	const set = (/** @type {(value: string) => void} */ apply) => (/** @type {string} */ value) => {
		apply(value);
		changed();
	};

	return [
		menu({
			id: "measure",
			label: "Show",
			value: look.measure,
			change: set((value) => (look.measure = /** @type {any} */ (value))),
			options: [
				{ value: "share", text: "share" },
				{ value: "count", text: "accesses" },
				{ value: "density", text: "share per µs" },
			],
		}),
		menu({
			id: "detail",
			label: "Buckets",
			value: look.detail,
			change: set((value) => (look.detail = value)),
			options: [
				{ value: "", text: "no finer than seen" },
				{ value: "recorded", text: "as recorded" },
				{ value: "log16", text: "16 per power of 2" },
				{ value: "octave", text: "1 per power of 2" },
			],
		}),
		menu({
			id: "smooth",
			label: "Smooth tail",
			value: String(look.smooth),
			change: set((value) => (look.smooth = Number(value))),
			options: [
				{ value: "0", text: "off" },
				...[5, 20, 100, 1000].map((n) => ({ value: String(n), text: `${n} a step` })),
			],
		}),
	];
}

/** What the list of counters is narrowed to; kept while the page is. */
let filter = "";

/** @param {HTMLElement} list */
function applyFilter(list) {
	for (const label of list.children)
		label.toggleAttribute("hidden", !(label.textContent ?? "").toLowerCase().includes(filter.toLowerCase()));
}

/**
 * @param {State} state
 * @param {string[]} names
 * @param {() => void} changed
 */
function counters({ look }, names, changed) {
	const { right } = look;
	const choose = (/** @type {string} */ name) => (/** @type {boolean} */ isOn) => {
		look.right = isOn ? [...right, name] : right.filter((one) => one !== name);
		changed();
	};
	const boxes = names.map((name, i) =>
		check({ id: `counter-${i}`, label: name, isOn: right.includes(name), change: choose(name) }),
	);
	const list = el("div", { class: "counter-list", attributes: { "data-scroll": "counters" } }, ...boxes);
	const search = el("input", {
		id: "counter-filter",
		attributes: { type: "search", placeholder: "filter", "aria-label": "Filter counters", value: filter },
		on: {
			input(event) {
				filter = event.target.value;
				applyFilter(list);
			},
			/* Enter would send the form. */
			keydown: (event) => event.key === "Enter" && event.preventDefault(),
		},
	});
	const hint = el("span", "hint", " Drawn on the right axis: levels as they are, events per second.");

	applyFilter(list);
	const title = right.length === 0 ? "Counters…" : `Counters: ${right.length === 1 ? right[0] : right.length}`;
	const box = el("div", "counter-box", el("p", {}, search, hint), list);
	return el("details", { id: "counters" }, el("summary", {}, title), box);
}

/** @param {State} state @param {() => void} changed @param {Group[]} groups */
function forTime(state, changed, groups) {
	const { look } = state,
		reports = groups.flatMap((group) => group.reports);
	const values = valueNames(reports),
		names = counterNames(reports);
	const units = new Set(look.right.map((name) => counterKind(name).unit));
	const setLeft = (/** @type {string} */ value) => {
		look.left = value;
		changed();
	};
	const setNone = () => {
		look.right = [];
		changed();
	};

	if (values.length && !values.includes(look.left)) look.left = values[0];
	const options = values.map((value) => ({ value, text: leftLabel(value) }));
	const subjects = subjectsOf(reports);
	if (!subjects.includes(look.subject)) look.subject = "";
	const setSubject = (/** @type {string} */ value) => {
		look.subject = value;
		changed();
	};
	return [
		subjects.length > 1 &&
			menu({
				id: "subject",
				label: "Of",
				value: look.subject,
				options: [{ value: "", text: "each" }, ...subjects.filter(Boolean).map((value) => ({ value, text: value }))],
				change: setSubject,
			}),
		menu({ id: "left", label: "Left axis", value: look.left, options, change: setLeft }),
		names.length > 0 && counters(state, names, changed),
		look.right.length > 0 && button({ id: "counters-none", text: "No counters", run: setNone }),
		units.size > 1 && el("p", "hint", "Counters of different units share the right axis."),
	];
}

/** @param {State} state @param {() => void} changed @param {Group[]} groups */
function forHeatmap({ look, chart, axes: all }, changed, groups) {
	const runs = chart === "map" ? mapRuns(groups) : heatRuns(groups);

	return runs.length > 1
		? [
				menu({
					id: "heat-run",
					label: "Run",
					value: String(runs.find(({ id }) => id === look.run)?.id ?? runs[0].id),
					options: runs.map(({ id, file }) => ({ value: String(id), text: file })),
					change(value) {
						look.run = Number(value);
						Object.assign(all.get(chart) ?? {}, { zoom: null, zoomY: null });
						changed();
					},
				}),
			]
		: [];
}

/** @param {State} state @param {() => void} changed */
function forSpent({ look }, changed) {
	const limits = look.thresholds.map((limit, i) =>
		el("input", {
			id: `threshold-${i}`,
			attributes: {
				type: "number",
				min: 0.001,
				step: "any",
				value: limit / 1000,
				"aria-label": `Limit ${i + 1} in µs`,
			},
			on: {
				change(event) {
					const next = look.thresholds.with(i, Number(event.target.value) * 1000);
					const isRising = next.every((value, n) => value > (next[n - 1] ?? 0));
					event.target.setCustomValidity(isRising ? "" : "limits must rise");
					if (isRising) {
						look.thresholds = next;
						changed();
					} else {
						event.target.reportValidity();
					}
				},
				keydown: (event) =>
					event.key === "Enter" &&
					(event.preventDefault(), event.target.dispatchEvent(new Event("change"))),
			},
		}),
	);

	return [
		el("fieldset", "radios", el("legend", {}, "Limits in µs"), el("div", "radios-row limits", ...limits)),
		check({
			id: "to-hundred",
			label: "scale to 100 %",
			isOn: look.toHundred,
			change(isOn) {
				look.toHundred = isOn;
				changed();
			},
		}),
		el("p", "hidden", `Limits: ${look.thresholds.map((limit) => formatNs(limit)).join(", ")}`),
	];
}

/** @param {State} state @param {() => void} changed @param {Group[]} groups */
function forCompare({ look }, changed, groups) {
	const metrics = metricsOf(groups.flatMap((group) => group.reports));

	if (!metrics.some(({ name }) => name === look.metric)) look.metric = metrics[0]?.name ?? "";
	if (metrics.length === 0) return [];
	return [
		menu({
			id: "metric",
			label: "Number",
			value: look.metric,
			options: metrics.map(({ name, label }) => ({ value: name, text: label })),
			change(value) {
				look.metric = value;
				changed();
			},
		}),
	];
}

/** @param {State} state @param {() => void} changed @param {Group[]} groups */
export function settings(state, changed, groups) {
	const own = {
		histogram: forHistogram,
		time: forTime,
		heatmap: forHeatmap,
		map: forHeatmap,
		spent: forSpent,
		compare: forCompare,
	}[state.chart];

	return [...axes(state, changed), ...(own ? own(state, changed, groups) : [])];
}
