// SPDX-License-Identifier: GPL-3.0-or-later
// What the page keeps of a document once histograms and series are taken out: a small tree of names and texts.
import { textOf } from "./xml.js";

/**
 * @typedef {object} Tree
 * @property {string} name
 * @property {[string, string][]} attributes
 * @property {string} text
 * @property {Tree[]} children
 */

/**
 * @param {Element} element nested at most 64 deep (xml.js)
 * @param {Set<string>} but names that are left out
 * @returns {Tree}
 */
export function treeOf(element, but) {
	return {
		name: element.nodeName,
		attributes: [...element.attributes].map(({ name, value }) => [name, value]),
		text: textOf(element),
		children: [...element.children]
			.filter((child) => !but.has(child.nodeName))
			.map((child) => treeOf(child, but)),
	};
}

/**
 * @param {Tree | undefined} tree
 * @param {string} path "signature/uuid"
 * @returns {Tree | undefined}
 */
export function branch(tree, path) {
	return path.split("/").reduce((at, name) => at?.children.find((child) => child.name === name), tree);
}

/**
 * @param {Tree | undefined} tree
 * @param {string} path
 */
export function textIn(tree, path) {
	return branch(tree, path)?.text ?? "";
}
