// SPDX-License-Identifier: GPL-3.0-or-later
// What two runs can differ in: tool, options, labels, host, machine, settings. Every name comes from a file and may
// be anything ("__proto__"): they are keys of Maps only.
import { ElementFault } from "./fault.js";
import { quote } from "./refusal.js";
import { formatBytes, quantity } from "./quantity.js";
import { children, find, textAt, textOf } from "./xml.js";

/**
 * @typedef {object} Fact
 * @property {string} group "set" "tool" "option" "label" "host" "machine" "setting"
 * @property {string} name
 * @property {string} text for people
 * @property {string} same equal values have it equal
 * @property {number} order NaN when it is no number
 */
/** @typedef {Map<string, Fact>} Facts by group and name: "option:ratio" */

/**
 * @param {Facts} facts
 * @param {string} group
 * @param {string} name
 * @param {string} value absent when ""
 */
export function addFact(facts, group, name, value) {
	const known = facts.get(`${group}:${name}`);
	const all = known ? `${known.text}, ${value}` : value;

	if (value !== "")
		facts.set(`${group}:${name}`, {
			group,
			name,
			...(known ? { text: all, same: all, order: NaN } : quantity(name, value)),
		});
}

/**
 * @param {Element | null} parent
 * @param {string} element
 * @returns {[string, string][]} name and text of each
 */
function pairs(parent, element) {
	return children(parent, element).map((node) => {
		const name = node.getAttribute("name");
		if (name === null) throw new ElementFault(node, `<${quote(element)}> has no name`);
		return [name, textOf(node)];
	});
}

/**
 * As memstor compare reads them, so that a run of the original is set beside ours by what was done: its zipf drew
 * from pareto, its shape means something for four patterns only, its rdtscp had no fence.
 * @param {Facts} facts
 * @param {Element | null} params
 */
function addOriginalOptions(facts, params) {
	const pattern = textAt(params, "pattern"),
		timer = textAt(params, "tsops");
	const isPareto = pattern === "pareto" || pattern === "zipf";
	const isWhole = pattern === "linear" || pattern === "normal";
	const shape = textAt(params, "shape");

	for (const name of ["duration", "mapsize", "setsize", "delay", "jobs", "offset", "ratio", "access"])
		addFact(facts, "option", name, textAt(params, name));
	for (const name of ["initialize", "cold"]) addFact(facts, "option", name, textAt(params, name) === "1" ? "yes" : "");
	addFact(facts, "option", "pattern", isPareto ? "pareto" : pattern);
	if (isWhole || isPareto) addFact(facts, "option", "shape", isWhole ? shape.replace(/\..*$/, "") : shape);
	addFact(facts, "option", "timestamp", timer === "rdtscp" ? "rdtscp-unfenced" : timer);
}

/**
 * A tool that writes to a target does not measure swap, and without a major fault nothing came from one.
 * @param {Facts} facts
 * @param {Element} report
 */
function usesSwap(facts, report) {
	const phases = children(find(report, "result/phases"), "phase");

	if (find(report, "storage") || facts.get("option:swap")?.text === "none") return false;
	return phases.length === 0 || phases.some((phase) => textAt(phase, "major_faults") !== "0");
}

/**
 * "zram lzo-rle 8 GiB": the path says only which of several devices was free. A run with a swap of its own uses that,
 * which is before all others of the machine.
 * @param {Element | null} machine
 * @param {boolean} isOwn
 */
function swapText(machine, isOwn) {
	const swap = find(machine, "swap");
	const all = children(swap, "swap_area");
	const highest = Math.max(...all.map((area) => Number(textAt(area, "priority"))));
	const used = isOwn ? all.filter((area) => Number(textAt(area, "priority")) >= highest) : all;
	const areas = used.map((area) => {
		const bytes = Number(textAt(area, "size_bytes"));
		return [textAt(area, "backing"), textAt(area, "algorithm"), bytes > 0 ? formatBytes(bytes) : ""]
			.filter((part) => part !== "")
			.join(" ");
	});

	if (!swap) return "";
	return areas.length ? areas.sort().join(", ") : "none";
}

/** The size rounded to what differs between machines, not between boots.
 * @param {string} text
 */
function memoryText(text) {
	const bytes = Number(text);

	return bytes > 0 ? `${Number((bytes / 2 ** 30).toPrecision(3))} GiB` : "";
}

/**
 * @param {Facts} facts
 * @param {Element} report
 */
function addMachine(facts, report) {
	const machine = find(report, "machine_info");
	const limit = Number(textAt(machine, "cgroup/limit_bytes"));
	const isSwapUsed = usesSwap(facts, report);

	addFact(facts, "machine", "modelname", textAt(machine, "modelname"));
	addFact(facts, "machine", "memory", memoryText(textAt(machine, "memory_bytes")));
	/* Another program's area that comes or goes, or its vm.page-cluster, did nothing to a run that did not swap. */
	if (isSwapUsed) addFact(facts, "machine", "swap_area", swapText(machine, facts.has("option:swap")));
	/* The limit of a run's own cgroup follows from its --ram. */
	addFact(facts, "machine", "cgroup_limit", facts.has("option:ram") || !(limit > 0) ? "" : formatBytes(limit));
	for (const name of ["cores", "hardware_threads", "hypervisor", "page_bytes"])
		addFact(facts, "machine", name, textAt(machine, name));
	addFact(facts, "machine", "time_source", textAt(machine, "time_source/method"));
	for (const [name, value] of pairs(find(machine, "settings"), "setting")) {
		if (isSwapUsed || name !== "vm.page-cluster") addFact(facts, "setting", name, value);
	}
}

const PROGRAMS = new Map([
	["pmbenchmark", "pmbench"],
	["iowritebench", "iowrite-bench"],
	["ssdworkloads", "ssd-workloads"],
	["memtrace", "memtrace"],
	["withpressure", "with-pressure"],
]);

/**
 * @param {Element} report
 * @param {boolean} isOriginal
 * @param {string} tool
 * @returns {Facts}
 */
export function readFacts(report, isOriginal, tool) {
	const signature = find(report, "signature");
	const os = isOriginal ? find(signature, "os_info/version_info") : find(signature, "host");
	/** @type {Facts} */
	const facts = new Map();

	addFact(facts, "set", "tool", PROGRAMS.get(report.parentElement?.nodeName ?? "") ?? textAt(signature, "tool"));
	addFact(facts, "tool", "tool", tool);
	if (isOriginal) addOriginalOptions(facts, find(signature, "params"));
	for (const [name, value] of pairs(find(signature, "options"), "option")) {
		if (name !== "label") addFact(facts, "option", name, value);
	}
	for (const [name, value] of pairs(find(signature, "labels"), "label")) addFact(facts, "label", name, value);
	addFact(facts, "host", "hostname", textAt(signature, isOriginal ? "os_info/hostname" : "host/hostname"));
	for (const name of ["os_name", "release", "arch"]) addFact(facts, "host", name, textAt(os, name));
	addMachine(facts, report);
	return facts;
}
