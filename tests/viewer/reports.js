// SPDX-License-Identifier: GPL-3.0-or-later
// Reports made for tests: as pmbench writes them, with what a test asks for. The same wish gives the same bytes.

const SWAPS = {
	zram: { backing: "zram", major: 9000, spread: 0.5 },
	nvme: { backing: "disk", major: 65_000, spread: 0.35 },
	sata: { backing: "disk", major: 190_000, spread: 0.6 },
};

/** 0 <= x < 1, after Park and Miller. @param {number} seed */
function random(seed) {
	let state = (seed % 2147483646) + 1;

	return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** A draw of the normal distribution. @param {() => number} next */
function normal(next) {
	return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** The buckets of layout log16. @param {number} ns @returns {[number, number | null]} */
export function log16(ns) {
	if (ns < 256) return [0, 256];
	const power = Math.floor(Math.log2(ns));
	if (power >= 30) return [2 ** 30, null];
	const width = power < 23 ? 2 ** (power - 4) : 2 ** power,
		lo = Math.floor(ns / width) * width;
	return [lo, lo + width];
}

/** The buckets of layout hdr. @param {number} ns @returns {[number, number | null]} */
export function hdr(ns) {
	const width = ns < 128 ? 1 : 2 ** (Math.floor(Math.log2(ns)) - 7),
		lo = Math.floor(ns / width) * width;

	return [lo, lo + width];
}

/** @param {string} text */
export function escape(text) {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** @param {number[]} samples @param {(ns: number) => [number, number | null]} bucketOf */
function count(samples, bucketOf) {
	const buckets = new Map();

	for (const ns of samples) {
		const [lo, hi] = bucketOf(Math.floor(ns));
		const bucket = buckets.get(lo) ?? { lo, hi, count: 0 };
		bucket.count++;
		buckets.set(lo, bucket);
	}
	return [...buckets.values()].sort((a, b) => a.lo - b.lo);
}

/** @param {number[]} samples */
function summary(samples) {
	const n = samples.length,
		mean = samples.reduce((a, b) => a + b, 0) / n;
	const squares = samples.reduce((sum, ns) => sum + (ns - mean) ** 2, 0);

	if (n === 0) return "<summary><count>0</count></summary>";
	return (
		`<summary><count>${n}</count><min_ns>${Math.min(...samples)}</min_ns><mean_ns>${mean}</mean_ns>` +
		`<stddev_ns>${n > 1 ? Math.sqrt(squares / (n - 1)) : 0}</stddev_ns><max_ns>${Math.max(...samples)}</max_ns></summary>`
	);
}

/**
 * @param {string} type
 * @param {string} kind
 * @param {number[]} samples
 * @param {string} layout
 * @param {boolean} hasSummary
 */
export function histogram(type, kind, samples, layout = "log16", hasSummary = true) {
	const buckets = count(samples, layout === "hdr" ? hdr : log16).map(
		({ lo, hi, count: n }) => `<bucket lo="${lo}"${hi === null ? "" : ` hi="${hi}"`} count="${n}"/>`,
	);

	return [
		`<latency_histogram type="${type}" class="${kind}" layout="${layout}" unit="ns">`,
		hasSummary ? summary(samples) : "",
		...buckets,
		"</latency_histogram>",
	].join("\n");
}

/**
 * @param {() => number} next
 * @param {{ backing: string, major: number, spread: number }} swap
 * @param {number} pressure share of major faults
 * @returns {{ kind: string, ns: number }}
 */
function draw(next, swap, pressure) {
	const kind = next() < pressure ? "major" : next() < 0.01 ? "minor" : "hit";
	const tail = next() < 0.004 ? 1 + 30 * next() : 1;
	const middle = { hit: 430, minor: 1900, major: swap.major }[kind],
		spread = { hit: 0.16, minor: 0.22, major: swap.spread }[kind];

	return { kind, ns: Math.max(20, middle * Math.exp(spread * normal(next)) * tail) };
}

/**
 * @typedef {object} Wish
 * @property {number} [seed]
 * @property {Record<string, string>} [options] over the usual ones
 * @property {Record<string, string>} [labels]
 * @property {string} [host]
 * @property {string} [kernel]
 * @property {keyof typeof SWAPS} [swap]
 * @property {number} [accesses]
 * @property {number} [intervals]
 * @property {string} [layout]
 * @property {string} [status]
 * @property {string} [environment] XML
 * @property {number} [slower] factor
 * @property {number} [memory] GiB
 * @property {string} [root]
 * @property {string} [result] XML
 */

/** @typedef {{ type: string, kind: string, ns: number }} Sample */

/** @param {string} name @param {string | number} value */
function leaf(name, value) {
	return `<${name}>${value}</${name}>`;
}

/**
 * @param {Sample[]} part of one interval
 * @param {number} i
 * @param {number} change of dirty memory
 * @param {() => number} next
 */
function interval(part, i, change, next) {
	const times = part.map(({ ns }) => ns),
		of = (/** @type {string} */ wanted) => part.filter(({ kind }) => kind === wanted).length;
	const wave = Math.sin(i / 5),
		counters = {
			"vmstat.pswpin": of("major"),
			"vmstat.pgmajfault": of("major"),
			"meminfo.Dirty": change,
			"psi.memory.some.total": Math.round((4e5 * (1 + wave)) / 2),
		};

	return [
		`<interval index="${i}">`,
		leaf("time_s", i + 1),
		leaf("seconds", 1),
		leaf("accesses", part.length),
		leaf("accesses_per_second", part.length * (1 + 0.2 * wave) + Math.round(next() * 50)),
		leaf("minor_faults", of("minor")),
		leaf("major_faults", of("major")),
		leaf("mean_ns", times.reduce((sum, ns) => sum + ns, 0) / part.length),
		leaf("p99_ns", [...times].sort((a, b) => a - b)[Math.floor(part.length * 0.99)]),
		histogram("both", "all", times, "log16", false),
		'<counters unlisted="unchanged">',
		...Object.entries(counters).map(([name, value]) => `<counter name="${name}" value="${value}"/>`),
		"</counters></interval>",
	].join("");
}

/** @param {Sample[]} samples @param {Wish} wish */
function series(samples, { intervals = 0, seed = 1 }) {
	const size = Math.ceil(samples.length / Math.max(1, intervals)),
		next = random(seed + 77);

	if (intervals === 0) return "";
	const all = Array.from({ length: intervals }, (_, i) =>
		interval(samples.slice(i * size, (i + 1) * size), i, Math.round((next() - 0.45) * 4e6), next),
	);
	return `<series><interval_ns>1000000000</interval_ns>${all.join("\n")}</series>`;
}

/** @param {Wish} wish */
function signature({ seed = 1, options = {}, labels = {}, host = "alpha", kernel = "6.12.0" }) {
	const usual = {
		mapsize: "512",
		pattern: "uniform",
		ratio: "50",
		jobs: "1",
		timestamp: "rdtscp",
		access: "histo",
	};
	const pairs = (/** @type {string} */ element, /** @type {Record<string, string>} */ values) =>
		Object.entries(values)
			.map(([name, value]) => `<${element} name="${escape(name)}">${escape(value)}</${element}>`)
			.join("");

	return [
		"<signature>",
		leaf("uuid", `00000000-0000-4000-8000-${String(seed).padStart(12, "0")}`),
		leaf("tool", "pmbench"),
		leaf("tool_version", "0.1.0"),
		leaf("report_version", "1.0"),
		"<command><argument>pmbench</argument><argument>-f</argument><argument>a b.xml</argument></command>",
		`<options>${pairs("option", { ...usual, delay: "0", duration: "60", ...options })}</options>`,
		leaf("seed", seed),
		leaf("wall_start", `2026-11-20T13:${String(seed % 60).padStart(2, "0")}:15.966814597Z`),
		`<host>${leaf("hostname", escape(host))}<boot_id>b</boot_id><os_name>Linux</os_name>`,
		`${leaf("release", escape(kernel))}<arch>x86_64</arch></host>`,
		`<labels>${pairs("label", labels)}</labels>`,
		"</signature>",
	].join("\n");
}

/** @param {Wish} wish */
function machine({ swap = "zram", memory = 16 }) {
	return [
		"<machine_info><modelname>Test CPU</modelname>",
		leaf("memory_bytes", memory * 2 ** 30),
		`<swap><swap_area><path>/dev/${swap}0</path>${leaf("backing", SWAPS[swap].backing)}`,
		`<algorithm>${swap === "zram" ? "lzo" : ""}</algorithm><size_bytes>8589934592</size_bytes></swap_area></swap>`,
		'<settings><setting name="vm.swappiness">60</setting></settings></machine_info>',
	].join("\n");
}

/** @param {Wish} wish @returns {Sample[]} */
function samplesOf({ seed = 1, swap = "zram", accesses = 4000, slower = 1 }) {
	const next = random(seed * 7919 + 13);

	return Array.from({ length: accesses }, () => {
		const { kind, ns } = draw(next, SWAPS[swap], 0.35);
		return { type: next() < 0.5 ? "read" : "write", kind, ns: ns * slower };
	});
}

/** @param {Wish} wish */
export function report(wish = {}) {
	const {
		accesses = 4000,
		layout = "log16",
		status = "ok",
		environment = "",
		root = "pmbenchmark",
		result = "",
	} = wish;
	const samples = samplesOf(wish);
	const of = (/** @type {string} */ type, /** @type {string} */ kind) =>
		samples.filter((one) => one.type === type && (kind === "all" || one.kind === kind)).map(({ ns }) => ns);
	const mean = samples.reduce((sum, { ns }) => sum + ns, 0) / accesses;
	const histograms = ["read", "write"].flatMap((type) =>
		["all", "hit", "minor", "major"].map((kind) => histogram(type, kind, of(type, kind), layout)),
	);
	const reason =
		status === "untrustworthy" ? '<reason code="inexact">3 faults are not accounted to an access</reason>' : "";

	return [
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<${root}>`,
		"<report>",
		signature(wish),
		machine(wish),
		`<environment>${environment}</environment>`,
		`<result>${result}<totals>${leaf("accesses", accesses)}${leaf("accesses_per_second", 1e9 / mean)}</totals></result>`,
		`<statistics>${histograms.join("\n")}</statistics>`,
		series(samples, wish),
		'<sys_mem_info><sys_mem_item name="pre-run"><counters><counter name="meminfo.Dirty" value="4000000"/></counters>',
		"</sys_mem_item></sys_mem_info>",
		`<verdict status="${status}">${reason}</verdict>`,
		"</report>",
		`</${root}>`,
		"",
	].join("\n");
}
