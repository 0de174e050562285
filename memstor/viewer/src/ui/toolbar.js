// SPDX-License-Identifier: GPL-3.0-or-later
// How a chart is drawn: its kind, axes, and what only this kind has.
import { heatRuns } from "../chart/heatmap.js";
import { leftLabel } from "../chart/time.js";
import { formatNs } from "../chart/format.js";
import { counterKind, counterNames, valueNames } from "../model/counters.js";
import { metricsOf } from "../model/metrics.js";
import { CHARTS } from "../state.js";
import { button, check, menu, radios } from "./controls.js";
import { el } from "./dom.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../model/groups.js").Group} Group */

const AXIS = [{ value: "linear", text: "linear" }, { value: "log", text: "log" }];

/** @param {State} state @param {() => void} changed */
export function kinds(state, changed) {
	const hasSeries = state.reports.some(({ intervals }) => intervals.length > 0);
	const hasHistograms = state.reports.some(({ histograms }) => histograms.length > 0);

	return radios({
		id: "chart", legend: "Chart", value: state.chart,
		options: [...CHARTS].map(([value, { title }]) => ({
			value, text: title,
			isDisabled: ["time", "heatmap"].includes(value) ? !hasSeries : value === "compare" ? false : !hasHistograms,
		})),
		change(value) {
			state.chart = value;
			changed();
		},
	});
}

/** @param {State} state @param {() => void} changed */
function axes(state, changed) {
	const can = CHARTS.get(state.chart), axis = state.axes.get(state.chart);

	if (!can || !axis)
		return [];
	return /** @type {const} */ ([["x", "xLog"], ["y", "yLog"]]).flatMap(([name, key]) => can[name] === null ? [] : [radios({
		id: `${name}-axis`, legend: name === "x" ? "X axis" : "Y axis", options: AXIS, value: axis[key] ? "log" : "linear",
		change(value) {
			axis[key] = value === "log";
			axis.zoom = name === "x" ? null : axis.zoom;
			changed();
		},
	})]);
}

/** @param {State} state @param {() => void} changed */
function forHistogram({ look }, changed) {
	const set = (/** @type {(value: string) => void} */ apply) => (/** @type {string} */ value) => {
		apply(value);
		changed();
	};

	return [
		menu({
			id: "measure", label: "Show", value: look.measure, change: set((value) => (look.measure = /** @type {any} */ (value))),
			options: [{ value: "share", text: "share" }, { value: "count", text: "accesses" }, { value: "density", text: "share per µs" }],
		}),
		menu({
			id: "detail", label: "Buckets", value: look.detail, change: set((value) => (look.detail = value)),
			options: [{ value: "", text: "as recorded" }, { value: "log16", text: "16 per power of 2" }, { value: "octave", text: "1 per power of 2" }],
		}),
		menu({
			id: "smooth", label: "Smooth tail", value: String(look.smooth), change: set((value) => (look.smooth = Number(value))),
			options: [{ value: "0", text: "off" }, ...[5, 20, 100, 1000].map((n) => ({ value: String(n), text: `${n} a step` }))],
		}),
	];
}

/** @param {State} state @param {() => void} changed @param {Group[]} groups */
function forTime({ look }, changed, groups) {
	const reports = groups.flatMap((group) => group.reports), values = valueNames(reports), names = counterNames(reports);
	const count = look.right.length;

	if (values.length && !values.includes(look.left))
		look.left = values[0];
	const filter = el("input", {
		id: "counter-filter", attributes: { type: "search", placeholder: "filter", "aria-label": "Filter counters" },
		on: {
			input: (event) => {
				for (const label of list.children)
					label.toggleAttribute("hidden", !(label.textContent ?? "").toLowerCase().includes(event.target.value.toLowerCase()));
			},
			/* Enter would send the form. */
			keydown: (event) => event.key === "Enter" && event.preventDefault(),
		},
	});
	const list = el("div", { class: "counter-list", attributes: { "data-scroll": "counters" } }, ...names.map((name, i) => check({
		id: `counter-${i}`, label: name, isOn: look.right.includes(name),
		change(isOn) {
			look.right = isOn ? [...look.right, name] : look.right.filter((one) => one !== name);
			changed();
		},
	})));
	return [
		menu({
			id: "left", label: "Left axis", value: look.left, options: values.map((value) => ({ value, text: leftLabel(value) })),
			change(value) {
				look.left = value;
				changed();
			},
		}),
		names.length > 0 && el("details", { id: "counters", class: "popup" },
			el("summary", {}, count ? `Counters: ${count === 1 ? look.right[0] : count}` : "Counters…"),
			el("div", "popup-box", el("p", "hint", "Drawn on the right axis: levels as they are, events per second."), filter, list)),
		count > 0 && button({
			id: "counters-none", text: "No counters",
			run() {
				look.right = [];
				changed();
			},
		}),
		new Set(look.right.map((name) => counterKind(name).unit)).size > 1 && el("p", "hint", "Counters of different units share the right axis."),
	];
}

/** @param {State} state @param {() => void} changed @param {Group[]} groups */
function forHeatmap({ look }, changed, groups) {
	const runs = heatRuns(groups);

	return runs.length > 1 ? [menu({
		id: "heat-run", label: "Run", value: String(runs.find(({ id }) => id === look.run)?.id ?? runs[0].id),
		options: runs.map(({ id, file }) => ({ value: String(id), text: file })),
		change(value) {
			look.run = Number(value);
			changed();
		},
	})] : [];
}

/** @param {State} state @param {() => void} changed */
function forSpent({ look }, changed) {
	const limits = look.thresholds.map((limit, i) => el("input", {
		id: `threshold-${i}`, attributes: { type: "number", min: 0.001, step: "any", value: limit / 1000, "aria-label": `Limit ${i + 1} in µs` },
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
			keydown: (event) => event.key === "Enter" && (event.preventDefault(), event.target.dispatchEvent(new Event("change"))),
		},
	}));

	return [
		el("fieldset", "radios", el("legend", {}, "Limits in µs"), el("div", "radios-row limits", ...limits)),
		check({
			id: "to-hundred", label: "scale to 100 %", isOn: look.toHundred,
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

	return [menu({
		id: "metric", label: "Number", value: look.metric, options: metrics.map(({ name, label }) => ({ value: name, text: label })),
		change(value) {
			look.metric = value;
			changed();
		},
	})];
}

/** @param {State} state @param {() => void} changed @param {Group[]} groups */
export function settings(state, changed, groups) {
	const own = { histogram: forHistogram, time: forTime, heatmap: forHeatmap, spent: forSpent, compare: forCompare }[state.chart];

	return [...axes(state, changed), ...own ? own(state, changed, groups) : []];
}
