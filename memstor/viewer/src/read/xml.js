// SPDX-License-Identifier: GPL-3.0-or-later
// The only caller of DOMParser, and small verbs on what it returns. Documents made by it run no script and load
// nothing; a document type, the only source of entities, was refused before (bytes.js).
import { Refusal, quote } from "./refusal.js";

const DEPTH_MAX = 64;
const ELEMENTS_MAX = 4_000_000;
const ERROR_SPACES = ["http://www.w3.org/1999/xhtml", "http://www.mozilla.org/newlayout/xml/parsererror.xml"];

/** @typedef {{ createHTML(text: string): any }} XmlPolicy */

/**
 * The page's policy forbids every other way from text to nodes (Content-Security-Policy in page.html).
 * @returns {XmlPolicy}
 */
function makePolicy() {
	const types = /** @type {any} */ (globalThis).trustedTypes;
	const rules = { createHTML: (/** @type {string} */ text) => text };
	return types ? types.createPolicy("memstor-xml", rules) : rules;
}
const policy = makePolicy();

/**
 * Browsers describe an error in a sentence of their own, with the place in it.
 * @param {Document} document
 */
function findError(document) {
	for (const space of ERROR_SPACES) {
		const error = document.getElementsByTagNameNS(space, "parsererror")[0];
		if (!error) continue;
		const text = (error.textContent ?? "").replace(/\s+/g, " ");
		const line = /line(?: number)? (\d+)/i.exec(text);
		const reason =
			/column \d+: (.*?)(?: ?Below is a rendering| Location:|$)/i.exec(text) ??
			/Parsing Error: (.*?) Location:/i.exec(text);
		return new Refusal(
			`not well-formed XML${reason ? `: ${quote(reason[1], 120).trim()}` : ""}`,
			line ? Number(line[1]) : 0,
		);
	}
	return null;
}

/** @param {Element} root */
function checkLimits(root) {
	let count = 0,
		depth = 1;

	for (let at = /** @type {Element | null} */ (root); at; ) {
		if (++count > ELEMENTS_MAX) throw new Refusal(`more than ${ELEMENTS_MAX} elements`);
		if (at.firstElementChild) {
			at = at.firstElementChild;
			if (++depth > DEPTH_MAX) throw new Refusal(`elements are nested more than ${DEPTH_MAX} deep`);
			continue;
		}
		while (at && at !== root && !at.nextElementSibling) {
			at = at.parentElement;
			depth--;
		}
		at = at && at !== root ? at.nextElementSibling : null;
	}
}

/**
 * @param {string} text
 * @returns {Element} the document element
 */
export function parseXml(text) {
	const document = new DOMParser().parseFromString(policy.createHTML(text), "application/xml");
	const error = findError(document);

	if (error || !document.documentElement) throw error ?? new Refusal("not well-formed XML");
	checkLimits(document.documentElement);
	return document.documentElement;
}

/**
 * Line of an element in the text that it was parsed from; only asked for when it is refused.
 * @param {Element} element
 * @param {string} text
 */
export function lineOf(element, text) {
	const name = element.nodeName;
	const index = [...element.ownerDocument.getElementsByTagName(name)].indexOf(element);
	const escaped = name.replace(/[^A-Za-z0-9_]/g, "\\$&");
	const tags = new RegExp(`<!-{2}[^]*?-->|<!\\[CDATA\\[[^]*?\\]\\]>|<\\?[^]*?\\?>|<${escaped}(?=[\\s/>])`, "gu");
	let seen = -1;

	for (const match of text.matchAll(tags)) {
		if (!/^<[!?]/.test(match[0]) && ++seen === index) return text.slice(0, match.index).split("\n").length;
	}
	return 0;
}

/**
 * @param {Element | null | undefined} parent
 * @param {string} name
 * @returns {Element[]}
 */
export function children(parent, name) {
	const found = [];

	for (let at = parent?.firstElementChild; at; at = at.nextElementSibling) {
		if (at.nodeName === name) found.push(at);
	}
	return found;
}

/**
 * First descendant by a path of child names, "signature/params/ratio".
 * @param {Element | null | undefined} from
 * @param {string} path
 * @returns {Element | null}
 */
export function find(from, path) {
	const [name, ...rest] = path.split("/");

	for (const child of children(from, name)) {
		const found = rest.length ? find(child, rest.join("/")) : child;
		if (found) return found;
	}
	return null;
}

/**
 * An element's own text without the blanks around it.
 * @param {Element} element
 */
export function textOf(element) {
	let text = "";

	for (const node of element.childNodes) {
		if (node.nodeType === 3 || node.nodeType === 4) text += node.nodeValue;
	}
	return text.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, "");
}

/**
 * @param {Element | null | undefined} from
 * @param {string} path
 * @returns {string} "" = absent or empty
 */
export function textAt(from, path) {
	const found = find(from, path);

	return found ? textOf(found) : "";
}
