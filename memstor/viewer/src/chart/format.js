// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers for people: three figures and a unit. The exact value is in the tables' titles and in exports.
import { formatBytes, formatSeconds } from "../read/quantity.js";

/** What stands for a number that a report does not have. */
export const ABSENT = "–";

/** @param {number} value @param {number} digits */
function figures(value, digits) {
	const text = value.toPrecision(digits);

	return !text.includes("e")
		? text
		: Math.abs(value) < 1
			? Number(text).toFixed(9).replace(/0+$/, "")
			: String(Number(text));
}

/** @param {number} ns */
export function formatNs(ns, digits = 3) {
	const steps = /** @type {[number, string][]} */ ([
		[1e9, "s"],
		[1e6, "ms"],
		[1e3, "µs"],
		[1, "ns"],
	]);
	const [step, unit] = steps.find(([least]) => Math.abs(ns) >= least * (1 - 5 * 10 ** -(digits + 1))) ?? [1, "ns"];

	if (Number.isNaN(ns)) return ABSENT;
	return ns === 0 ? "0 ns" : ns === Infinity ? "∞" : `${figures(ns / step, digits)} ${unit}`;
}

/** @param {number | bigint} count */
export function formatCount(count) {
	if (typeof count === "number" && !Number.isInteger(count)) return formatNumber(count);
	return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Three figures with k, M, G. @param {number} value */
export function formatNumber(value) {
	const steps = /** @type {[number, string][]} */ ([
		[1e12, "T"],
		[1e9, "G"],
		[1e6, "M"],
		[1e3, "k"],
	]);
	const [step, unit] = steps.find(([least]) => Math.abs(value) >= least * 0.9995) ?? [1, ""];

	if (Number.isNaN(value)) return ABSENT;
	if (value === 0) return "0";
	if (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-3) return value.toExponential(2).replace("e+", "e");
	const scaled = value / step;
	return (
		(unit === "" && Number.isInteger(value) ? String(value) : figures(scaled, Math.abs(scaled) >= 100 ? 3 : 3)) +
		unit
	);
}

/** @param {number} share 0 to 1 */
export function formatShare(share) {
	const percent = share * 100;

	if (Number.isNaN(share)) return ABSENT;
	if (percent === 0 || percent === 100) return `${percent} %`;
	if (percent > 99 && percent < 100) return `${nearHundred(percent)} %`;
	return `${percent < 1e-6 ? percent.toExponential(1) : figures(percent, 3)} %`;
}

/** As many nines as there are, and two figures more. @param {number} percent */
function nearHundred(percent) {
	const digits = Math.min(8, Math.ceil(-Math.log10(100 - percent)) + 2);

	return String(Number(percent.toFixed(digits)));
}

/**
 * @param {number} value
 * @param {import("../model/metrics.js").Metric["unit"]} unit
 */
export function formatUnit(value, unit) {
	if (Number.isNaN(value)) return ABSENT;
	switch (unit) {
		case "ns":
			return formatNs(value);
		case "rate":
			return `${formatNumber(value)}/s`;
		case "count":
			return formatCount(value);
		case "percent":
			return `${formatNumber(value)} %`;
		case "seconds":
			return formatSeconds(value);
		case "bytes":
			return formatBytes(value);
		default:
			return formatNumber(value);
	}
}
