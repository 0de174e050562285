// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn: one line for each group, type and class that is asked for.
import { histogramsOf, pooled } from "./groups.js";

/** @typedef {import("./groups.js").Group} Group */
/** @typedef {import("./histogram.js").Histogram} Histogram */
/** @typedef {import("../read/report.js").Report} Report */

/**
 * @typedef {object} Line
 * @property {string} key
 * @property {string} label
 * @property {string} part of the label: its type and class, where there are several
 * @property {Group} group
 * @property {Histogram} sum over the runs
 * @property {Histogram[]} runs
 * @property {number} color index into the palette
 * @property {number} dash index
 */

const TYPES = ["read", "write"],
	KINDS = ["all", "hit", "minor", "major"];
const TYPE_NAMES = new Map([
	["read", "reads"],
	["write", "writes"],
	["both", "reads and writes"],
]);
const KIND_NAMES = new Map([
	["all", "all"],
	["hit", "hits"],
	["minor", "minor"],
	["major", "major"],
]);

/** @param {string} type */
export function typeName(type) {
	return TYPE_NAMES.get(type) ?? type;
}

/** @param {string} kind */
export function kindName(kind) {
	return KIND_NAMES.get(kind) ?? kind;
}

/**
 * @param {string[]} found
 * @param {string[]} order
 */
function inOrder(found, order) {
	const names = new Set(found);

	return [...order.filter((name) => names.has(name)), ...[...names].filter((name) => !order.includes(name)).sort()];
}

/** Types of access that there are, "both" not among them. @param {Report[]} reports */
export function typesOf(reports) {
	return inOrder(
		reports.flatMap((report) => report.histograms.map(({ type }) => type)).filter((type) => type !== "both"),
		TYPES,
	);
}

/** @param {Report[]} reports */
export function kindsOf(reports) {
	return inOrder(
		reports.flatMap((report) => report.histograms.map(({ kind }) => kind)),
		KINDS,
	);
}

/** @param {Group} group */
function hasAll(group) {
	return group.reports.some((report) => report.histograms.some(({ kind }) => kind === "all"));
}

/**
 * Dashes distinguish a few classes of a group, not a dozen cells: these get colours of their own.
 * @param {Group[]} groups
 * @param {string} kind
 */
export function haveGroupColors(groups, kind) {
	return kind !== "all" || groups.every((group) => hasAll(group) || kindsOf(group.reports).length === 0);
}

/** Classes that one number is told of: each, where nothing is said of all together. @param {Group[]} groups @param {string} kind */
export function drawnKinds(groups, kind) {
	if (kind !== "all" && kind !== "each") return [kind];
	return groups.some(hasAll) ? ["all"] : kindsOf(groups.flatMap((group) => group.reports));
}

/**
 * @param {Group[]} groups
 * @param {string} type or "each"
 * @param {string} kind or "each"
 * @param {Set<string>} hidden keys of groups that are not drawn
 * @returns {Line[]}
 */
export function makeLines(groups, type, kind, hidden) {
	const reports = groups.flatMap((group) => group.reports);
	const types = type === "each" ? typesOf(reports) : [type];
	const kinds =
		kind === "each" ? kindsOf(reports).filter((name, _, all) => name !== "all" || all.length === 1) : [kind];
	/* Of the only group the parts are told, of which there may be a dozen. */
	const isOnly = groups.length === 1 && groups[0].basis === null && groups[0].rest === "";
	const isOwn = groups.length === 1 || !haveGroupColors(groups, kind);
	/** @type {Line[]} */
	const lines = [];

	for (const group of groups) {
		/* Where nothing is said of all together (cells, streams), each is drawn. */
		const own = kind === "all" && !hasAll(group) ? kindsOf(group.reports) : kinds;
		const parts = types.flatMap((t) => own.map((k) => ({ type: t, kind: k })));
		parts.forEach((part, p) => {
			const sum = pooled(group, part.type, part.kind);
			if (!sum || sum.total === 0n || hidden.has(group.key)) return;
			const words = [
				types.length > 1 ? typeName(part.type) : "",
				own.length > 1 || (kind === "all" && part.kind !== "all") ? kindName(part.kind) : "",
			].filter(Boolean);
			lines.push({
				key: JSON.stringify([group.key, part.type, part.kind]),
				label: [...(isOnly && words.length ? [] : [group.label]), ...words].join(", "),
				part: words.join(", "),
				group,
				sum,
				runs: histogramsOf(group, part.type, part.kind),
				color: isOwn ? lines.length : group.index,
				dash: isOwn ? 0 : p,
			});
		});
	}
	return lines;
}
