// SPDX-License-Identifier: GPL-3.0-or-later
// Axes: a scale of d3, where its marks stand and what is written at them.
import { scaleLinear, scaleLog } from "d3-scale";
import { formatNs, formatNumber, formatShare } from "./format.js";

/**
 * @typedef {object} Axis
 * @property {(value: number) => number} place px; outside the range for values outside the domain
 * @property {(px: number) => number} value
 * @property {[number, number]} domain
 * @property {{ at: number, text: string, isMinor: boolean }[]} marks
 * @property {string} label
 */

/** @typedef {(value: number) => string} Format */

/**
 * Decades; between them 2 and 5, or all, as there is room.
 * @param {number} low
 * @param {number} high
 * @param {number} room marks that fit
 * @param {Format} format
 */
function logMarks(low, high, room, format) {
	const decades = Math.log10(high / low);
	const step = Math.max(1, Math.ceil(decades / room));
	const named = decades * 3 <= room ? [1, 2, 5] : [1];
	const marks = [];

	for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
		for (let digit = 1; digit < 10; digit++) {
			const at = Number(`${digit}e${power}`);
			const isNamed = named.includes(digit) && ((power % step) + step) % step === 0;
			if (at >= low * 0.9999 && at <= high * 1.0001 && (isNamed || step === 1))
				marks.push({ at, text: isNamed ? format(at) : "", isMinor: !isNamed });
		}
	}
	return marks;
}

/**
 * @param {{ domain: [number, number], range: [number, number], isLog: boolean, room: number, format: Format, label: string }} wish
 * @returns {Axis}
 */
export function makeAxis({ domain, range, isLog, room, format, label }) {
	const scale = isLog ? scaleLog(domain, range) : scaleLinear(domain, range);
	const floor = isLog ? domain[0] * 1e-6 : -Infinity;
	let marks = isLog ? logMarks(domain[0], domain[1], room, format) : [];

	/* Less than a decade has too few round numbers. */
	if (marks.filter((mark) => mark.text).length < 2)
		marks = scaleLinear(domain, range)
			.ticks(Math.max(2, Math.min(room, 8)))
			.map((at) => ({ at, text: format(at), isMinor: false }));
	return {
		domain,
		marks,
		label,
		place: (value) => scale(Math.max(value, floor)),
		value: (px) => scale.invert(px),
	};
}

/**
 * Share p from 0 to 1 by its nines: 90 % as far from 99 % as that from 99.9 %.
 * @param {{ domain: [number, number], range: [number, number], label: string }} wish domain in shares
 * @returns {Axis}
 */
export function makeNinesAxis({ domain, range, label }) {
	const nines = (/** @type {number} */ share) => -Math.log10(Math.max(1 - share, 1e-12));
	const scale = scaleLinear([nines(domain[0]), nines(domain[1])], range);
	const marks = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999, 0.99999999]
		.filter((at) => at >= domain[0] && at <= domain[1])
		.map((at) => ({ at, text: `${Number((at * 100).toFixed(8))} %`, isMinor: false }));

	return {
		domain,
		marks,
		label,
		place: (share) => scale(nines(share)),
		value: (px) => 1 - 10 ** -scale.invert(px),
	};
}

/** Labels of latency axes: round numbers without figures behind the point. @type {Format} */
export function markNs(ns) {
	if (ns >= 1 || ns === 0)
		return formatNs(ns, 4)
			.replace(/\.0+ /, " ")
			.replace(/(\.\d*?)0+ /, "$1 ");
	return `${ns} ns`;
}

/** @type {Format} */
export function markShare(share) {
	return formatShare(share)
		.replace(/(\.\d*?)0+ %/, "$1 %")
		.replace(/\. %/, " %");
}

/** @type {Format} */
export function markNumber(value) {
	return formatNumber(value)
		.replace(/(\.\d*?)0+(\D*)$/, "$1$2")
		.replace(/\.(\D*)$/, "$1");
}
