// SPDX-License-Identifier: GPL-3.0-or-later
// The bars of a histogram as drawn: empty buckets filled in, and the long tail, where buckets hold a handful of
// samples each, calmed by joining neighbours. Joining loses no sample: sums and percentiles stay.
import { layoutOf } from "./layouts.js";
import { upperEdge } from "./histogram.js";

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
