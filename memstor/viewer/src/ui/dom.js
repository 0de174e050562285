// SPDX-License-Identifier: GPL-3.0-or-later
// The only maker of elements. Texts become text nodes, whatever they hold: nothing that a file says is ever markup.

/**
 * @typedef {object} Props
 * @property {string} [class]
 * @property {string} [id]
 * @property {Record<string, string | boolean | number | null | undefined>} [attributes] false, null: left out
 * @property {Record<string, (event: any) => void>} [on]
 */

/** @typedef {Node | string | null | false | undefined} Inside */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Props | string} [props] a string is the class
 * @param {...Inside} inside
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(name, props = {}, ...inside) {
	const element = document.createElement(name);
	const { class: names, id, attributes = {}, on = {} } = typeof props === "string" ? { class: props } : props;

	if (names) element.className = names;
	if (id) element.id = id;
	for (const [key, value] of Object.entries(attributes)) {
		if (value !== false && value !== null && value !== undefined)
			element.setAttribute(key, value === true ? "" : String(value));
	}
	for (const [event, run] of Object.entries(on)) element.addEventListener(event, run);
	element.append(...inside.filter((one) => one !== null && one !== undefined && one !== false));
	return element;
}

/**
 * A text of a file: kept apart from the writing direction of what is around it.
 * @param {string} text
 */
export function said(text) {
	return el("bdi", {}, text);
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
	const element = document.getElementById(id);

	if (!element) throw new Error(`no element ${id}`);
	return element;
}

/**
 * Puts new content into a part of the page; the control that has the focus, what is open and how far tables are
 * scrolled stay as they are. Controls are known by their id.
 * @param {HTMLElement} place
 * @param {...Inside} inside
 */
export function fill(place, ...inside) {
	const focused = place.contains(document.activeElement) ? document.activeElement?.id : "";
	const open = new Set([...place.querySelectorAll("details[id][open]")].map(({ id }) => id));
	const known = new Set([...place.querySelectorAll("details[id]")].map(({ id }) => id));
	const scrolled = [...place.querySelectorAll("[data-scroll]")].map(
		(area) => /** @type {const} */ ([area.getAttribute("data-scroll"), area.scrollLeft, area.scrollTop]),
	);

	place.replaceChildren(...inside.filter((one) => one !== null && one !== undefined && one !== false));
	for (const details of place.querySelectorAll("details[id]")) {
		if (known.has(details.id)) details.toggleAttribute("open", open.has(details.id));
	}
	for (const [name, left, top] of scrolled) {
		const area = place.querySelector(`[data-scroll="${name}"]`);
		if (area) area.scrollTo(left, top);
	}
	if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}
