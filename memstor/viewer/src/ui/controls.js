// SPDX-License-Identifier: GPL-3.0-or-later
// Native controls with their labels: what a browser makes operable by keyboard and known to screen readers.
import { el } from "./dom.js";

/** @typedef {{ value: string, text: string, why?: string }} Option why: it cannot be chosen */

/**
 * Radio buttons in a row.
 * @param {{ id: string, legend: string, options: Option[], value: string, change: (value: string) => void }} wish
 */
export function radios({ id, legend, options, value, change }) {
	return el(
		"fieldset",
		{ class: "radios", id },
		el("legend", {}, legend),
		el(
			"div",
			"radios-row",
			...options.map((option) => {
				const radio = el("input", {
					id: `${id}-${option.value}`,
					attributes: {
						type: "radio",
						name: id,
						value: option.value,
						checked: option.value === value,
						disabled: Boolean(option.why),
					},
					on: { change: () => change(option.value) },
				});
				const attributes = { for: radio.id, title: option.why || null };
				return el("label", { attributes }, radio, el("span", {}, option.text));
			}),
		),
	);
}

/**
 * @param {{
 *   id: string, label: string, options: Option[], value: string, change: (value: string) => void,
 *   isDisabled?: boolean, isHiddenLabel?: boolean
 * }} wish
 */
export function menu({ id, label, options, value, change, isDisabled, isHiddenLabel }) {
	const select = el(
		"select",
		{
			id,
			attributes: { disabled: isDisabled },
			on: { change: (event) => change(event.target.value) },
		},
		...options.map((option) =>
			el("option", { attributes: { value: option.value, selected: option.value === value } }, option.text),
		),
	);

	select.value = value;
	return el(
		"div",
		"field",
		el("label", { class: isHiddenLabel ? "hidden" : "", attributes: { for: id } }, label),
		select,
	);
}

/**
 * @param {{ id: string, label: string, isOn: boolean, change: (isOn: boolean) => void, isDisabled?: boolean }} wish
 */
export function check({ id, label, isOn, change, isDisabled }) {
	return el(
		"label",
		{ class: "check", attributes: { for: id } },
		el("input", {
			id,
			attributes: { type: "checkbox", checked: isOn, disabled: isDisabled },
			on: { change: (event) => change(event.target.checked) },
		}),
		el("span", {}, label),
	);
}

/**
 * @param {{ id: string, text: string, run: () => void, title?: string, class?: string, isDisabled?: boolean }} wish
 */
export function button({ id, text, run, title, class: names, isDisabled }) {
	return el(
		"button",
		{ id, class: names, attributes: { type: "button", title, disabled: isDisabled }, on: { click: run } },
		text,
	);
}
