// SPDX-License-Identifier: GPL-3.0-or-later
// Which reports are compared, and which are rounds: repeated runs of one parameter set, to be averaged.
import { merge } from "./histogram.js";
import { valueOf } from "./dimensions.js";

/** @typedef {import("../read/report.js").Report} Report */
/** @typedef {import("./dimensions.js").Dimension} Dimension */
/** @typedef {import("./histogram.js").Histogram} Histogram */

/** Choices of a menu: one value ("=" and the value), each value for itself, or values that do not count. */
export const EACH = "each",
	AVERAGE = "average";

/**
 * @typedef {object} Group
 * @property {string} key
 * @property {string} label
 * @property {number} index place among all groups, hidden ones included: its colour
 * @property {Report[]} reports
 * @property {import("./dimensions.js").Value | null} basis its value of the basis
 * @property {string} rest what else sets it apart from other groups
 */

/**
 * @param {Report} report
 * @param {Dimension[]} dimensions
 * @param {Map<string, string>} choices
 * @param {string} basis
 */
function isChosen(report, dimensions, choices, basis) {
	return dimensions.every(({ key, roots }) => {
		const choice = key === basis || !roots.has(report.root) ? EACH : (choices.get(key) ?? EACH);
		return !choice.startsWith("=") || choice.slice(1) === valueOf(report, key).same;
	});
}

/**
 * Equal texts get equal numbers: texts of texts of texts would double with each.
 * @param {string[]} texts
 */
function ordinals(texts) {
	const known = new Map();

	return texts.map((text) => {
		if (!known.has(text)) known.set(text, known.size);
		return known.get(text);
	});
}

/**
 * Dimensions that divide, and those of them whose value is part of a group's name: what the basis and earlier names
 * do not already tell.
 * @param {Report[]} chosen
 * @param {Dimension[]} dimensions
 * @param {Map<string, string>} choices
 * @param {string} basis
 */
function divide(chosen, dimensions, choices, basis) {
	const dividing = dimensions.filter(
		({ key }) =>
			(key === basis || (choices.get(key) ?? EACH) === EACH) &&
			new Set(chosen.map((report) => valueOf(report, key).same)).size > 1,
	);
	let told = ordinals(chosen.map((report) => (basis ? valueOf(report, basis).same : "")));
	const rest = dividing.filter(({ key }) => {
		if (key === basis) return false;
		const both = ordinals(chosen.map((report, i) => `${told[i]} ${valueOf(report, key).same}`));
		const isNew = new Set(both).size > new Set(told).size;
		told = both;
		return isNew;
	});

	return { dividing, rest };
}

/**
 * @param {Report[]} reports
 * @param {Dimension[]} dimensions
 * @param {Map<string, string>} choices by key of the dimension; absent: each
 * @param {string} basis key of a dimension, or ""
 * @param {boolean} isSeparate every report for itself
 * @returns {Group[]} in the order of the basis
 */
export function makeGroups(reports, dimensions, choices, basis, isSeparate) {
	const chosen = reports.filter((report) => isChosen(report, dimensions, choices, basis));
	const { dividing, rest } = divide(chosen, dimensions, choices, basis);
	const base = dimensions.find(({ key }) => key === basis);
	/** @type {Map<string, Group>} */
	const groups = new Map();

	for (const report of chosen) {
		const parts = dividing.map(({ key }) => valueOf(report, key).same);
		const key = JSON.stringify(isSeparate ? [...parts, report.id] : parts);
		const known = groups.get(key);
		if (known) {
			known.reports.push(report);
			continue;
		}
		const others = rest
			.filter(({ roots }) => roots.has(report.root))
			.map(({ key: name, label }) => `${label} ${valueOf(report, name).text}`);
		if (isSeparate) others.push(report.file);
		const value = base ? valueOf(report, base.key) : null;
		const isNamed = base?.key !== "set:side" && base?.key !== "set:tool";
		const label = [...(value && base ? [isNamed ? `${base.label} ${value.text}` : value.text] : []), ...others].join(" · ");
		groups.set(key, {
			key,
			label: label || nameOf(chosen),
			index: 0,
			reports: [report],
			basis: value,
			rest: others.join(" · "),
		});
	}
	return sortGroups([...groups.values()], dividing, basis);
}

/** @param {Report[]} reports */
function nameOf(reports) {
	return reports.length === 1 ? reports[0].file : "all reports";
}

/**
 * @param {Group[]} groups
 * @param {Dimension[]} dividing
 * @param {string} basis
 */
function sortGroups(groups, dividing, basis) {
	const ordered = [...dividing].sort((a, b) => Number(b.key === basis) - Number(a.key === basis));
	const places = groups.map((group) => ({
		group,
		at: ordered.map(({ key, values }) =>
			values.findIndex(({ same }) => same === valueOf(group.reports[0], key).same),
		),
	}));

	places.sort((a, b) => {
		const i = a.at.findIndex((place, n) => place !== b.at[n]);
		return i < 0 ? a.group.reports[0].id - b.group.reports[0].id : a.at[i] - b.at[i];
	});
	return places.map(({ group }, index) => ({ ...group, index }));
}

/** @type {Map<string, Histogram | null>} sums by the reports' numbers, type and class */
const sums = new Map();
const SUMS_MAX = 5000;

/** More of a report is known than before. */
export function forgetSums() {
	sums.clear();
}

/**
 * @param {string} key
 * @param {() => Histogram | null} make
 */
function remember(key, make) {
	let sum = sums.get(key);

	if (sum === undefined) {
		if (sums.size > SUMS_MAX) sums.clear();
		sum = make();
		sums.set(key, sum);
	}
	return sum;
}

/**
 * A run's histogram of a type and class; "both" is the sum of reads and writes, or whatever types there are. Where these are
 * latencies of the same writes, it is their response.
 * @param {Report} report
 * @param {string} type
 * @param {string} kind
 * @returns {Histogram | null}
 */
export function histogramOf(report, type, kind) {
	return remember(JSON.stringify([report.id, type, kind]), () => {
		const hasResponses = report.histograms.some((histogram) => histogram.type === "response");
		const wanted = type === "both" && hasResponses ? "response" : type;
		const list = report.histograms.filter(
			(histogram) => histogram.kind === kind && (wanted === "both" || histogram.type === wanted),
		);
		return (
			list.find((histogram) => histogram.type === type) ?? (list.length ? merge(list, { type, kind }) : null)
		);
	});
}

/**
 * @param {Group} group
 * @param {string} type
 * @param {string} kind
 * @returns {Histogram[]} of the runs that have it
 */
export function histogramsOf(group, type, kind) {
	return group.reports.map((report) => histogramOf(report, type, kind)).filter((histogram) => histogram !== null);
}

/**
 * The sum over a group's runs.
 * @param {Group} group
 * @param {string} type
 * @param {string} kind
 */
export function pooled(group, type, kind) {
	return remember(JSON.stringify([...group.reports.map(({ id }) => id), type, kind]), () => {
		const list = histogramsOf(group, type, kind);
		return list.length ? merge(list) : null;
	});
}

/** What is never narrowed at the first look: reports of another side, folder or tool would be out of sight. */
const FIRST = new Set(["set:side", "set:folder", "set:tool", "set:step"]);

/**
 * Menus so that the first look shows at most so many lines: the last menus are set to their first value.
 * @param {Report[]} reports
 * @param {Dimension[]} dimensions
 * @param {string} basis
 * @param {number} most
 * @returns {Map<string, string>}
 */
export function firstChoices(reports, dimensions, basis, most) {
	const hasSides = dimensions.some(({ key }) => key === "set:side");
	/* As memstor compare pairs runs: the runs of a side are of one thing if their options are equal. */
	const isNoOption = (/** @type {string} */ key) => !key.startsWith("option:") && !FIRST.has(key);
	const choices = new Map(
		dimensions
			.filter(({ key, isRound }) => isRound || (hasSides && (isNoOption(key) || key === "set:folder")))
			.map(({ key }) => /** @type {[string, string]} */ ([key, AVERAGE])),
	);

	for (const { key, values, alike, roots } of [...dimensions].reverse()) {
		if (makeGroups(reports, dimensions, choices, basis, false).length <= most) break;
		if (key === basis || alike !== "" || choices.has(key) || FIRST.has(key)) continue;
		/* A value that reports have together with what is chosen already. */
		const left = new Set(
			reports
				.filter((report) => roots.has(report.root) && isChosen(report, dimensions, choices, basis))
				.map((report) => valueOf(report, key).same),
		);
		const found = values.find(({ same }) => left.has(same) && same !== "" && same !== "?");
		if (found) choices.set(key, `=${found.same}`);
	}
	return choices;
}
