// SPDX-License-Identifier: GPL-3.0-or-later
// The bars of a histogram as drawn: empty buckets filled in, those that are finer than the clock joined to its steps, and
// the long tail, where buckets hold a handful of samples each, calmed by joining neighbours. Joining loses no sample: sums
// and percentiles stay.
import { layoutOf } from "./layouts.js";
import { middleOf, upperEdge } from "./histogram.js";

/** @typedef {import("./histogram.js").Histogram} Histogram */

/**
 * @typedef {object} Bar
 * @property {number} lo
 * @property {number} hi finite
 * @property {number} count
 * @property {number} parts how many buckets of the layout it stands for
 */

/**
 * @param {Histogram} histogram
 * @returns {Bar[]} from the first filled bucket to the last, without a gap
 */
export function bars(histogram) {
	const layout = layoutOf(histogram.layout);
	/** @type {Bar[]} */
	const list = [];

	histogram.counts.forEach((count, i) => {
		const lo = histogram.lo[i],
			before = list[list.length - 1];
		if (before && before.hi < lo) {
			const parts = layout ? Math.max(1, layout.index(lo) - layout.index(before.hi)) : 1;
			list.push({ lo: before.hi, hi: lo, count: 0, parts });
		}
		list.push({ lo, hi: upperEdge(histogram, i), count, parts: 1 });
	});
	return list;
}

/** Steps below that are hardly seen on top of buckets of 1 ns. */
const COARSE_NS = 3;
/** Bars to a doubling of latency where the clock has room for them; the paper's layout has as many. */
const PARTS = 16;

/** @param {number} value at least 1 */
function powerBelow(value) {
	return 2 ** Math.floor(Math.log2(value));
}

/**
 * The bar that samples of a bucket are drawn in. Where buckets are narrower than a step of the clock, it holds whole steps, and
 * ends between two; where they have room for a few, some get one more than their neighbours: as many buckets as hide that.
 * @param {number} lo
 * @param {number} hi
 * @param {number} step
 */
function steppedBar(lo, hi, step) {
	const width = hi - lo;

	if (width < step) {
		const tick = Math.round((lo + hi) / 2 / step),
			ticks = tick < PARTS ? 1 : powerBelow(tick) / PARTS;
		const first = Math.floor(tick / ticks) * ticks;
		return { lo: Math.max(0, first - 0.5) * step, hi: (first + ticks - 0.5) * step };
	}
	const octave = powerBelow(Math.max(lo, 1)),
		wanted = Math.max(3 * step, Math.min(16 * step, octave / PARTS));
	const wide = lo < 1 ? width : Math.min(width * 2 ** Math.max(0, Math.ceil(Math.log2(wanted / width))), octave);
	const begin = octave + Math.floor((lo - octave) / wide) * wide;
	return lo < 1 || begin + wide < hi ? { lo, hi } : { lo: begin, hi: begin + wide };
}

/**
 * As bars, but nothing finer than the clock's steps: a comb of filled and empty buckets would be its picture, not that of the
 * samples. A bucket is in the bar that its middle is in.
 * @param {Histogram} histogram
 * @returns {Bar[]}
 */
export function steppedBars(histogram) {
	const { step } = histogram;
	const layout = layoutOf(histogram.layout);
	/** @type {Bar[]} */
	const list = [];

	if (!layout || !(step >= COARSE_NS)) return bars(histogram);
	histogram.counts.forEach((count, i) => {
		const before = list[list.length - 1];
		if (before && middleOf(histogram, i) < before.hi) {
			before.count += count;
			return;
		}
		const end = upperEdge(histogram, i),
			isOpen = histogram.hi[i] === Infinity;
		const bar = isOpen ? { lo: histogram.lo[i], hi: end } : steppedBar(histogram.lo[i], end, step);
		/* Where one kind of bars follows the other, what is left between them has room for no tick. */
		const lo = before && bar.lo < before.hi + 0.9 * step ? before.hi : bar.lo;
		if (before && before.hi < lo) list.push({ lo: before.hi, hi: lo, count: 0, parts: 1 });
		list.push({ lo, hi: bar.hi, count, parts: 1 });
	});
	for (const bar of list) {
		const [lo, hi] = layout.edges(layout.index(bar.lo));
		bar.parts = Math.max(1, Math.round((bar.hi - bar.lo) / (hi - lo)));
	}
	return list;
}

/** @param {Bar} a @param {Bar} b right behind it @returns {Bar} */
function join(a, b) {
	return { lo: a.lo, hi: b.hi, count: a.count + b.count, parts: a.parts + b.parts };
}

/**
 * Neighbours that hold few samples are joined until together they hold enough; a bar that does alone stays alone, so
 * that no peak is smeared.
 * @param {Bar[]} list
 * @param {number} least 0 = as it is
 * @returns {Bar[]}
 */
export function smoothTail(list, least) {
	/** @type {Bar[]} */
	const smooth = [];
	/** @type {Bar | null} few so far */
	let open = null;
	let isJoinable = false;
	const close = () => {
		const last = smooth[smooth.length - 1];
		if (open && last && isJoinable) smooth[smooth.length - 1] = join(last, open);
		else if (open) smooth.push(open);
		open = null;
	};

	for (const bar of list) {
		if (bar.count >= least) {
			close();
			smooth.push(bar);
			isJoinable = false;
			continue;
		}
		open = open ? join(open, bar) : bar;
		if (open.count >= least) {
			smooth.push(open);
			open = null;
			isJoinable = true;
		}
	}
	close();
	return smooth;
}
