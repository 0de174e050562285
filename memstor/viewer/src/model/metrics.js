// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers by which runs are compared: one table. A number is of a run, and of a type and class where it is a
// latency.
import { histogramOf } from "./groups.js";
import { boundedPercentile } from "./histogram.js";
import { mode } from "./smooth.js";

/** @typedef {import("../read/report.js").Report} Report */
/** @typedef {import("./histogram.js").Histogram} Histogram */

/** Percentiles of every table, as the reports' own summaries have them. */
export const PERCENTS = [50, 90, 95, 99, 99.9, 99.99];

/**
 * @typedef {object} Metric
 * @property {string} name
 * @property {string} label
 * @property {"ns" | "rate" | "count" | "number" | "percent" | "seconds" | "bytes"} unit
 * @property {boolean} isLatency of a histogram, so that type and class apply
 * @property {(report: Report, type: string, kind: string) => number} value NaN = the run has none
 */

/**
 * @param {string} name
 * @param {string} label
 * @param {Metric["unit"]} unit
 * @returns {Metric}
 */
function total(name, label, unit) {
	return { name, label, unit, isLatency: false, value: (report) => report.values.get(name) ?? NaN };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {(histogram: Histogram) => number} value
 * @returns {Metric}
 */
function latency(name, label, value) {
	return {
		name,
		label,
		unit: "ns",
		isLatency: true,
		value(report, type, kind) {
			const histogram = histogramOf(report, type, kind);
			return histogram ? value(histogram) : NaN;
		},
	};
}

/** @type {Metric[]} */
const METRICS = [
	total("wall_ns", "Wall time", "ns"),
	total("user_ns", "User time", "ns"),
	total("system_ns", "System time", "ns"),
	total("peak_bytes", "Peak memory", "bytes"),
	total("accesses_per_second", "Throughput", "rate"),
	total("latency_ns", "Time per access, all included", "ns"),
	latency("mean", "Mean latency", (histogram) => histogram.mean),
	...PERCENTS.map((percent) =>
		latency(`p${percent}`, `${percent} % latency`, (histogram) => boundedPercentile(histogram, percent).value),
	),
	latency("max", "Longest latency", (histogram) => histogram.max),
	latency("mode", "Most frequent latency", (histogram) => mode(histogram).value),
	{
		name: "count",
		label: "Accesses",
		unit: "count",
		isLatency: true,
		value(report, type, kind) {
			const histogram = histogramOf(report, type, kind);
			return histogram ? Number(histogram.total) : NaN;
		},
	},
];

/** @param {string} name "os_overhead_ns" @returns {Metric["unit"]} */
export function unitOf(name) {
	const units = /** @type {[RegExp, Metric["unit"]][]} */ ([
		[/_per_second$/, "rate"],
		[/_ns$/, "ns"],
		[/_percent$/, "percent"],
		[/_s$/, "seconds"],
		[/(^|_)bytes$/, "bytes"],
	]);

	return units.find(([end]) => end.test(name))?.[1] ?? "number";
}

/** @param {string} name "os_overhead_ns" */
export function titleOf(name) {
	const words = name
		.replace(/_(ns|us|ms|s|percent|bytes|kib|mib)$/, "")
		.replace(/_per_second$/, " per second")
		.replace(/_/g, " ");

	return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The table, and every other number that a result has: those of tools that are not known here.
 * @param {Report[]} reports
 * @returns {Metric[]}
 */
export function metricsOf(reports) {
	const named = new Set([...METRICS.map(({ name }) => name), "accesses"]);
	const others = new Set(reports.flatMap((report) => [...report.values.keys()]).filter((name) => !named.has(name)));

	return [...METRICS, ...[...others].sort().map((name) => total(name, titleOf(name), unitOf(name)))].filter((metric) =>
		metric.isLatency
			? reports.some(({ histograms }) => histograms.length > 0)
			: reports.some((report) => !Number.isNaN(metric.value(report, "both", "all"))),
	);
}
