// SPDX-License-Identifier: GPL-3.0-or-later
// Latency histograms: counts between edges in ns. Percentiles, merging and the most frequent latency follow
// common/stats/histogram.c to the digit, so that the page says what the tools say.
import { layoutOf } from "./layouts.js";

/**
 * @typedef {object} Histogram
 * @property {string} type "read", "write", "both"; other tools: their own
 * @property {string} kind the class: "all", "hit", "minor", "major"; other tools: their own
 * @property {string} layout
 * @property {number[]} lo rising; buckets without a count are left out
 * @property {number[]} hi the last one may be Infinity
 * @property {number[]} counts
 * @property {bigint[]} exact the same, exactly
 * @property {bigint} total
 * @property {number} min NaN when not known, as the three that follow
 * @property {number} mean
 * @property {number} stddev
 * @property {number} max
 * @property {number} step of the clock that took the samples, ns; NaN when not known
 */

/**
 * @param {number} value
 * @param {Histogram} histogram
 */
function clamp(value, histogram) {
	let cut = value;

	if (histogram.min > cut) cut = histogram.min;
	return histogram.max < cut ? histogram.max : cut;
}

/**
 * How many samples lie at or below the percentile, fractions included.
 * @param {number} total
 * @param {number} percent
 */
function targetRank(total, percent) {
	const rank = (total * percent) / 100;
	const whole = Math.round(rank);

	return Math.abs(rank - whole) <= rank * 1e-14 ? whole : rank;
}

/**
 * Interpolated in its bucket and cut to the extremes. An open bucket without a known maximum stands for its lower
 * edge. NaN when empty.
 * @param {Histogram} histogram
 * @param {number} percent 0 to 100
 */
export function percentile(histogram, percent) {
	const rank = targetRank(Number(histogram.total), percent);
	const last = histogram.counts.length - 1;
	let below = 0;

	for (let i = 0; i <= last; i++) {
		const count = histogram.counts[i];
		if (below + count < rank) {
			below += count;
			continue;
		}
		const low = clamp(histogram.lo[i], histogram);
		const high = clamp(histogram.hi[i], histogram);
		return Number.isFinite(high) ? low + ((high - low) * (rank - below)) / count : low;
	}
	if (last < 0) return NaN;
	return Number.isNaN(histogram.max) ? histogram.lo[last] : histogram.max;
}

/**
 * The first bucket of a layout that begins at some ns holds all that is shorter: nothing is known of its inside.
 * @param {Histogram} histogram
 * @returns {number} its end; 0 = there is none
 */
export function openBelow({ lo, hi }) {
	return lo[0] === 0 && hi[0] > 1 ? hi[0] : 0;
}

/**
 * A percentile as it can be said: inside the open first bucket no more is known than that it is below the bucket's end.
 * @param {Histogram} histogram
 * @param {number} percent
 * @returns {{ value: number, isBelow: boolean }}
 */
export function boundedPercentile(histogram, percent) {
	const value = percentile(histogram, percent),
		edge = openBelow(histogram);
	const isBelow = edge > 0 && value <= edge && targetRank(Number(histogram.total), percent) <= histogram.counts[0];

	return { value: isBelow ? edge : value, isBelow };
}

/**
 * Where to draw the end of a bucket, that of an open one included.
 * @param {Histogram} histogram
 * @param {number} i
 */
export function upperEdge(histogram, i) {
	if (histogram.hi[i] !== Infinity) return histogram.hi[i];
	return histogram.max > histogram.lo[i] ? histogram.max : 2 * histogram.lo[i];
}

/** Which latency stands for a bucket: an open one's is its lower edge. @param {Histogram} histogram @param {number} i */
export function middleOf({ lo, hi }, i) {
	return hi[i] === Infinity ? lo[i] : (lo[i] + hi[i]) / 2;
}

/** @param {Histogram[]} list */
function mergeMoments(list) {
	const filled = list.filter((histogram) => histogram.total > 0n);
	const count = filled.reduce((sum, histogram) => sum + Number(histogram.total), 0);
	const mean = filled.reduce((sum, histogram) => sum + histogram.mean * (Number(histogram.total) / count), 0);
	const squares = filled.reduce((sum, histogram) => {
		const n = Number(histogram.total);
		return sum + histogram.stddev ** 2 * (n - 1) + n * (histogram.mean - mean) ** 2;
	}, 0);

	if (filled.length === 0) return { min: NaN, mean: NaN, stddev: NaN, max: NaN };
	return {
		min: Math.min(...filled.map((histogram) => histogram.min)),
		mean,
		stddev: count > 1 ? Math.sqrt(squares / (count - 1)) : 0,
		max: Math.max(...filled.map((histogram) => histogram.max)),
	};
}

/** The coarsest clock's step. @param {Histogram[]} list */
function coarsestStep(list) {
	const known = list.map(({ step }) => step).filter((step) => step > 0);

	return known.length ? Math.max(...known) : NaN;
}

/**
 * The buckets of all, those that overlap made into one: with edges that nest, the finest that all have in common.
 * @param {Histogram[]} list
 */
function commonBuckets(list) {
	const all = list.flatMap((histogram) =>
		histogram.lo.map((lo, i) => ({
			lo,
			hi: histogram.hi[i],
			count: histogram.exact[i],
		})),
	);
	/** @type {{ lo: number, hi: number, count: bigint }[]} */
	const merged = [];

	all.sort((a, b) => a.lo - b.lo || a.hi - b.hi);
	for (const bucket of all) {
		const last = merged[merged.length - 1];
		if (last && bucket.lo < last.hi) {
			last.hi = Math.max(last.hi, bucket.hi);
			last.count += bucket.count;
		} else {
			merged.push({ ...bucket });
		}
	}
	return merged;
}

/**
 * @param {Histogram} like
 * @param {{ lo: number, hi: number, count: bigint }[]} buckets
 * @returns {Histogram}
 */
function withBuckets(like, buckets) {
	return {
		...like,
		lo: buckets.map((bucket) => bucket.lo),
		hi: buckets.map((bucket) => bucket.hi),
		counts: buckets.map((bucket) => Number(bucket.count)),
		exact: buckets.map((bucket) => bucket.count),
		total: buckets.reduce((sum, bucket) => sum + bucket.count, 0n),
	};
}

/**
 * The sum, exactly. Layouts that differ are first brought to the coarser of them.
 * @param {Histogram[]} list at least one
 * @param {{ type?: string, kind?: string }} [name] what the sum is called
 * @returns {Histogram}
 */
export function merge(list, name = {}) {
	const layoutNames = new Set(list.map((histogram) => layoutOf(histogram.layout)?.name ?? histogram.layout));
	const same = layoutNames.size === 1 ? list : list.map((histogram) => rebin(histogram, "log16"));
	const first = { ...same[0], ...name };

	if (list.length === 1) return { ...list[0], ...name };
	return { ...withBuckets(first, commonBuckets(same)), ...mergeMoments(list), step: coarsestStep(list) };
}

/**
 * In the buckets of a coarser layout; a bucket that does not fit into one of them is left as it is.
 * @param {Histogram} histogram
 * @param {string} name of the layout
 * @returns {Histogram}
 */
export function rebin(histogram, name) {
	const layout = layoutOf(name);

	if (!layout || layoutOf(histogram.layout) === layout) return histogram;
	const buckets = histogram.lo.map((lo, i) => {
		const hi = histogram.hi[i];
		const [low, high] = layout.edges(layout.index(lo));
		return high >= hi ? { lo: low, hi: high, count: histogram.exact[i] } : { lo, hi, count: histogram.exact[i] };
	});
	/** @type {typeof buckets} */
	const joined = [];
	for (const bucket of buckets) {
		const last = joined[joined.length - 1];
		if (last && last.lo === bucket.lo && last.hi === bucket.hi) last.count += bucket.count;
		else joined.push(bucket);
	}
	return { ...withBuckets(histogram, joined), layout: name };
}

/** @type {WeakMap<Histogram, { low: number[], high: number[], below: number[] }>} */
const ranks = new WeakMap();

/** @param {Histogram} histogram */
function ranksOf(histogram) {
	let rank = ranks.get(histogram),
		sum = 0;

	if (!rank) {
		rank = {
			low: histogram.lo.map((lo) => clamp(lo, histogram)),
			high: histogram.lo.map((_, i) => clamp(upperEdge(histogram, i), histogram)),
			below: histogram.counts.map((count) => (sum += count) - count),
		};
		ranks.set(histogram, rank);
	}
	return rank;
}

/**
 * Share of the samples below ns, straight inside a bucket. NaN when empty.
 * @param {Histogram} histogram
 * @param {number} ns
 */
export function shareBelow(histogram, ns) {
	const { low, high, below } = ranksOf(histogram);
	let first = 0,
		last = low.length - 1;

	if (last < 0) return NaN;
	while (first < last) {
		const middle = Math.ceil((first + last) / 2);
		if (low[middle] <= ns) first = middle;
		else last = middle - 1;
	}
	const part = ns >= high[first] ? 1 : ns <= low[first] ? 0 : (ns - low[first]) / (high[first] - low[first]);
	return (below[first] + histogram.counts[first] * part) / Number(histogram.total);
}
