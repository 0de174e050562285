// SPDX-License-Identifier: GPL-3.0-or-later
// <series>: the run in time, one interval after another.
import { ElementFault, numberAt, numberOf } from "./fault.js";
import { readHistogram } from "./histograms.js";
import { readNumber } from "./numbers.js";
import { children, find, textOf } from "./xml.js";

/** @typedef {import("../model/histogram.js").Histogram} Histogram */

/**
 * @typedef {object} Interval
 * @property {string} subject what was measured in it: a cell, a stream; "" = there is but one thing
 * @property {string} repetition of the subject, "" = there is but one
 * @property {number} end s on the run's clock
 * @property {number} seconds its length
 * @property {Map<string, number>} values elements of the interval: "p99_ns", ...
 * @property {Map<string, number>} counters differences; what is absent did not change or was not read
 * @property {boolean} isComplete whether an absent counter is one that did not change
 * @property {Histogram | null} histogram
 */

const OTHERS = new Set(["time_s", "seconds", "latency_histogram", "counters"]);

/** @param {Element | null} parent */
function readCounters(parent) {
	/** @type {Map<string, number>} */
	const counters = new Map();

	for (const counter of children(parent, "counter")) {
		const name = counter.getAttribute("name"),
			value = readNumber(counter.getAttribute("value"));
		if (name === null || value === null)
			throw new ElementFault(counter, "<counter> needs a name and a value that is a number");
		counters.set(name, value);
	}
	return counters;
}

/** Elements that are numbers in every version; what a later one adds may be none. */
const NUMBERS = /^(accesses|minor_faults|major_faults)$|_(ns|s|per_second|percent|bytes)$/;

/** "mix log", but "log-alone" for the log. @param {Element} element */
function subjectOf(element) {
	const cell = element.getAttribute("cell_id") ?? "",
		stream = element.getAttribute("stream") ?? "";

	return cell.startsWith(stream) ? cell : `${cell} ${stream}`.trim();
}

/**
 * @param {Element} element
 * @returns {Interval}
 */
function readInterval(element) {
	const histogram = find(element, "latency_histogram");
	const counters = find(element, "counters");
	/** @type {Map<string, number>} */
	const values = new Map();

	for (const child of element.children) {
		if (OTHERS.has(child.nodeName) || child.firstElementChild) continue;
		if (NUMBERS.test(child.nodeName) || readNumber(textOf(child)) !== null)
			values.set(child.nodeName, numberOf(child));
	}
	return {
		subject: subjectOf(element),
		repetition: element.getAttribute("repetition") ?? "",
		end: numberAt(element, "time_s"),
		seconds: numberAt(element, "seconds"),
		values,
		counters: readCounters(counters),
		isComplete: counters?.getAttribute("unlisted") === "unchanged",
		histogram: histogram ? readHistogram(histogram) : null,
	};
}

/**
 * What has a time but is no interval: writes last as long as they took.
 * @param {Element[]} elements of one name
 * @param {string} subject
 * @param {string} repetition
 * @returns {Interval[]}
 */
function readMoments(elements, subject, repetition) {
	const times = elements.map((element) => readNumber(element.getAttribute("time_s")) ?? NaN);

	return elements.map((element, i) => {
		const taken = (readNumber(element.getAttribute("measured_ns")) ?? NaN) / 1e9;
		const seconds = taken > 0 ? taken : (times[i + 1] ?? times[i]) - times[i];
		const values = [...element.attributes].flatMap(({ name, value }) => {
			const number = NUMBERS.test(name) && name !== "time_s" ? readNumber(value) : null;
			return number === null ? [] : [/** @type {[string, number]} */ ([name, number])];
		});
		return {
			subject,
			repetition,
			end: times[i] + seconds,
			seconds,
			values: new Map(values),
			counters: new Map(),
			isComplete: false,
			histogram: null,
		};
	});
}

/** Writes of an evaluation by scenario. @param {Element} report @returns {Interval[]} */
export function readResultMoments(report) {
	return children(find(report, "result/evaluation"), "scenario").flatMap((scenario) =>
		readMoments(
			children(scenario, "write"),
			scenario.getAttribute("id") ?? "",
			scenario.getAttribute("repetition") ?? "",
		),
	);
}

/** @param {Element} series @returns {Interval[]} */
export function readSeries(series) {
	return children(series, "interval").map(readInterval);
}
