// SPDX-License-Identifier: GPL-3.0-or-later
// <series>: the run in time, one interval after another.
import { ElementFault, numberAt, numberOf } from "./fault.js";
import { readHistogram } from "./histograms.js";
import { readNumber } from "./numbers.js";
import { children, find, textOf } from "./xml.js";

/** @typedef {import("../model/histogram.js").Histogram} Histogram */

/**
 * @typedef {object} Interval
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
		end: numberAt(element, "time_s"),
		seconds: numberAt(element, "seconds"),
		values,
		counters: readCounters(counters),
		isComplete: counters?.getAttribute("unlisted") === "unchanged",
		histogram: histogram ? readHistogram(histogram) : null,
	};
}

/**
 * @param {Element} report
 * @returns {Interval[]}
 */
export function readSeries(report) {
	return children(find(report, "series"), "interval").map(readInterval);
}
