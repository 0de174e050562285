// SPDX-License-Identifier: GPL-3.0-or-later
import { readCount, readNumber } from "./numbers.js";
import { quote } from "./refusal.js";
import { find, textOf } from "./xml.js";

/** A fault of one element; report.js looks up its line, and makes a Refusal of it. */
export class ElementFault extends Error {
	/**
	 * @param {Element} element
	 * @param {string} text
	 */
	constructor(element, text) {
		super(text);
		this.element = element;
	}
}

const COUNTS = "whole numbers from 0 to 2^64-1";

/**
 * @param {Element} element
 * @param {string} name
 * @returns {bigint}
 */
export function attributeCount(element, name) {
	const text = element.getAttribute(name);
	const value = readCount(text);

	if (text === null) throw new ElementFault(element, `<${quote(element.nodeName)}> has no ${name}`);
	if (value === null)
		throw new ElementFault(
			element,
			`${name}="${quote(text)}" of <${quote(element.nodeName)}>: allowed are ${COUNTS}`,
		);
	return value;
}

/**
 * @param {Element} element
 * @param {string} name
 */
export function attributeText(element, name) {
	const text = element.getAttribute(name);

	if (text === null) throw new ElementFault(element, `<${quote(element.nodeName)}> has no ${name}`);
	return text;
}

/** @param {Element} element */
export function countOf(element) {
	const value = readCount(textOf(element));

	if (value === null)
		throw new ElementFault(
			element,
			`<${quote(element.nodeName)}> is '${quote(textOf(element))}': allowed are ${COUNTS}`,
		);
	return value;
}

/** @param {Element} element */
export function numberOf(element) {
	const value = readNumber(textOf(element));

	if (value === null)
		throw new ElementFault(
			element,
			`<${quote(element.nodeName)}> is '${quote(textOf(element))}': allowed are finite numbers`,
		);
	return value;
}

/**
 * @param {Element | null} parent
 * @param {string} path
 * @returns {bigint} 0 when absent
 */
export function countAt(parent, path) {
	const element = find(parent, path);

	return element ? countOf(element) : 0n;
}

/**
 * @param {Element | null} parent
 * @param {string} path
 * @returns {number} NaN when absent
 */
export function numberAt(parent, path) {
	const element = find(parent, path);

	return element ? numberOf(element) : NaN;
}
