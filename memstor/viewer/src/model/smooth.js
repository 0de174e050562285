// SPDX-License-Identifier: GPL-3.0-or-later
// The bars of a histogram as drawn: empty buckets filled in, those that are finer than the clock joined to its steps, and
// the long tail, where buckets hold a handful of samples each, calmed by joining neighbours. Joining loses no sample: sums
// and percentiles stay.
import { layoutOf } from "./layouts.js";
import { middleOf, openBelow, rebin, upperEdge } from "./histogram.js";

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
 * @param {boolean} isRecorded no wider than the clock needs
 */
function steppedBar(lo, hi, step, isRecorded) {
	const width = hi - lo;

	if (width < step) {
		const tick = Math.round((lo + hi) / 2 / step),
			ticks = tick < PARTS ? 1 : powerBelow(tick) / PARTS;
		const first = Math.floor(tick / ticks) * ticks;
		return { lo: Math.max(0, first - 0.5) * step, hi: (first + ticks - 0.5) * step };
	}
	const octave = powerBelow(Math.max(lo, 1)),
		wanted = Math.max(3 * step, isRecorded ? Math.min(16 * step, octave / PARTS) : octave / PARTS);
	const wide = lo < 1 ? width : Math.min(width * 2 ** Math.max(0, Math.ceil(Math.log2(wanted / width))), octave);
	const begin = octave + Math.floor((lo - octave) / wide) * wide;
	return lo < 1 || begin + wide < hi ? { lo, hi } : { lo: begin, hi: begin + wide };
}

/**
 * The step that a fine histogram itself shows, of reports that do not tell it: the distance of filled buckets of 1 or 2 ns,
 * those between them being empty.
 * @param {Histogram} histogram
 */
function seenStep({ lo, hi, counts, total }) {
	const filled = lo.filter((low, i) => hi[i] - low <= 2 && counts[i] > Number(total) * 1e-4);
	const gaps = filled.slice(1).map((low, i) => low - filled[i]);

	return gaps.length < 4 ? NaN : gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)];
}

/**
 * As bars, but nothing finer than the clock's steps: a comb of filled and empty buckets would be its picture, not that of the
 * samples. A bucket is in the bar that its middle is in.
 * @param {Histogram} histogram
 * @param {boolean} [isRecorded] otherwise no more bars than can be seen
 * @returns {Bar[]}
 */
export function steppedBars(histogram, isRecorded = false) {
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
		const bar = isOpen ? { lo: histogram.lo[i], hi: end } : steppedBar(histogram.lo[i], end, step, isRecorded);
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

/**
 * As it is drawn at first: with no more bars to a power of two than can be seen.
 * @param {Histogram} histogram
 * @returns {Histogram}
 */
export function drawable(histogram) {
	if (layoutOf(histogram.layout)?.name !== "hdr") return histogram;
	const step = Math.max(...[histogram.step, seenStep(histogram)].filter((one) => one > 0), 0);
	/* In steps first: the buckets of one step may be in two coarser ones. */
	return step >= COARSE_NS ? { ...histogram, step } : rebin(histogram, "fine");
}

/** The lowest latency that a logarithmic axis can show of a bar. @param {Histogram} sum @param {Bar} bar */
export function lowEdge(sum, bar) {
	return bar.lo > 0 ? bar.lo : Math.max(1, sum.min > 0 ? Math.min(sum.min, bar.hi / 1.1) : bar.hi / 2);
}

/** How much of a bar is in a sixteenth of a power of two: what is drawn. @param {Histogram} sum @param {Bar} bar */
export function perStep(sum, bar) {
	return 1 / (Math.log2(bar.hi / lowEdge(sum, bar)) * PARTS);
}

/**
 * The most frequent latency: the middle of the highest bar, by the density that is drawn. NaN when empty.
 * @param {Histogram} histogram
 * @returns {{ value: number, isBelow: boolean }}
 */
export function mode(histogram) {
	const sum = drawable(histogram),
		edge = openBelow(histogram);
	let highest = 0,
		found = { value: NaN, isBelow: false };

	for (const bar of steppedBars(sum)) {
		const density = bar.count * perStep(sum, bar);
		if (density <= highest) continue;
		highest = density;
		const isBelow = edge > 0 && bar.hi <= edge,
			isOpen = sum.hi[sum.hi.length - 1] === Infinity && bar.lo === sum.lo[sum.lo.length - 1];
		found = { value: isBelow ? edge : isOpen ? bar.lo : (bar.lo + bar.hi) / 2, isBelow };
	}
	return found;
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
