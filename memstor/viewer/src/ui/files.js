// SPDX-License-Identifier: GPL-3.0-or-later
// Where reports come from: the page's own data (memstor html), files dropped on it or opened by a button.
import { checkSize, checkText, decode } from "../read/bytes.js";
import { Refusal } from "../read/refusal.js";
import { addFact } from "../read/facts.js";
import { readPacked, readPart, readReport } from "../read/report.js";

/** @typedef {import("../read/report.js").Report} Report */
/**
 * @typedef {{ name: string, size: number, read: () => Promise<Uint8Array>, side?: string, folder?: string, step?: string,
 *   packed?: { text: string, parts: Map<string, string> } }} Source
 * side "base" or "new" of a comparison; folder it came from; step that it is a run of;
 * packed: what memstor html made of it, instead of bytes
 */
/** @typedef {{ file: string, line: number, text: string }} Refused */

const FOLDER_DEPTH = 8;

/**
 * So that a file that is opened twice is shown once.
 * @param {Uint8Array} bytes
 */
function fingerprint(bytes) {
	let a = 0x811c9dc5,
		b = 0x9e3779b9;

	for (const byte of bytes) {
		a = Math.imul(a ^ byte, 0x01000193);
		b = Math.imul(b ^ byte, 0x85ebca6b) + 1;
	}
	return `${bytes.length} ${a >>> 0} ${b >>> 0}`;
}

/** @param {unknown} fault */
function reasonOf(fault) {
	if (fault instanceof Refusal) return { line: fault.line, text: fault.message };
	if (fault instanceof DOMException) return { line: 0, text: `cannot be read: ${fault.message}` };
	return { line: 0, text: `cannot be shown: ${fault instanceof Error ? fault.message : String(fault)}` };
}

/** Lets the page be drawn between two files. */
function pause() {
	return new Promise((resolve) => setTimeout(resolve));
}

/** @type {Map<string, { id: number, file: string }>} what is open, by fingerprint */
const open = new Map();

/** @param {number} id of a report that is closed */
export function forget(id) {
	for (const [print, report] of [...open]) {
		if (report.id === id) open.delete(print);
	}
}

/** @param {Source} source @returns {Promise<Report>} */
async function load(source) {
	checkSize(source.size);
	const { packed } = source,
		bytes = packed ? null : await source.read(),
		print = bytes ? fingerprint(bytes) : [packed?.text, ...(packed?.parts.values() ?? [])].join("\n"),
		twin = open.get(print);

	if (twin) throw new Refusal(`the same as ${twin.file}, which is open: shown once`);
	const report = bytes
		? readReport(decode(bytes), source.name)
		: readPacked(checkText(packed?.text ?? ""), packed?.parts ?? new Map(), source.name);
	addFact(report.facts, "set", "side", source.side ?? "");
	addFact(report.facts, "set", "folder", source.folder ?? "");
	const step = source.step ?? report.facts.get("label:step")?.text ?? "";
	/* A name, whatever number it looks like. */
	if (step) report.facts.set("set:step", { group: "set", name: "step", text: step, same: step, order: NaN });
	open.set(print, { id: report.id, file: report.file });
	return report;
}

/** So often the page is drawn and answers, ms. */
const PAUSE_EVERY = 100;
/** Parts that are unpacked at a time. */
const TOGETHER = 16;

/**
 * One after another, so that memory holds one document at a time.
 * @param {Source[]} sources
 * @param {(done: number, all: number) => void} progress
 */
export async function loadAll(sources, progress) {
	/** @type {Report[]} */
	const reports = [];
	/** @type {Refused[]} */
	const refused = [];

	let last = -Infinity;

	for (const [i, source] of sources.entries()) {
		if (performance.now() - last > PAUSE_EVERY) {
			progress(i, sources.length);
			await pause();
			last = performance.now();
		}
		try {
			reports.push(await load(source));
		} catch (fault) {
			refused.push({ file: source.name, ...reasonOf(fault) });
		}
	}
	return { reports, refused };
}

/** The folder that was opened. @param {string} path */
function folderOf(path) {
	return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

/** @param {Iterable<File>} files @returns {Source[]} */
export function sourcesOf(files) {
	return [...files].map((file) => ({
		name: file.webkitRelativePath || file.name,
		folder: folderOf(file.webkitRelativePath),
		size: file.size,
		read: async () => new Uint8Array(await file.arrayBuffer()),
	}));
}

/**
 * What memstor html put into the page.
 * @param {string | null} text JSON
 * @returns {Source[]}
 */
export function embedded(text) {
	const list = JSON.parse(text ?? "[]");

	if (!Array.isArray(list)) return [];
	return list.map((one, i) => {
		const texts = Array.isArray(one?.xml) ? one.xml : [one?.xml];
		const text = texts.filter((/** @type {unknown} */ part) => typeof part === "string").join("");
		const parts = texts.filter((/** @type {any} */ part) => typeof part?.zlib === "string");
		const string = (/** @type {unknown} */ value) => (typeof value === "string" ? value : "");
		return {
			name: string(one?.name) || `report ${i + 1}`,
			side: string(one?.side),
			folder: string(one?.folder),
			step: typeof one?.step === "string" ? one.step : undefined,
			size: text.length,
			read: async () => new TextEncoder().encode(text),
			packed: parts.length
				? { text, parts: new Map(parts.map((/** @type {any} */ part) => [String(part.part), part.zlib])) }
				: undefined,
		};
	});
}

/**
 * Reads parts of reports that the page holds packed.
 * @param {{ report: Report, part: string }[]} wanted
 * @param {(done: number, all: number) => void} progress
 * @returns {Promise<Refused[]>}
 */
export async function loadParts(wanted, progress) {
	/** @type {Refused[]} */
	const refused = [];
	let done = 0,
		last = performance.now();

	while (done < wanted.length) {
		const some = wanted.slice(done, done + TOGETHER);
		await Promise.all(
			some.map(({ report, part }) =>
				readPart(report, part).catch((fault) => refused.push({ file: report.file, ...reasonOf(fault) })),
			),
		);
		done += some.length;
		if (performance.now() - last > PAUSE_EVERY) {
			progress(done, wanted.length);
			await pause();
			last = performance.now();
		}
	}
	return refused;
}

/**
 * The reports in a folder, in the order of their names.
 * @param {any} entry FileSystemEntry
 * @param {string} path
 * @param {number} depth
 * @returns {Promise<Source[]>}
 */
async function walk(entry, path, depth) {
	if (entry.isFile) {
		const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
		return sourcesOf([file]).map((source) => ({ ...source, name: path + entry.name, folder: folderOf(path) }));
	}
	if (depth === FOLDER_DEPTH) return [];
	const reader = entry.createReader(),
		all = [];
	for (;;) {
		const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
		if (some.length === 0) break;
		all.push(...some);
	}
	all.sort((a, b) => (a.name < b.name ? -1 : 1));
	const wanted = all.filter((one) => one.isDirectory || /\.xml$/i.test(one.name));
	return (await Promise.all(wanted.map((one) => walk(one, `${path}${entry.name}/`, depth + 1)))).flat();
}

/**
 * @param {DataTransfer} transfer
 * @returns {Promise<Source[]>}
 */
export async function dropped(transfer) {
	const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.());
	const files = sourcesOf(transfer.files);

	if (!entries.some((entry) => entry?.isDirectory)) return files;
	return (await Promise.all(entries.map((entry) => (entry ? walk(entry, "", 0) : [])))).flat();
}
