// SPDX-License-Identifier: GPL-3.0-or-later

const SPACE = "http://www.w3.org/2000/svg";
export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";

/** Numbers at the end of what a double holds may leave the axes' arithmetic as none. @param {number} value */
function px(value) {
	return Number.isFinite(value) ? String(Math.round(value * 100) / 100) : "0";
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} inside text becomes a text node
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...inside) {
	const element = document.createElementNS(SPACE, name);

	for (const [key, value] of Object.entries(attributes))
		element.setAttribute(key, typeof value === "number" ? px(value) : value);
	element.append(...inside);
	return /** @type {SVGElement} */ (element);
}

let clips = 0;

/**
 * @param {number} width
 * @param {number} height
 * @returns {{ id: string, element: SVGElement }}
 */
export function clip(width, height) {
	const id = `clip-${++clips}`;

	return { id, element: svg("clipPath", { id }, svg("rect", { width, height })) };
}

/** Width of a text of the charts, near enough to leave room for it. @param {string} text @param {number} size */
export function textWidth(text, size = 11) {
	return text.length * size * 0.58;
}
