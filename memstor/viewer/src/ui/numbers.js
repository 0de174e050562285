// SPDX-License-Identifier: GPL-3.0-or-later
// The compared runs in figures: throughput and latencies, each set against one of them.
import { swatch } from "../chart/cursor.js";
import { lineStyle } from "../chart/chart.js";
import { ABSENT, formatCount, formatNs, formatNumber, formatShare } from "../chart/format.js";
import { histogramsOf, pooled } from "../model/groups.js";
import { boundedPercentile } from "../model/histogram.js";
import { mode } from "../model/smooth.js";
import { kindName, kindsOf, typeName, typesOf } from "../model/lines.js";
import { PERCENTS } from "../model/metrics.js";
import { toCsv } from "../model/csv.js";
import { doubt, doubtWords } from "./badges.js";
import { button, menu } from "./controls.js";
import { el, said } from "./dom.js";
import { save } from "./save.js";
import { table } from "./table.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../model/groups.js").Group} Group */
/** @typedef {import("../model/histogram.js").Histogram} Histogram */
/** @typedef {import("../model/lines.js").Line} Line */
/** @typedef {{ value: number, isBelow: boolean }} Bounded isBelow: no more is known than that it is below the value */
/** @typedef {{ name: string, title: string, value: (histogram: Histogram) => Bounded }} Column */

const HINT =
	"Latencies of repeated runs are those of their summed histograms; a cell's title has the exact value and the range of " +
	"the runs. Percentiles are interpolated inside a bucket, but not in an open first one: < is its end. The most frequent " +
	"latency is the peak of the histogram drawn as share. Whether a change is more than noise tells memstor compare.";

/** @param {number} value @returns {Bounded} */
function exactly(value) {
	return { value, isBelow: false };
}

/** @type {Column[]} */
const COLUMNS = [
	{ name: "mean_ns", title: "mean", value: (histogram) => exactly(histogram.mean) },
	...PERCENTS.map((percent) => ({
		name: `p${String(percent).replace(".", "")}_ns`,
		title: `${percent} %`,
		value: (/** @type {Histogram} */ histogram) => boundedPercentile(histogram, percent),
	})),
	{ name: "max_ns", title: "max", value: (histogram) => exactly(histogram.max) },
	{ name: "mode_ns", title: "most frequent", value: mode },
];

/** @param {number} value @param {number} base */
function change(value, base) {
	const percent = (value / base - 1) * 100;

	if (!Number.isFinite(percent)) return "";
	if (Math.abs(percent) < 0.05) return "same";
	if (Math.abs(percent) >= 1000) return `× ${formatNumber(value / base)}`;
	return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`;
}

/**
 * As cell, of a latency that may be known to be below an edge only: then it has no change.
 * @param {Bounded} one
 * @param {Bounded | null} base
 * @param {Bounded[]} rounds
 * @param {string} names classes
 */
function latencyCell(one, base, rounds, names = "") {
	const inCell = cell(
		one.value,
		base && !one.isBelow && !base.isBelow ? base.value : NaN,
		rounds.map(({ value }) => value),
		(ns) => formatNs(ns),
		names,
	);

	if (!one.isBelow) return inCell;
	return {
		...inCell,
		title: `in the bucket below ${one.value} ns, inside of which nothing is known`,
		inside: [`< ${formatNs(one.value)}`, base && el("small", {}, " ")],
	};
}

/**
 * A value with its change against the base and the range of its rounds.
 * @param {number} value
 * @param {number} base NaN: nothing to set it against
 * @param {number[]} rounds
 * @param {(value: number) => string} format
 * @param {string} names classes
 */
function cell(value, base, rounds, format, names = "") {
	const known = rounds.filter((one) => Number.isFinite(one));
	const range =
		known.length > 1
			? `${known.length} runs: ${format(Math.min(...known))} to ${format(Math.max(...known))}`
			: "";

	return {
		class: `number ${names}`,
		title: Number.isFinite(value) ? `${value}${range && `; ${range}`}` : "not in the report",
		inside: [
			Number.isFinite(value) ? format(value) : ABSENT,
			Number.isFinite(base) && el("small", {}, change(value, base) || " "),
		],
	};
}

/** @param {number[]} values */
function mean(values) {
	const known = values.filter((value) => Number.isFinite(value));

	return known.length ? known.reduce((a, b) => a + b, 0) / known.length : NaN;
}

/** @param {Group} group */
function throughputs(group) {
	return group.reports.map((report) => report.values.get("accesses_per_second") ?? NaN);
}

/** @param {Line} line */
function rateOf(line) {
	return mean(throughputs(line.group));
}

/**
 * @param {Line} line
 * @param {Line} base
 * @param {import("../chart/palette.js").Theme} theme
 */
function lineRow(line, base, theme) {
	const { color, dash } = lineStyle(theme, line),
		isBase = line === base;
	const rate = (/** @type {number} */ value) => `${formatNumber(value)}/s`;

	return [
		{ class: "series", inside: [swatch(color, dash), said(line.label), " ", ...doubt(line.group.reports)] },
		{ class: "number", inside: [String(line.runs.length)] },
		{ class: "number", inside: [formatCount(line.sum.total)] },
		cell(rateOf(line), isBase ? NaN : rateOf(base), throughputs(line.group), rate, "edge"),
		...COLUMNS.map(({ value }, i) =>
			latencyCell(value(line.sum), isBase ? null : value(base.sum), line.runs.map(value), i ? "" : "edge"),
		),
	];
}

/**
 * @param {State} state
 * @param {Line[]} lines
 * @param {Line} base
 * @param {() => void} changed
 */
function tools(state, lines, base, changed) {
	const choose = (/** @type {string} */ value) => {
		state.base = value;
		changed();
	};
	const options = lines.map(({ key, label }) => ({ value: key, text: label }));
	const run = () => save("memstor-table.csv", new Blob([toCsv(numbersTable(lines))], { type: "text/csv" }));

	return el(
		"div",
		"tools",
		lines.length > 1 && menu({ id: "base", label: "Changes against", value: base.key, options, change: choose }),
		button({ id: "numbers-csv", text: "Table as CSV", title: "Save this table as CSV", run }),
	);
}

/**
 * @param {State} state
 * @param {Line[]} lines
 * @param {import("../chart/palette.js").Theme} theme
 * @param {() => void} changed
 */
function compared(state, lines, theme, changed) {
	const base = lines.find(({ key }) => key === state.base) ?? lines[0];
	const titles = ["Runs", "Accesses", "Throughput", ...COLUMNS.map(({ title }) => title)];

	return [
		tools(state, lines, base, changed),
		table({
			id: "compared",
			caption: "Throughput and latency of what is compared",
			head: ["Series", ...titles.map((title) => ({ class: "number", inside: [title] }))],
			rows: lines.map((line) => lineRow(line, base, theme)),
			class: "figures",
		}),
		el("p", "hint", HINT),
	];
}

/** @param {Line[]} lines @returns {import("../chart/chart.js").Table} */
export function numbersTable(lines) {
	return {
		head: ["series", "verdict", "runs", "accesses", "accesses_per_second", ...COLUMNS.map(({ name }) => name)],
		rows: lines.map((line) => [
			line.label,
			doubtWords(line.group.reports) || line.group.reports[0].status,
			line.runs.length,
			line.sum.total,
			mean(throughputs(line.group)),
			...COLUMNS.map(({ value }) => {
				const one = value(line.sum);
				return one.isBelow ? `<${one.value}` : one.value;
			}),
		]),
	};
}

/**
 * @param {Group} group
 * @param {string} type
 * @param {string} kind
 */
function kindCells(group, type, kind) {
	const sum = /** @type {Histogram} */ (pooled(group, type, kind)),
		whole = pooled(group, type, "all");

	return [
		{ class: "number", inside: [formatCount(sum.total)] },
		{ class: "number", inside: [whole ? formatShare(Number(sum.total) / Number(whole.total)) : ABSENT] },
		{ class: "number edge", title: String(sum.min), inside: [formatNs(sum.min)] },
		...COLUMNS.slice(0, -1).map(({ value }) =>
			latencyCell(value(sum), null, histogramsOf(group, type, kind).map(value)),
		),
		{ class: "number", title: String(sum.stddev), inside: [formatNs(sum.stddev)] },
		latencyCell(mode(sum), null, []),
	];
}

/**
 * @param {Group[]} groups
 * @param {import("../read/report.js").Report[]} reports
 */
function byKind(groups, reports) {
	const types = typesOf(reports),
		kinds = kindsOf(reports);
	const parts = [...types, ...(types.length > 1 ? ["both"] : [])].flatMap((type) =>
		kinds.map((kind) => ({ type, kind })),
	);
	const rows = groups.flatMap((group) => {
		const filled = parts.filter(({ type, kind }) => (pooled(group, type, kind)?.total ?? 0n) > 0n);
		return filled.map(({ type, kind }, i) => [
			i === 0 ? { class: "series", rows: filled.length, inside: [said(group.label)] } : null,
			{
				class: kind === kinds[0] ? "edge" : "edge again",
				inside: [type === "both" ? "both" : typeName(type)],
			},
			kindName(kind),
			...kindCells(group, type, kind),
		]);
	});
	const head = [
		"Accesses",
		"Share",
		"min",
		...COLUMNS.slice(0, -1).map(({ title }) => title),
		"std. dev.",
		"most frequent",
	];

	return el(
		"details",
		{ id: "by-kind", attributes: { open: groups.length <= 3 } },
		el("summary", {}, "By type and class"),
		table({
			id: "kinds",
			caption: "Latency by type and class",
			class: "figures",
			rows,
			head: ["Series", "Type", "Class", ...head.map((title) => ({ class: "number", inside: [title] }))],
		}),
	);
}

/**
 * @param {State} state
 * @param {Group[]} groups
 * @param {Line[]} lines
 * @param {import("../chart/palette.js").Theme} theme
 * @param {() => void} changed
 */
export function numbers(state, groups, lines, theme, changed) {
	if (lines.length === 0 && !groups.some((group) => throughputs(group).some((value) => Number.isFinite(value))))
		return [];
	return [
		el("h2", { id: "numbers-title" }, "Figures"),
		...(lines.length ? compared(state, lines, theme, changed) : [throughputOnly(groups)]),
		lines.length > 0 && byKind(groups, state.reports),
	];
}

/** Reports without histograms still have totals. @param {Group[]} groups */
function throughputOnly(groups) {
	return table({
		id: "compared",
		caption: "Throughput of what is compared",
		class: "figures",
		head: ["Series", "Runs", "Throughput", "Time per access"],
		rows: groups.map((group) => [
			{ class: "series", inside: [said(group.label)] },
			String(group.reports.length),
			cell(mean(throughputs(group)), NaN, throughputs(group), (value) => `${formatNumber(value)}/s`),
			cell(mean(group.reports.map(({ values }) => values.get("latency_ns") ?? NaN)), NaN, [], (ns) =>
				formatNs(ns),
			),
		]),
	});
}
