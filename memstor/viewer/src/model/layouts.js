// SPDX-License-Identifier: GPL-3.0-or-later
// Where the buckets of a known layout begin and end, in ns (common/hot/bucket.h). Reports leave empty buckets out:
// only the layout tells how many there are in a gap. A coarser layout's edges are edges of every finer one's.

/**
 * @typedef {object} Layout
 * @property {string} name
 * @property {(ns: number) => number} index bucket that holds ns
 * @property {(index: number) => [number, number]} edges lo <= ns < hi; the last one's hi is Infinity
 */

/** @param {number} ns at least 1 */
function power(ns) {
	const guess = Math.floor(Math.log2(ns));

	/* Just below a power of two the logarithm rounds up to it. */
	return 2 ** guess > ns ? guess - 1 : guess;
}

/** @type {Layout} The paper's: 16 a power of two from 2^8 to 2^23 ns. */
const log16 = {
	name: "log16",
	index(ns) {
		if (ns < 256) return 0;
		const bits = power(ns);
		if (bits < 23) return (bits - 8) * 16 + (Math.floor(ns / 2 ** (bits - 4)) % 16) + 1;
		return bits < 30 ? 241 + (bits - 23) : 248;
	},
	edges(index) {
		if (index === 0) return [0, 256];
		if (index <= 240) {
			const width = 2 ** (4 + Math.floor((index - 1) / 16));
			const lo = (16 + ((index - 1) % 16)) * width;
			return [lo, lo + width];
		}
		const lo = 2 ** (23 + index - 241);
		return [lo, index < 248 ? 2 * lo : Infinity];
	},
};

/**
 * 2^bits buckets to a power of two, of 1 ns where these would be narrower, up to 2^45 ns.
 * @param {string} name
 * @param {number} bits
 * @returns {Layout}
 */
function even(name, bits) {
	const parts = 2 ** bits,
		count = (45 - bits + 1) * parts;

	return {
		name,
		index(ns) {
			if (ns < parts) return Math.floor(ns);
			const octave = power(ns);
			if (octave >= 45) return count - 1;
			return (octave - bits) * parts + Math.floor(ns / 2 ** (octave - bits));
		},
		edges(index) {
			const shift = index < parts ? 0 : Math.floor(index / parts) - 1;
			const lo = (index - shift * parts) * 2 ** shift;
			return [lo, index + 1 < count ? lo + 2 ** shift : Infinity];
		},
	};
}

/** At most 1/128 of the latency wide. */
const hdr = even("hdr", 7);
/** What of that can be drawn so that each bar is seen: as many to a power of two as log16 has. */
const fine = even("fine", 4);

/** @type {Layout} One a power of two: what the original's viewer called mini. */
const octave = {
	name: "octave",
	index(ns) {
		return ns < 256 ? 0 : Math.min(power(ns), 30) - 7;
	},
	edges(index) {
		return [index === 0 ? 0 : 2 ** (7 + index), index < 23 ? 2 ** (8 + index) : Infinity];
	},
};

/** @type {Map<string, Layout>} "original" is how the readers call the layout of <histogram>. */
const layouts = new Map([
	["log16", log16],
	["original", log16],
	["hdr", hdr],
	["fine", fine],
	["octave", octave],
]);

/**
 * @param {string} name
 * @returns {Layout | null} null: not known, its gaps cannot be counted
 */
export function layoutOf(name) {
	return layouts.get(name) ?? null;
}
