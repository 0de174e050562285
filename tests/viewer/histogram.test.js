// SPDX-License-Identifier: GPL-3.0-or-later
// What the page computes is what the tools computed: percentiles of every summary that C has written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedPercentile, merge, percentile, rebin, shareBelow } from "../../memstor/viewer/src/model/histogram.js";
import { layoutOf } from "../../memstor/viewer/src/model/layouts.js";
import { bars, drawable, mode, perStep, smoothTail, steppedBars } from "../../memstor/viewer/src/model/smooth.js";
import { read } from "./browser.js";

const PERCENTS = { p50_ns: 50, p90_ns: 90, p95_ns: 95, p99_ns: 99, p999_ns: 99.9, p9999_ns: 99.99 };

/** @param {[number, number, number][]} buckets lo, hi, count @param {object} [more] */
function make(buckets, more = {}) {
	const exact = buckets.map(([, , count]) => BigInt(count));
	return {
		type: "read",
		kind: "all",
		layout: "log16",
		lo: buckets.map(([lo]) => lo),
		hi: buckets.map(([, hi]) => hi),
		exact,
		counts: exact.map(Number),
		total: exact.reduce((a, b) => a + b, 0n),
		min: NaN,
		mean: NaN,
		stddev: NaN,
		max: NaN,
		...more,
	};
}

/** Our own reports are written one element a line. @param {string} text */
function* summaries(text) {
	for (const [, attributes, body] of text.matchAll(/<latency_histogram ([^>]*)>([^]*?)<\/latency_histogram>/g)) {
		const values = Object.fromEntries(
			[...body.matchAll(/<(\w+)>([^<]+)<\/\1>/g)].map(([, name, value]) => [name, value]),
		);
		const buckets = [...body.matchAll(/<bucket lo="(\d+)"(?: hi="(\d+)")? count="(\d+)"\/>/g)].map(
			([, lo, hi, count]) =>
				/** @type {[number, number, number]} */ ([Number(lo), hi ? Number(hi) : Infinity, Number(count)]),
		);
		if (values.min_ns)
			yield {
				attributes,
				values,
				histogram: make(buckets, {
					layout: /layout="(\w+)"/.exec(attributes)[1],
					min: Number(values.min_ns),
					max: Number(values.max_ns),
					mean: Number(values.mean_ns),
					stddev: Number(values.stddev_ns),
				}),
			};
	}
}

for (const file of [
	"results/reference/paper/report.xml",
	"results/reference/resident/report.xml",
	"tests/golden/pmbench-report.xml",
]) {
	test(`percentiles of ${file} are those of its summaries`, () => {
		let compared = 0;
		for (const { attributes, values, histogram } of summaries(read(file))) {
			assert.equal(String(histogram.total), values.count, attributes);
			for (const [name, percent] of Object.entries(PERCENTS)) {
				const ours = percentile(histogram, percent),
					theirs = Number(values[name]);
				compared++;
				// Of what is in the lowest bucket no more is known than that: the report states none, the page its bound.
				if (name in values) assert.ok(Math.abs(ours - theirs) <= theirs * 1e-15 * 4, `${attributes} ${name}: ${ours}`);
				else assert.deepEqual(boundedPercentile(histogram, percent), { value: histogram.hi[0], isBelow: true });
			}
		}
		assert.ok(compared >= 6 * 2, `${compared} numbers were compared`);
	});
}

test("reads and writes added are what the report says of hits, minor and major together", () => {
	const all = [...summaries(read("results/reference/paper/report.xml"))];
	const of = (/** @type {string} */ type, /** @type {string} */ kind) =>
		all.find(({ attributes }) => attributes.includes(`type="${type}" class="${kind}"`)).histogram;
	const parts = merge(
			["hit", "minor", "major"].map((kind) => of("read", kind)),
			{ kind: "all" },
		),
		whole = of("read", "all");
	assert.equal(parts.total, whole.total);
	assert.deepEqual(parts.lo, whole.lo);
	assert.deepEqual(parts.exact, whole.exact);
	assert.ok(Math.abs(parts.mean / whole.mean - 1) < 1e-12);
	assert.ok(Math.abs(parts.stddev / whole.stddev - 1) < 1e-9);
	assert.equal(parts.min, whole.min);
	assert.equal(parts.max, whole.max);
});

test("percentiles: known answers", () => {
	const histogram = make(
		[
			[0, 100, 10],
			[100, 200, 10],
			[400, 800, 20],
		],
		{ min: 50, max: 600 },
	);
	assert.equal(percentile(histogram, 0), 50);
	assert.equal(percentile(histogram, 25), 100);
	assert.equal(percentile(histogram, 37.5), 150);
	assert.equal(percentile(histogram, 75), 500);
	assert.equal(percentile(histogram, 100), 600);
	assert.ok(Number.isNaN(percentile(make([]), 50)));
	const open = make([
		[0, 256, 1],
		[2 ** 30, Infinity, 3],
	]);
	assert.equal(percentile(open, 99), 2 ** 30);
	assert.equal(percentile(make([[2 ** 30, Infinity, 4]], { min: 2 ** 30, max: 2 ** 31 }), 50), 1.5 * 2 ** 30);
	/* 99.9 % of 1000 is 999, not the next sample above that because of 99.9's last binary digit. */
	assert.equal(
		percentile(
			make([
				[0, 1, 999],
				[8, 9, 1],
			]),
			99.9,
		),
		1,
	);
});

test("the most frequent latency is the peak of the share that is drawn", () => {
	const histogram = make([
		[0, 256, 100],
		[256, 272, 50],
		[1000, 2000, 300],
	]);
	assert.deepEqual(mode(histogram), { value: 264, isBelow: false });
	/* Narrow buckets of few accesses were denser per ns than the peak that is drawn, which has most of them. */
	const narrow = make(
		[
			[400, 416, 300],
			[6144, 6400, 3000],
		],
		{ min: 401 },
	);
	const densities = steppedBars(narrow).map((bar) => bar.count * perStep(narrow, bar));
	assert.equal(mode(narrow).value, 6272);
	assert.equal(densities.indexOf(Math.max(...densities)), densities.length - 1);
	assert.deepEqual(mode(make([[0, 256, 9]], { min: 30 })), { value: 256, isBelow: true });
	assert.deepEqual(mode(make([[1024, Infinity, 5]])), { value: 1024, isBelow: false });
	assert.ok(Number.isNaN(mode(make([])).value));
});

test("a percentile inside the open first bucket is said to be below its end, not interpolated", () => {
	const histogram = make(
		[
			[0, 256, 90],
			[256, 272, 10],
		],
		{ min: 20, max: 270 },
	);
	assert.deepEqual(boundedPercentile(histogram, 50), { value: 256, isBelow: true });
	assert.deepEqual(boundedPercentile(histogram, 90), { value: 256, isBelow: true });
	assert.deepEqual(boundedPercentile(histogram, 95), { value: 263, isBelow: false });
	/* 1 ns is all that a bucket of hdr leaves open. */
	assert.equal(boundedPercentile(make([[0, 1, 4]], { layout: "hdr", min: 0, max: 0 }), 50).isBelow, false);
});

test("a fine histogram is drawn with 16 bars to a power of two at most, whatever the clock tells of its steps", () => {
	const buckets = [];
	for (let ns = 128; ns < 65536; ns += Math.max(1, 2 ** (Math.floor(Math.log2(ns)) - 7)))
		buckets.push(/** @type {[number, number, number]} */ ([ns, ns + 2 ** (Math.floor(Math.log2(ns)) - 7), 100]));
	for (const step of [NaN, 0.4, 10]) {
		const histogram = make(buckets, { layout: "hdr", step, min: 128, max: 65535 });
		const drawn = steppedBars(drawable(histogram));
		assert.ok(drawn.length <= 9 * 16 + 2, `${drawn.length} bars with a step of ${step}`);
		assert.equal(
			drawn.reduce((sum, { count }) => sum + count, 0),
			Number(histogram.total),
		);
	}
	/* A clock of 10 ns that claims 0.4: filled and empty buckets by turns become bars without gaps. */
	const comb = make(
		Array.from({ length: 20 }, (_, i) => /** @type {[number, number, number]} */ ([30 + 10 * i, 31 + 10 * i, 50])),
		{ layout: "hdr", step: 0.4, min: 30, max: 220 },
	);
	assert.equal(steppedBars(drawable(comb)).filter(({ count }) => count === 0).length, 0);
});

test("layouts: an edge is in its bucket, the bucket below ends there", () => {
	for (const [name, count] of /** @type {const} */ ([
		["log16", 249],
		["hdr", 4992],
		["octave", 24],
	])) {
		const layout = layoutOf(name);
		let before = 0;
		for (let i = 0; i < count; i++) {
			const [lo, hi] = layout.edges(i);
			assert.equal(lo, before, `${name} ${i}`);
			assert.equal(layout.index(lo), i, `${name} ${i} from ${lo}`);
			if (hi !== Infinity) assert.equal(layout.index(hi - 1), i, `${name} ${i} to ${hi}`);
			else assert.equal(i, count - 1);
			before = hi;
		}
	}
	assert.equal(layoutOf("original"), layoutOf("log16"));
	assert.equal(layoutOf("__proto__"), null);
});

test("a coarser layout holds the same samples", () => {
	const [, { histogram }] = summaries(read("results/reference/resident/report.xml"));
	assert.equal(histogram.layout, "hdr");
	for (const name of ["log16", "octave"]) {
		const coarse = rebin(histogram, name);
		assert.equal(coarse.total, histogram.total);
		assert.ok(coarse.lo.length < histogram.lo.length);
		coarse.lo.forEach((lo, i) =>
			assert.deepEqual(layoutOf(name).edges(layoutOf(name).index(lo)), [lo, coarse.hi[i]]),
		);
	}
});

test("adding hdr and log16 gives log16, exactly", () => {
	const fine = make(
			[
				[256, 258, 3],
				[270, 272, 4],
				[272, 274, 1],
			],
			{ layout: "hdr" },
		),
		coarse = make([[256, 272, 10]]);
	const sum = merge([fine, coarse]);
	assert.deepEqual(
		[sum.lo, sum.hi, sum.exact],
		[
			[256, 272],
			[272, 288],
			[17n, 1n],
		],
	);
});

test("counts beyond 2^53 are added exactly", () => {
	const big = make([[0, 256, 0]]);
	big.exact = [2n ** 60n + 1n];
	big.total = big.exact[0];
	assert.equal(merge([big, big]).total, 2n ** 61n + 2n);
});

test("share below a latency", () => {
	const histogram = make(
		[
			[0, 100, 10],
			[100, 200, 10],
			[400, 800, 20],
		],
		{ min: 50, max: 600 },
	);
	assert.equal(shareBelow(histogram, 49), 0);
	assert.equal(shareBelow(histogram, 75), 5 / 40);
	assert.equal(shareBelow(histogram, 300), 20 / 40);
	assert.equal(shareBelow(histogram, 500), 30 / 40);
	assert.equal(shareBelow(histogram, 600), 1);
});

test("bars have no gaps and count the buckets they stand for", () => {
	const list = bars(
		make(
			[
				[256, 272, 3],
				[320, 336, 1],
				[2 ** 30, Infinity, 1],
			],
			{ max: 1.5 * 2 ** 30 },
		),
	);
	assert.deepEqual(
		list.map(({ lo, hi, count, parts }) => [lo, hi, count, parts]),
		[
			[256, 272, 3, 1],
			[272, 320, 0, 3],
			[320, 336, 1, 1],
			[336, 2 ** 30, 0, 242],
			[2 ** 30, 1.5 * 2 ** 30, 1, 1],
		],
	);
});

test("smoothing joins few, keeps peaks, and loses no sample", () => {
	const list = bars(
		make([
			[256, 272, 50],
			[272, 288, 2],
			[288, 304, 3],
			[304, 320, 4],
			[320, 336, 60],
			[336, 352, 1],
		]),
	);
	const smooth = smoothTail(list, 5);
	assert.deepEqual(
		smooth.map(({ lo, hi, count }) => [lo, hi, count]),
		[
			[256, 272, 50],
			[272, 320, 9],
			[320, 336, 60],
			[336, 352, 1],
		],
	);
	assert.deepEqual(smoothTail(list, 0), list);
	for (const { histogram } of summaries(read("results/reference/paper/report.xml"))) {
		for (const least of [1, 5, 20, 1000]) {
			const drawn = smoothTail(bars(histogram), least);
			assert.equal(
				drawn.reduce((sum, { count }) => sum + count, 0),
				Number(histogram.total),
			);
			drawn.forEach(({ lo }, i) => i && assert.equal(lo, drawn[i - 1].hi));
		}
	}
});

/** Samples at each tick of a clock, as many at each, in buckets of a layout. */
function ticks(layoutName, step, last) {
	const layout = layoutOf(layoutName);
	/** @type {Map<number, number>} */
	const counts = new Map();

	for (let tick = 2; tick * step < last; tick++) {
		const index = layout.index(Math.floor(tick * step));
		counts.set(index, (counts.get(index) ?? 0) + 1000);
	}
	return make(
		[...counts].map(([index, count]) => [...layout.edges(index), count]),
		{ layout: layoutName, step },
	);
}

for (const step of [4, 10.015, 20.8333, 41.667, 100]) {
	test(`the steps of a clock of ${step} ns are not drawn`, () => {
		const histogram = ticks("hdr", step, 1e6);
		const list = steppedBars(histogram, true);
		const high = list.filter(({ hi }) => hi < 8e5).map(({ lo, hi, count }) => (count * step) / (hi - lo) / 1000);

		assert.equal(
			list.reduce((sum, { count }) => sum + count, 0),
			Number(histogram.total),
		);
		list.forEach((bar, i) => assert.ok(bar.hi > bar.lo && (i === 0 || bar.lo === list[i - 1].hi)));
		assert.ok(Math.min(...high) > 0.7 && Math.max(...high) < 1.3, `${Math.min(...high)} to ${Math.max(...high)}`);
		/* Where buckets hold one tick or less, bars hold whole ones. */
		const exact = list.slice(1).filter(({ hi }) => hi < 100 * step);
		assert.ok(exact.every(({ lo, hi, count }) => Math.abs(((count / 1000) * step) / (hi - lo) - 1) < 1e-9));
		/* Not coarser than needed: the tail is as it was recorded. */
		const tail = bars(histogram).slice(-20);
		assert.deepEqual(
			list.slice(-20).map(({ lo }) => lo),
			tail.map(({ lo }) => lo),
		);
	});
}

test("a fine or unknown clock, and a layout that is not known, leave bars as they are", () => {
	for (const more of [{ step: 1 }, { step: NaN }, { step: undefined }, { step: 10, layout: "own" }]) {
		const histogram = { ...ticks("hdr", 10, 1e4), ...more };
		assert.deepEqual(steppedBars(histogram), bars(histogram));
	}
	const paper = ticks("log16", 10, 1e6);
	const above = (list) => list.filter(({ lo }) => lo >= 512);
	assert.deepEqual(above(steppedBars(paper)), above(bars(paper)));
	assert.ok(steppedBars(paper).some(({ lo, hi, parts }) => lo === 256 && hi === 288 && parts === 2));
});

test("stepped bars keep a gap, the open bucket and what one bucket holds", () => {
	const histogram = make(
		[
			[20, 21, 5],
			[21, 22, 1],
			[1000, 1008, 7],
			[2 ** 45, Infinity, 2],
		],
		{ layout: "hdr", step: 10, max: 2 ** 45 + 5 },
	);
	const list = steppedBars(histogram, true);
	assert.deepEqual(
		list.filter(({ count }) => count > 0).map(({ lo, hi, count }) => [lo, hi, count]),
		[
			[15, 25, 6],
			[995, 1035, 7],
			[2 ** 45, 2 ** 45 + 5, 2],
		],
	);
	list.forEach((bar, i) => assert.ok(i === 0 || bar.lo === list[i - 1].hi));
});
