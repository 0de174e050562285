// SPDX-License-Identifier: GPL-3.0-or-later
// One report as the page sees it: of every tool and every released version, the original pmbench's among them.
import { ElementFault, countOf, numberOf } from "./fault.js";
import { checkText, unpack } from "./bytes.js";
import { readFacts } from "./facts.js";
import { clockStep, readStatistics } from "./histograms.js";
import { readMap } from "./map.js";
import { readNumber } from "./numbers.js";
import { checkOnce } from "./once.js";
import { Refusal, quote } from "./refusal.js";
import { readResultMoments, readSeries } from "./series.js";
import { treeOf } from "./tree.js";
import { children, find, lineOf, parseXml, textAt, textOf } from "./xml.js";

/** @typedef {{ code: string, finding: string, measured: string, advice: string }} Check */
/** @typedef {{ name: string, begin: number, end: number }} Phase */
/** @typedef {{ name: string, counters: Map<string, number> }} Snapshot */

/**
 * @typedef {object} Report
 * @property {number} id unique in the page
 * @property {string} file
 * @property {string} root the tool's element
 * @property {string} tool with its version
 * @property {boolean} isOriginal the original pmbench's
 * @property {string} uuid
 * @property {string} when start of the run, or its end with a word that says so
 * @property {import("./facts.js").Facts} facts
 * @property {string} status "ok" "interrupted" "untrustworthy"; "" = the original gives no verdict
 * @property {{ code: string, text: string }[]} reasons of the verdict
 * @property {Check[]} checks of the environment
 * @property {Map<string, number>} values numbers of the result
 * @property {import("../model/histogram.js").Histogram[]} histograms of the whole run
 * @property {import("./series.js").Interval[]} intervals
 * @property {import("./map.js").AccessMap | null} map of accesses by time and address
 * @property {Phase[]} phases
 * @property {Snapshot[]} snapshots
 * @property {number} parts runs that memstor merge made one of; 0 = it is one run
 * @property {import("./tree.js").Tree} tree of <report> without statistics and series
 * @property {import("./tree.js").Tree[]} rest more of that, read later
 * @property {number} step of the clock, ns
 * @property {Map<string, string>} packed parts that are not read yet, by name, as memstor html compressed them
 */

/** The tools of the suite: what else is in <result> is shown as it is named. */
const ROOTS = ["pmbenchmark", "iowritebench", "ssdworkloads", "memtrace", "withpressure"];
const MAJOR = 1;
/** @param {Element} root */
function checkRoot(root) {
	/* Other tools write the same elements into a root of their own. */
	if (!ROOTS.includes(root.nodeName) && !find(root, "report/signature/report_version"))
		throw new ElementFault(
			root,
			`<${quote(root.nodeName)}> is no report: allowed are ` +
				`${ROOTS.slice(0, -1)
					.map((name) => `<${name}>`)
					.join(", ")} and <${ROOTS[ROOTS.length - 1]}>`,
		);
	const report = find(root, "report");
	if (!report) throw new ElementFault(root, `<${root.nodeName}> has no <report>`);
	return report;
}

/**
 * @param {Element} root
 * @param {Element} report
 * @returns {boolean} whether it is the original pmbench's, which has no version of the format
 */
function checkVersion(root, report) {
	const element = find(report, "signature/report_version");

	if (!element && root.nodeName !== "pmbenchmark")
		throw new ElementFault(report, "no <report_version> in the <signature>");
	if (!element) return true;
	const match = /^(\d{1,4})\.\d{1,4}$/.exec(textOf(element));
	if (!match)
		throw new ElementFault(
			element,
			`<report_version> is '${quote(textOf(element))}': allowed are versions like 1.0`,
		);
	if (Number(match[1]) > MAJOR)
		throw new ElementFault(
			element,
			`report format ${match[0]} is newer than this page, which reads up to ` +
				`${MAJOR}.x: use a newer viewer`,
		);
	return false;
}

/**
 * Thread by thread; what <totals> says in our reports, as far as the original's threads tell it.
 * @param {Element | null} result
 * @param {boolean} isOriginal
 * @param {Map<string, number>} values
 */
function addThreads(result, isOriginal, values) {
	let accesses = 0,
		latency = 0,
		net = 0,
		perSecond = 0;

	for (const thread of children(result, "result_thread")) {
		const samples = find(thread, "result_details/details_samples");
		const count = samples ? Number(countOf(samples)) : 0;
		const ns = (/** @type {string} */ ours, /** @type {string} */ original) => {
			const exact = find(thread, `thread_details/${ours}`),
				rounded = find(thread, original);
			return exact ? numberOf(exact) : rounded ? numberOf(rounded) * 1e3 : NaN;
		};
		if (count === 0) continue;
		const mean = ns("latency_ns", "result_details/details_latency/latency_us");
		accesses += count;
		latency += mean * count;
		net += ns("net_ns", "result_netavg/netavg_us") * count;
		perSecond += 1e9 / mean;
	}
	const found = /** @type {[string, number][]} */ ([
		["latency_ns", latency / accesses],
		["net_ns", net / accesses],
	]);
	if (isOriginal) found.push(["accesses", accesses], ["accesses_per_second", perSecond]);
	for (const [name, value] of found) {
		if (Number.isFinite(value) && !values.has(name)) values.set(name, value);
	}
}

/**
 * @param {Element} report
 * @param {boolean} isOriginal
 */
function readValues(report, isOriginal) {
	const result = find(report, "result");
	/** @type {Map<string, number>} */
	const values = new Map();

	/* A command's numbers stand in the result itself; those of other tools are of its parts. */
	const isCommand = report.ownerDocument.documentElement.nodeName === "withpressure";
	const parts = ["totals", "steady_state", "paging_overhead"].map((part) => find(result, part));
	for (const part of isCommand ? [result] : parts) {
		for (const element of part?.children ?? []) {
			const value = element.firstElementChild ? null : readNumber(textOf(element));
			if (value !== null && !values.has(element.nodeName)) values.set(element.nodeName, value);
		}
	}
	/* It says how the command ended, and is no quantity. */
	values.delete("exit_status");
	addThreads(result, isOriginal, values);
	return values;
}

/** @param {Element} report */
function readVerdict(report) {
	const verdict = find(report, "verdict");
	const status = verdict?.getAttribute("status") ?? "";

	if (!verdict)
		return { status: textAt(report, "signature/interrupted") === "1" ? "interrupted" : "", reasons: [] };
	if (!["ok", "interrupted", "untrustworthy"].includes(status))
		throw new ElementFault(
			verdict,
			`status="${quote(status)}" of <verdict>: allowed are ok, interrupted and untrustworthy`,
		);
	const reasons = children(verdict, "reason").map((reason) => ({
		code: reason.getAttribute("code") ?? "",
		text: textOf(reason),
	}));
	return { status, reasons };
}

/** @param {Element} report */
function readWhen(report) {
	const start = textAt(report, "signature/wall_start");
	const time = find(report, "signature/time_info");
	const [year, month, day, hour, minute, second] = ["year", "mon", "mday", "hour", "min", "sec"].map(
		(name) => readNumber(textAt(time, name)) ?? NaN,
	);
	const two = (/** @type {number} */ n) => String(n).padStart(2, "0");

	if (start) return start.replace("T", " ").replace(/\.\d+Z$/, " UTC");
	if (!Number.isFinite(year)) return "";
	return `${1900 + year}-${two(month + 1)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)} (end)`;
}

/** @param {Element} report @returns {Phase[]} */
function readPhases(report) {
	return children(find(report, "result/phases"), "phase").map((phase) => ({
		name: textAt(phase, "pattern"),
		begin: readNumber(textAt(phase, "begin_s")) ?? NaN,
		end: readNumber(textAt(phase, "end_s")) ?? NaN,
	}));
}

/** @param {Element | null} info <sys_mem_info> @returns {Snapshot[]} */
function readSnapshots(info) {
	return children(info, "sys_mem_item").map((item) => ({
		name: item.getAttribute("name") ?? "",
		counters: new Map(
			children(find(item, "counters"), "counter").map((counter) => [
				counter.getAttribute("name") ?? "",
				readNumber(counter.getAttribute("value")) ?? NaN,
			]),
		),
	}));
}

/** @param {Element} report */
function readChecks(report) {
	return children(find(report, "environment"), "check").map((check) => ({
		code: check.getAttribute("code") ?? "",
		finding: textAt(check, "finding"),
		measured: textAt(check, "measured"),
		advice: textAt(check, "advice"),
	}));
}

/** @param {Element} report @param {boolean} isOriginal */
function toolName(report, isOriginal) {
	if (isOriginal) return `${textAt(report, "signature/pmbench_info/version_number") || "pmbench"} (original)`;
	return `${textAt(report, "signature/tool")} ${textAt(report, "signature/tool_version")}`.trim();
}

/**
 * @param {Element} root
 * @param {string} file
 * @returns {Omit<Report, "id" | "tree">}
 */
function makeReport(root, file) {
	const report = checkRoot(root);
	const isOriginal = checkVersion(root, report),
		tool = toolName(report, isOriginal);

	checkOnce(root);
	const step = clockStep(report),
		series = find(report, "series");
	return {
		file,
		root: root.nodeName,
		tool,
		isOriginal,
		uuid: textAt(report, "signature/uuid"),
		when: readWhen(report),
		facts: readFacts(report, isOriginal, tool),
		...readVerdict(report),
		checks: readChecks(report),
		values: readValues(report, isOriginal),
		histograms: readStatistics(find(report, "statistics"), step),
		intervals: series ? readSeries(series) : readResultMoments(report),
		map: readMap(report),
		phases: readPhases(report),
		snapshots: readSnapshots(find(report, "sys_mem_info")),
		parts: children(find(report, "parts"), "part").length,
		step,
		packed: new Map(),
		rest: [],
	};
}

let made = 0;

/**
 * Throws a Refusal with the line when it is none.
 * @param {string} text
 * @param {string} file
 * @returns {Report}
 */
export function readReport(text, file) {
	const root = parseXml(text);

	try {
		return { id: ++made, tree: restOf(root), ...makeReport(root, file) };
	} catch (fault) {
		if (fault instanceof ElementFault) throw new Refusal(fault.message, lineOf(fault.element, text));
		throw fault;
	}
}

/**
 * What memstor html compresses, and how it becomes part of a report.
 * @type {Map<string, (report: Report, part: Element) => void>}
 */
const PARTS = new Map(
	Object.entries({
		statistics: (/** @type {Report} */ report, /** @type {Element} */ part) => {
			report.histograms = readStatistics(part, report.step);
		},
		series: (/** @type {Report} */ report, /** @type {Element} */ part) => {
			report.intervals = readSeries(part);
		},
		sys_mem_info: (/** @type {Report} */ report, /** @type {Element} */ part) => {
			report.snapshots = readSnapshots(part);
			report.rest.push(treeOf(part, new Set()));
		},
	}),
);

/** @param {Element} root */
function restOf(root) {
	return treeOf(find(root, "report") ?? root, new Set(["statistics", "series"]));
}

/**
 * A report of a page that memstor html made: its largest parts are read when they are asked for.
 * @param {string} text without them
 * @param {Map<string, string>} packed
 * @param {string} file
 * @returns {Report}
 */
export function readPacked(text, packed, file) {
	const known = new Map([...packed].filter(([name]) => PARTS.has(name)));
	/** @type {import("./tree.js").Tree | null} */
	let tree = null;

	try {
		return {
			id: ++made,
			...makeReport(parseXml(text), file),
			packed: known,
			/* Of a thousand reports one is looked at as a whole: it is parsed again. */
			get tree() {
				tree ??= restOf(parseXml(text));
				return tree;
			},
		};
	} catch (fault) {
		if (fault instanceof ElementFault) throw new Refusal(fault.message);
		throw fault;
	}
}

/** @type {Map<string, Promise<void>>} parts that are being read, by report and name */
const reading = new Map();

/**
 * Reads a part that is packed, once for all who ask for it. Throws a Refusal when it is none; then the report goes on
 * without it.
 * @param {Report} report
 * @param {string} name
 */
export function readPart(report, name) {
	const packed = report.packed.get(name),
		key = `${report.id} ${name}`;

	if (packed === undefined) return Promise.resolve();
	const begun =
		reading.get(key) ??
		unpackPart(report, name, packed).finally(() => {
			report.packed.delete(name);
			reading.delete(key);
		});
	reading.set(key, begun);
	return begun;
}

/** @param {Report} report @param {string} name @param {string} packed */
async function unpackPart(report, name, packed) {
	const part = parseXml(checkText(await unpack(packed)));

	try {
		checkOnce(part);
		PARTS.get(name)?.(report, part);
	} catch (fault) {
		if (fault instanceof ElementFault) throw new Refusal(`<${name}>: ${fault.message}`);
		throw fault;
	}
}
