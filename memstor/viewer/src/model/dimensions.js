// SPDX-License-Identifier: GPL-3.0-or-later
// A dimension is a fact in which the open reports differ: one row of the parameter menus.
import { compareKeys, labelOf } from "./names.js";

/** @typedef {import("../read/report.js").Report} Report */
/** @typedef {{ same: string, text: string, order: number }} Value */

/**
 * @typedef {object} Dimension
 * @property {string} key
 * @property {string} label
 * @property {Value[]} values in order, at least two
 * @property {string} alike label of an earlier dimension that this one follows from, or ""
 * @property {boolean} isRound its values number repetitions
 * @property {Set<string>} roots the tools whose reports have it at all: it divides these alone
 */

const NONE = { same: "", text: "not given", order: -Infinity };
const UNKNOWN = { same: "?", text: "not recorded", order: -Infinity };
/** Facts that no two runs share, or that change nothing that is measured. */
const IDLE = new Set([
	"setting:cmdline",
	...["interval", "seed", "label", "file", "json", "csv", "markdown", "ndjson", "output", "quiet", "dump"].map(
		(name) => `option:${name}`,
	),
]);

/**
 * What is not said is "not given"; the original's reports leave most unsaid that we record.
 * @param {Report} report
 * @param {string} key
 * @returns {Value}
 */
export function valueOf(report, key) {
	return report.facts.get(key) ?? (report.isOriginal ? UNKNOWN : NONE);
}

/** @param {Value} a @param {Value} b */
function compareValues(a, b) {
	if (!Number.isNaN(a.order) && !Number.isNaN(b.order) && a.order !== b.order) return a.order - b.order;
	return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}

/**
 * Whether the value of one follows from the value of the other, which has fewer values than there are reports: a CPU
 * from its host.
 * @param {string[]} own of each report
 * @param {string[]} other
 */
function follows(own, other) {
	const known = new Map(other.map((value, i) => [value, own[i]]));

	return (
		other.every((value, i) => known.get(value) === own[i]) &&
		(known.size < own.length || new Set(own).size === known.size)
	);
}

/**
 * @param {Report[]} reports
 * @returns {Dimension[]}
 */
export function findDimensions(reports) {
	const keys = new Set(reports.flatMap((report) => [...report.facts.keys()]));
	/** @type {Dimension[]} */
	const dimensions = [];
	/** @type {string[][]} values of each dimension that nothing follows from, by report */
	const columns = [];
	/** @type {string[]} */
	const labels = [];

	for (const key of [...keys].sort(compareKeys)) {
		if (IDLE.has(key)) continue;
		const roots = new Set(reports.filter((report) => report.facts.has(key)).map(({ root }) => root));
		const own = reports.filter(({ root }) => roots.has(root));
		const values = new Map(own.map((report) => [valueOf(report, key).same, valueOf(report, key)]));
		/* What the original did not record does not divide by itself, nor what another tool does not have. */
		const told = [...values.keys()].filter((same) => same !== UNKNOWN.same);
		if (told.length < 2) continue;
		const column = reports.map((report) => valueOf(report, key).same),
			label = labelOf(key);
		const before = columns.findIndex((other) => follows(column, other));
		dimensions.push({
			key,
			label,
			values: [...values.values()].sort(compareValues),
			alike: before < 0 ? "" : labels[before],
			roots,
			isRound: /^(label:)?(run|round|rep|repeat|repetition|iteration|trial)s?$/i.test(key),
		});
		if (before < 0) {
			columns.push(column);
			labels.push(label);
		}
	}
	return dimensions;
}
