// SPDX-License-Identifier: GPL-3.0-or-later
// What is compared: the parameter set by menus, the basis by radio buttons, type, class, rounds.
import { AVERAGE, EACH } from "../model/groups.js";
import { kindName, kindsOf, typeName, typesOf } from "../model/lines.js";
import { check, menu, radios } from "./controls.js";
import { el, said } from "./dom.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../model/dimensions.js").Dimension} Dimension */

/** Parameters that stand in the list at once; more are folded. */
const ROWS_MAX = 9;
const CLASSES_MAX = 6;

/**
 * @param {State} state
 * @param {Dimension} dimension
 * @param {() => void} changed
 */
function row(state, dimension, changed) {
	const { key, label, values, alike } = dimension,
		id = `dimension-${state.dimensions.indexOf(dimension)}`;
	const isBasis = state.basis === key;
	const choice = isBasis ? EACH : (state.choices.get(key) ?? EACH);
	const radio = el("input", {
		id: `${id}-basis`,
		attributes: { type: "radio", name: "basis", checked: isBasis, "aria-label": `Compare by ${label}` },
		on: {
			change() {
				state.basis = key;
				changed();
			},
		},
	});
	const select = menu({
		id: `${id}-value`,
		label,
		value: choice,
		isDisabled: isBasis,
		isHiddenLabel: true,
		options: [
			{ value: EACH, text: isBasis ? "compared" : `each of ${values.length}` },
			...values.map(({ same, text }) => ({ value: `=${same}`, text })),
			{ value: AVERAGE, text: "any, averaged" },
		],
		change(value) {
			state.choices.set(key, value);
			changed();
		},
	});
	const name = el(
		"label",
		{
			class: "name",
			attributes: { for: `${id}-basis`, title: alike ? `changes together with ${alike}` : label },
		},
		said(label),
	);

	return el("div", { class: isBasis ? "parameter basis" : "parameter" }, radio, name, select);
}

/** @param {State} state @param {() => void} changed */
function noBasis(state, changed) {
	const radio = el("input", {
		id: "dimension-none",
		attributes: { type: "radio", name: "basis", checked: state.basis === "" },
		on: {
			change() {
				state.basis = "";
				changed();
			},
		},
	});

	return el(
		"div",
		"parameter",
		radio,
		el("label", { class: "name wide", attributes: { for: radio.id } }, "nothing: each set by itself"),
	);
}

/** @param {State} state @param {() => void} changed */
function parameters(state, changed) {
	const own = state.dimensions.filter(({ alike }) => !alike),
		first = own.slice(0, ROWS_MAX);
	const rest = state.dimensions.filter((dimension) => !first.includes(dimension));

	if (state.dimensions.length === 0)
		return el(
			"fieldset",
			{},
			el("legend", {}, "Parameter set"),
			el(
				"p",
				"hint",
				state.reports.length === 1
					? "One report. Open more to compare them."
					: "All open reports have the same parameters: they are rounds of one run.",
			),
		);
	return el(
		"fieldset",
		{ id: "parameters" },
		el("legend", {}, "Parameter set"),
		el("p", "columns", el("span", {}, "Compare by"), el("span", {}, "Value")),
		...first.map((dimension) => row(state, dimension, changed)),
		noBasis(state, changed),
		rest.length > 0 &&
			el(
				"details",
				{
					id: "parameters-more",
					attributes: { open: rest.some(({ key }) => key === state.basis) },
				},
				el("summary", {}, `${rest.length} more that differ`),
				...rest.map((dimension) => row(state, dimension, changed)),
			),
	);
}

/** @param {State} state @param {() => void} changed */
function accesses(state, changed) {
	const types = typesOf(state.reports),
		kinds = kindsOf(state.reports),
		{ look } = state;
	const typeOptions = [
		...types.map((type) => ({ value: type, text: typeName(type) })),
		...(types.length > 1
			? [
					{ value: "both", text: "both" },
					{ value: "each", text: "each" },
				]
			: []),
	];
	const kindOptions = [
		...(kinds.includes("all") ? [] : [{ value: "all", text: "each" }]),
		...kinds.map((kind) => ({ value: kind, text: kindName(kind) })),
		...(kinds.length > 1 && kinds.includes("all") ? [{ value: "each", text: "each" }] : []),
	];
	/* Four classes are a row of buttons, a dozen cells are not. */
	const choose = kinds.length > CLASSES_MAX ? menu : radios;
	const set = (/** @type {"type" | "kind"} */ name) => (/** @type {string} */ value) => {
		look[name] = value;
		changed();
	};

	return el(
		"fieldset",
		{ id: "accesses" },
		el("legend", {}, "Accesses"),
		types.length > 0
			? radios({
					id: "type",
					legend: "Type",
					options: typeOptions,
					value: types.length === 1 ? types[0] : look.type,
					change: set("type"),
				})
			: el("p", "hint", "The reports hold no histograms."),
		kinds.length > 1 &&
			choose({
				id: "kind",
				legend: "Class",
				label: "Class",
				options: kindOptions,
				value: look.kind,
				change: set("kind"),
			}),
	);
}

/** @param {State} state @param {() => void} changed */
function rounds(state, changed) {
	const { look } = state;

	return el(
		"fieldset",
		{ id: "rounds-set" },
		el("legend", {}, "Repeated runs"),
		radios({
			id: "rounds",
			legend: "Runs with equal parameters",
			value: look.rounds,
			options: [
				{ value: "mean", text: "mean" },
				{ value: "sum", text: "sum" },
				{ value: "each", text: "each" },
			],
			change(value) {
				look.rounds = /** @type {any} */ (value);
				changed();
			},
		}),
		check({
			id: "band",
			label: "band from the least to the most",
			isOn: look.band,
			isDisabled: look.rounds === "each",
			change(isOn) {
				look.band = isOn;
				changed();
			},
		}),
	);
}

/** @param {State} state @param {() => void} changed */
export function sidebar(state, changed) {
	return [parameters(state, changed), accesses(state, changed), state.reports.length > 1 && rounds(state, changed)];
}
