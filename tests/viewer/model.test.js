// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter sets, CSV, counters, numbers: what needs no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCount, formatNs, formatNumber, formatShare } from "../../memstor/viewer/src/chart/format.js";
import { counterKind, counterSeries, valueSeries } from "../../memstor/viewer/src/model/counters.js";
import { toCsv } from "../../memstor/viewer/src/model/csv.js";
import { findDimensions } from "../../memstor/viewer/src/model/dimensions.js";
import { AVERAGE, firstChoices, histogramOf, makeGroups } from "../../memstor/viewer/src/model/groups.js";
import { decode } from "../../memstor/viewer/src/read/bytes.js";
import { readCount, readNumber } from "../../memstor/viewer/src/read/numbers.js";
import { quantity } from "../../memstor/viewer/src/read/quantity.js";
import { parseCsv } from "./browser.js";

let made = 0;

/** @param {Record<string, string>} facts by "group:name" @param {object} [more] */
function run(facts, more = {}) {
	const entries = Object.entries(facts).map(([key, value]) => {
		const [group, name] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
		return [key, { group, name, ...quantity(name, value) }];
	});
	return {
		id: ++made,
		file: `${made}.xml`,
		facts: new Map(entries),
		root: "pmbenchmark",
		isOriginal: false,
		histograms: [],
		intervals: [],
		snapshots: [],
		...more,
	};
}
const keys = (reports) => findDimensions(reports).map(({ key }) => key);
const labels = (groups) => groups.map(({ label, reports }) => `${label} ×${reports.length}`);

test("dimensions are what differs, the usual ones first", () => {
	const reports = [
		run({ "option:mapsize": "512", "option:pattern": "uniform", "host:hostname": "a", "setting:x": "1" }),
		run({ "option:mapsize": "1024", "option:pattern": "uniform", "host:hostname": "a", "setting:x": "2" }),
		run({ "option:mapsize": "512", "option:pattern": "zipf", "host:hostname": "a", "setting:x": "2" }),
	];
	assert.deepEqual(keys(reports), ["option:pattern", "option:mapsize", "setting:x"]);
	assert.deepEqual(keys(reports.slice(0, 1)), []);
});

test("8192 and 8192MiB of a map are one value, and 512 comes before 1024", () => {
	const reports = [
		run({ "option:mapsize": "1024MiB" }),
		run({ "option:mapsize": "1024" }),
		run({ "option:mapsize": "512" }),
	];
	const [dimension] = findDimensions(reports);
	assert.deepEqual(
		dimension.values.map(({ text }) => text),
		["512 MiB", "1 GiB"],
	);
	assert.equal(quantity("swap", "zram:8589934592B").text, "zram:8 GiB");
	assert.equal(quantity("interval", "10000000ns").text, "10 ms");
});

test("what is not given is a value; what the original does not record is none", () => {
	assert.deepEqual(keys([run({ "option:ram": "1g" }), run({})]), ["option:ram"]);
	const original = run({ "option:mapsize": "512" }, { isOriginal: true });
	assert.deepEqual(keys([original, run({ "option:mapsize": "512", "option:ram": "1g" })]), []);
	assert.deepEqual(
		keys([
			original,
			run({ "option:mapsize": "512", "option:ram": "1g" }),
			run({ "option:mapsize": "512", "option:ram": "2g" }),
		]),
		["option:ram"],
	);
});

test("a dimension that follows from an earlier one is alike, and not part of names", () => {
	const reports = [
		run({ "host:hostname": "a", "machine:modelname": "x", "option:ratio": "50" }),
		run({ "host:hostname": "b", "machine:modelname": "y", "option:ratio": "50" }),
		run({ "host:hostname": "c", "machine:modelname": "x", "option:ratio": "80" }),
		run({ "host:hostname": "c", "machine:modelname": "x", "option:ratio": "50" }),
	];
	const dimensions = findDimensions(reports);
	assert.deepEqual(
		dimensions.map(({ key, alike }) => [key, alike]),
		[
			["option:ratio", ""],
			["host:hostname", ""],
			["machine:modelname", "Host"],
		],
	);
	assert.deepEqual(labels(makeGroups(reports, dimensions, new Map(), "host:hostname", false)), [
		"Host a · Reads 50 % ×1",
		"Host b · Reads 50 % ×1",
		"Host c · Reads 50 % ×1",
		"Host c · Reads 80 % ×1",
	]);
	assert.deepEqual(
		labels(makeGroups(reports, dimensions, new Map([["option:ratio", "=50"]]), "machine:modelname", false)),
		["CPU x · Host a ×1", "CPU x · Host c ×1", "CPU y · Host b ×1"],
	);
});

test("a hundred differences are named once, not for ever", () => {
	const facts = (/** @type {string} */ value) =>
		Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`setting:"${i}"\\`, `${value}"\\`]));
	const reports = [run(facts("a")), run(facts("b"))];
	const dimensions = findDimensions(reports);
	assert.equal(dimensions.length, 100);
	assert.deepEqual(labels(makeGroups(reports, dimensions, new Map(), "", false)), [
		'"0"\\ a"\\ ×1',
		'"0"\\ b"\\ ×1',
	]);
});

test("rounds are runs of one parameter set, also when a label numbers them", () => {
	const reports = ["uniform", "zipf"].flatMap((pattern) =>
		["1", "2", "3"].map((round) => run({ "option:pattern": pattern, "label:run": round })),
	);
	const dimensions = findDimensions(reports),
		choices = firstChoices(reports, dimensions, "option:pattern", 8);
	assert.equal(choices.get("label:run"), AVERAGE);
	assert.deepEqual(labels(makeGroups(reports, dimensions, choices, "option:pattern", false)), [
		"Pattern uniform ×3",
		"Pattern zipf ×3",
	]);
	assert.equal(makeGroups(reports, dimensions, choices, "option:pattern", true).length, 6);
	assert.deepEqual(
		labels(makeGroups(reports, dimensions, new Map([["label:run", "=2"]]), "option:pattern", false)),
		["Pattern uniform ×1", "Pattern zipf ×1"],
	);
});

test("too many sets: the last menus are set to one value, the basis never", () => {
	const reports = ["1", "2", "4"].flatMap((jobs) =>
		["0", "50", "100"].map((ratio) => run({ "option:jobs": jobs, "option:ratio": ratio })),
	);
	const dimensions = findDimensions(reports);
	assert.equal(dimensions[0].key, "option:ratio");
	assert.deepEqual([...firstChoices(reports, dimensions, "option:ratio", 8)], [["option:jobs", "=1"]]);
	assert.deepEqual([...firstChoices(reports, dimensions, "option:jobs", 8)], [["option:ratio", "=0"]]);
	assert.deepEqual([...firstChoices(reports, dimensions, "option:jobs", 9)], []);
});

test("runs that differ in their seed or their output file are rounds", () => {
	const reports = ["1", "2"].map((seed) => run({ "option:ratio": "50", "option:seed": seed, "option:file": seed }));
	assert.deepEqual(keys(reports), []);
	assert.deepEqual(labels(makeGroups(reports, [], new Map(), "", false)), ["all reports ×2"]);
});

test("options of one tool do not divide the reports of another, nor hide them at the first look", () => {
	const reports = ["1", "2", "4", "8"].flatMap((value) => [
		run({ "set:tool": "a", "option:jobs": value }, { root: "a" }),
		run({ "set:tool": "b", "option:depth": value }, { root: "b" }),
	]);
	const dimensions = findDimensions(reports),
		choices = firstChoices(reports, dimensions, "set:tool", 4);
	assert.deepEqual(
		dimensions.map(({ key, values }) => [key, values.length]),
		[
			["set:tool", 2],
			["option:jobs", 4],
			["option:depth", 4],
		],
	);
	assert.deepEqual(labels(makeGroups(reports, dimensions, new Map([["option:jobs", "=2"]]), "set:tool", false)), [
		"a ×1",
		...["1", "2", "4", "8"].map((depth) => `b · depth ${depth} ×1`),
	]);
	const tools = new Set(makeGroups(reports, dimensions, choices, "set:tool", false).map(({ basis }) => basis.text));
	assert.deepEqual([...tools], ["a", "b"]);
});

test("the first look is at values that reports have together", () => {
	const reports = ["21", "31", "12", "22"].map(([b, c]) => run({ "label:b": b, "label:c": c }));
	const dimensions = findDimensions(reports);
	assert.ok(
		makeGroups(reports, dimensions, firstChoices(reports, dimensions, "", 1), "", false).length > 0,
		"no report is chosen",
	);
});

test("names from files are keys of maps only", () => {
	const reports = [
		run({ "option:__proto__": "1", "label:constructor": "x" }),
		run({ "option:__proto__": "2", "label:constructor": "x" }),
	];
	assert.deepEqual(keys(reports), ["option:__proto__"]);
	assert.deepEqual(labels(makeGroups(reports, findDimensions(reports), new Map(), "option:__proto__", false)), [
		"__proto__ 1 ×1",
		"__proto__ 2 ×1",
	]);
	assert.equal({}.polluted, undefined);
});

test("CSV: quotes, line ends, formulas, numbers that are none", () => {
	const text = toCsv({ head: ["a,b", 'say "x"', "=1+1", "two\nlines"], rows: [[1.5, 10n ** 18n, NaN, "-x"]] });
	assert.equal(text, '"a,b","say ""x""",\'=1+1,"two\nlines"\r\n1.5,1000000000000000000,,\'-x\r\n');
	assert.deepEqual(parseCsv(text)[0].slice(0, 2), ["a,b", 'say "x"']);
});

test("counters: levels are summed up from the snapshot, events are per second", () => {
	const interval = (counters, values = {}) => ({
		end: 1,
		seconds: 2,
		counters: new Map(Object.entries(counters)),
		isComplete: true,
		values: new Map(Object.entries(values)),
	});
	const report = run(
		{},
		{
			snapshots: [{ name: "pre-run", counters: new Map([["meminfo.Dirty", 1000]]) }],
			intervals: [
				interval(
					{ "meminfo.Dirty": 500, "vmstat.pswpin": 10, "psi.memory.some.total": 1_000_000 },
					{ major_faults: 6, p99_ns: 9 },
				),
				interval({}),
			],
		},
	);
	assert.deepEqual(counterSeries(report, "meminfo.Dirty"), [1500, 1500]);
	assert.deepEqual(counterSeries(report, "vmstat.pswpin"), [5, 0]);
	assert.deepEqual(counterSeries(report, "psi.memory.some.total"), [50, 0]);
	assert.deepEqual(valueSeries(report, "major_faults"), [3, NaN]);
	assert.deepEqual(valueSeries(report, "p99_ns"), [9, NaN]);
	report.intervals[1].isComplete = false;
	assert.deepEqual(counterSeries(report, "vmstat.pswpin"), [5, NaN]);
	assert.deepEqual(
		["vmstat.nr_dirty", "vmstat.nr_dirtied", "cgroup.rss", "cgroup.total_pgfault"].map(
			(name) => counterKind(name).isLevel,
		),
		[true, false, true, false],
	);
});

test("numbers of reports: what is none is refused", () => {
	for (const text of ["", " 1", "+1", "1 ", "0x10", "1e999", "nan", "inf", "1,5", "--1", "1e", null])
		assert.equal(readNumber(text), null, String(text));
	for (const [text, value] of [
		["-1.5e-3", -0.0015],
		["007", 7],
		["-0", 0],
		["1e308", 1e308],
	])
		assert.equal(readNumber(text), value);
	for (const text of ["", "-1", "1.0", "18446744073709551616", "1e3", " 1", null])
		assert.equal(readCount(text), null, String(text));
	assert.equal(readCount("18446744073709551615"), 2n ** 64n - 1n);
});

test("bytes: empty, too large, zero bytes, far tags, no UTF-8, a document type", () => {
	const bytes = (text) => new TextEncoder().encode(text);
	assert.equal(decode(bytes("\ufeff<a/>")), "<a/>");
	for (const [data, why] of [
		[bytes(""), "the file is empty"],
		[new Uint8Array(2 ** 26 + 1), "larger than 64 MiB"],
		[bytes("<a>\0</a>"), "a report has no zero bytes: is it UTF-16 or no text?"],
		[bytes(`<a b="${"x".repeat(66_000)}"/>`), "more than 64 KiB from one tag to the next"],
		[new Uint8Array([0x3c, 0xff]), "not UTF-8"],
		[bytes('<!DOCTYPE a [<!ENTITY b "c">]><a/>'), "a report has no document type and no entities"],
	])
		assert.throws(() => decode(data), { message: why });
});

test("numbers for people", () => {
	assert.deepEqual(
		[0, 0.5, 9.996, 999.6, 12_345, 1.5e9, NaN, Infinity].map((ns) => formatNs(ns)),
		["0 ns", "0.500 ns", "10.0 ns", "1.00 µs", "12.3 µs", "1.50 s", "–", "∞"],
	);
	assert.deepEqual([0, 1, 0.5, 0.99999, 1e-6, 1e-12, NaN].map(formatShare), [
		"0 %",
		"100 %",
		"50.0 %",
		"99.999 %",
		"0.000100 %",
		"1.0e-10 %",
		"–",
	]);
	assert.equal(formatCount(18446744073709551615n), "18\u202f446\u202f744\u202f073\u202f709\u202f551\u202f615");
	assert.deepEqual([0, 5, 1234, 2.5e6, 1e18, 0.0001].map(formatNumber), [
		"0",
		"5",
		"1.23k",
		"2.50M",
		"1.00e18",
		"1.00e-4",
	]);
});

test("both types are added up, but not latencies of the same writes", () => {
	const histogram = (type, count, kind = "all") => ({
		type, kind, layout: "log16", lo: [100], hi: [200], counts: [count], exact: [BigInt(count)], total: BigInt(count),
		min: NaN, mean: NaN, stddev: NaN, max: NaN, step: NaN,
	});
	const accesses = run({}, { histograms: [histogram("read", 3), histogram("write", 4)] });
	const streams = run({}, {
		histograms: [histogram("response", 5, "log"), histogram("service", 5, "log"), histogram("commit", 5, "log"),
			histogram("sync", 2, "checkpoint")],
	});

	assert.equal(histogramOf(accesses, "both", "all").total, 7n);
	assert.equal(histogramOf(streams, "both", "log").total, 5n);
	assert.equal(histogramOf(streams, "commit", "log").type, "commit");
	assert.equal(histogramOf(streams, "both", "checkpoint"), null);
});
