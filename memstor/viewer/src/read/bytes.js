// SPDX-License-Identifier: GPL-3.0-or-later
// What is checked before a parser sees a file, with the limits of common/report/report_read.h.
import { Refusal } from "./refusal.js";

export const SIZE_MAX = 64 << 20;
const TAG_MAX = 64 << 10;
const LESS_THAN = 0x3c;

/** @param {number} size */
export function checkSize(size) {
	if (size === 0) throw new Refusal("the file is empty");
	if (size > SIZE_MAX) throw new Refusal(`larger than ${SIZE_MAX >> 20} MiB`);
}

/**
 * In a well-formed document "<" stands at the begin of each tag and nowhere inside one.
 * @param {Uint8Array} bytes
 */
function checkTags(bytes) {
	for (let from = 0; from < bytes.length; ) {
		const next = bytes.indexOf(LESS_THAN, from);
		if ((next < 0 ? bytes.length : next) - from > TAG_MAX)
			throw new Refusal(`more than ${TAG_MAX >> 10} KiB from one tag to the next`);
		if (next < 0) break;
		from = next + 1;
	}
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function decode(bytes) {
	let text;

	checkSize(bytes.length);
	if (bytes.includes(0)) throw new Refusal("a report has no zero bytes: is it UTF-16 or no text?");
	checkTags(bytes);
	try {
		text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw new Refusal("not UTF-8");
	}
	return checkText(text);
}

/** @param {string} text */
export function checkText(text) {
	if (text.includes("<!DOCTYPE")) throw new Refusal("a report has no document type and no entities");
	return text;
}

/**
 * What memstor html compressed (zlib, in base64).
 * @param {string} packed
 * @returns {Promise<string>}
 */
export async function unpack(packed) {
	try {
		const bytes = Uint8Array.from(atob(packed), (one) => one.charCodeAt(0));
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
		return await new Response(stream).text();
	} catch {
		throw new Refusal("a part of it is damaged");
	}
}
