// SPDX-License-Identifier: GPL-3.0-or-later
// <statistics>: our <latency_histogram>, and <histogram> as the original pmbench has it. The laws are those of the
// suite's reader: edges rise, counts add up, nothing is said twice.
import { ElementFault, attributeCount, attributeText, countAt, countOf, numberAt } from "./fault.js";
import { readNumber } from "./numbers.js";
import { quote } from "./refusal.js";
import { children, find, textAt } from "./xml.js";

/** @typedef {import("../model/histogram.js").Histogram} Histogram */

const U64_MAX = 2n ** 64n - 1n;
const PARTS = 16;
const HISTOGRAMS_MAX = 1024;

/**
 * @param {string} type
 * @param {string} kind
 * @param {string} layout
 * @returns {Histogram}
 */
function empty(type, kind, layout) {
	return {
		type,
		kind,
		layout,
		lo: [],
		hi: [],
		counts: [],
		exact: [],
		total: 0n,
		min: NaN,
		mean: NaN,
		stddev: NaN,
		max: NaN,
		step: NaN,
	};
}

/**
 * @param {Histogram} histogram
 * @param {Element} element
 * @param {number} lo
 * @param {number} hi
 * @param {bigint} count
 */
function add(histogram, element, lo, hi, count) {
	if (count === 0n) return;
	histogram.lo.push(lo);
	histogram.hi.push(hi);
	histogram.exact.push(count);
	histogram.counts.push(Number(count));
	histogram.total += count;
	if (histogram.total > U64_MAX)
		throw new ElementFault(element, "the counts of the buckets add up to more than 2^64-1");
}

/**
 * @param {Element} parent
 * @param {Histogram} histogram
 */
function readBuckets(parent, histogram) {
	let before = 0n,
		isOpen = false;

	for (const bucket of children(parent, "bucket")) {
		const lo = attributeCount(bucket, "lo");
		const hi = bucket.hasAttribute("hi") ? attributeCount(bucket, "hi") : U64_MAX;
		const count = attributeCount(bucket, "count");
		if (isOpen) throw new ElementFault(bucket, "a <bucket> behind the one without hi, which is the last");
		if (lo < before)
			throw new ElementFault(
				bucket,
				`<bucket> from ${lo} begins below the end of the one before it, ${before}`,
			);
		if (hi <= lo) throw new ElementFault(bucket, `<bucket> ends at ${hi} and begins at ${lo}: it must end above`);
		isOpen = !bucket.hasAttribute("hi");
		before = hi;
		add(histogram, bucket, Number(lo), isOpen ? Infinity : Number(hi), count);
	}
}

/**
 * @param {Element} parent
 * @param {Histogram} histogram
 */
function readSummary(parent, histogram) {
	const summary = find(parent, "summary");

	if (!summary) return;
	histogram.min = numberAt(summary, "min_ns");
	histogram.mean = numberAt(summary, "mean_ns");
	histogram.stddev = numberAt(summary, "stddev_ns");
	histogram.max = numberAt(summary, "max_ns");
	const count = countAt(summary, "count");
	if (count !== histogram.total)
		throw new ElementFault(summary, `the buckets hold ${histogram.total} in all, the <summary> says ${count}`);
	if (histogram.min > histogram.max) throw new ElementFault(summary, "min_ns is above max_ns");
}

/**
 * @param {Element} element <latency_histogram>
 * @returns {Histogram}
 */
export function readHistogram(element) {
	const histogram = empty(
		attributeText(element, "type"),
		attributeText(element, "class"),
		attributeText(element, "layout"),
	);
	const unit = element.getAttribute("unit") ?? "";

	if (unit !== "ns") throw new ElementFault(element, `unit="${quote(unit)}" of <latency_histogram>: allowed is ns`);
	readBuckets(element, histogram);
	readSummary(element, histogram);
	return histogram;
}

/**
 * @param {Element} hexes
 * @param {Histogram} histogram
 * @param {number} lo
 * @param {number} hi
 * @param {bigint} sum
 */
function readParts(hexes, histogram, lo, hi, sum) {
	const before = histogram.total,
		width = (hi - lo) / PARTS;

	children(hexes, "hex").forEach((hex, part) => {
		const index = attributeCount(hex, "index");
		if (part === PARTS || index !== BigInt(part))
			throw new ElementFault(hex, `<hex> ${index} where ${part} of 0 to 15 is due`);
		add(histogram, hex, lo + width * part, lo + width * (part + 1), countOf(hex));
	});
	if (histogram.total - before !== sum)
		throw new ElementFault(hexes, `the parts hold ${histogram.total - before} in all, <sum_count> says ${sum}`);
}

/**
 * 24 buckets whose edges are powers of two of ns; 30 to 32 stands for everything from 2^30 ns up.
 * @param {Element} element <histogram>
 * @returns {Histogram}
 */
function readOriginal(element) {
	const histogram = empty(attributeText(element, "type"), "all", "original");
	let power = 0n;

	for (const bucket of children(element, "histo_bucket")) {
		const interval = find(bucket, "bucket_interval");
		const hexes = find(bucket, "bucket_hexes");
		if (!interval) throw new ElementFault(bucket, "<histo_bucket> has no <bucket_interval>");
		const lo = countAt(interval, "interval_lo"),
			hi = countAt(interval, "interval_hi");
		const sum = countAt(bucket, "sum_count");
		if (lo !== power || hi <= lo || hi > 32n)
			throw new ElementFault(
				interval,
				`from 2^${lo} to 2^${hi} ns: allowed is from 2^${power} up, to 2^32 at most`,
			);
		power = hi;
		const low = lo === 0n ? 0 : 2 ** Number(lo),
			high = hi === 32n ? Infinity : 2 ** Number(hi);
		if (hexes && high !== Infinity) readParts(hexes, histogram, low, high, sum);
		else add(histogram, bucket, low, high, sum);
	}
	return histogram;
}

/** In ns, of the clock that took the samples. @param {Element} report */
export function clockStep(report) {
	const steps = ["machine_info/time_source", "result/clock"].flatMap((clock) =>
		["effective_step_ns", "granularity_ns"].map((name) => readNumber(textAt(report, `${clock}/${name}`)) ?? NaN),
	);

	const known = steps.filter((step) => step > 0);
	return known.length ? Math.max(...known) : NaN;
}

/**
 * Every histogram of the whole run, per type and class the finest layout only.
 * @param {Element | null} statistics
 * @param {number} step of the clock
 * @returns {Histogram[]}
 */
export function readStatistics(statistics, step) {
	const ours = children(statistics, "latency_histogram");
	const elements = ours.length ? ours : children(statistics, "histogram");
	/** @type {Map<string, Histogram>} */
	const finest = new Map();
	const seen = new Set();

	if (statistics && elements.length > HISTOGRAMS_MAX)
		throw new ElementFault(statistics, `${elements.length} histograms: allowed are ${HISTOGRAMS_MAX}`);
	for (const element of elements) {
		const histogram = ours.length ? readHistogram(element) : readOriginal(element);
		const { type, kind, layout } = histogram;
		const name = JSON.stringify([type, kind]),
			full = JSON.stringify([type, kind, layout]);
		if (seen.has(full))
			throw new ElementFault(
				element,
				`a second <${element.nodeName}> of type ${quote(type)}, class ${quote(kind)}, ` +
					`layout ${quote(layout)}`,
			);
		seen.add(full);
		if (!finest.has(name) || layout === "hdr") finest.set(name, histogram);
	}
	return [...finest.values()].map((histogram) => ({ ...histogram, step }));
}
