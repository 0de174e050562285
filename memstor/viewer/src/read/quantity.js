// SPDX-License-Identifier: GPL-3.0-or-later
// Values of options as people compare them: "8192" and "8192MiB" of a map size are the same, 8 comes before 16.

/** @typedef {{ text: string, same: string, order: number }} Quantity
 * text for people; same: equal values have it equal; order: NaN when it is no number */

const UNITS = new Map([
	["", 1],
	["b", 1],
	["k", 2 ** 10],
	["kb", 2 ** 10],
	["kib", 2 ** 10],
	["m", 2 ** 20],
	["mb", 2 ** 20],
	["mib", 2 ** 20],
	["g", 2 ** 30],
	["gb", 2 ** 30],
	["gib", 2 ** 30],
	["t", 2 ** 40],
	["tb", 2 ** 40],
	["tib", 2 ** 40],
]);
const TIMES = new Map([
	["ns", 1e-9],
	["us", 1e-6],
	["ms", 1e-3],
	["", 1],
	["s", 1],
	["m", 60],
	["min", 60],
	["h", 3600],
]);
const SIZES = new Map([
	["mapsize", "m"],
	["setsize", "m"],
	["ram", "b"],
	["size", "b"],
	["bs", "b"],
]);
const DURATIONS = new Set(["duration", "interval", "runtime", "ramp_time"]);

/** @param {number} bytes */
export function formatBytes(bytes) {
	const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let value = Math.abs(bytes),
		unit = 0;

	while (value >= 1024 && unit < names.length - 1) {
		value /= 1024;
		unit++;
	}
	const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
	return `${bytes < 0 ? "−" : ""}${value.toFixed(digits)} ${names[unit]}`;
}

/** @param {number} seconds */
export function formatSeconds(seconds) {
	const steps = /** @type {[number, string][]} */ ([
		[1, "s"],
		[1e-3, "ms"],
		[1e-6, "µs"],
		[1e-9, "ns"],
	]);
	const [step, unit] = steps.find(([least]) => Math.abs(seconds) >= least) ?? [1, "s"];

	return `${Number((seconds / step).toPrecision(4))} ${unit}`;
}

/**
 * @param {string} text "8192MiB"
 * @param {Map<string, number>} units
 * @param {string} bare the unit of a bare number
 */
function parse(text, units, bare) {
	const match = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text);
	const factor = match && units.get((match[2] || bare).toLowerCase());

	return match && factor !== undefined && factor !== null ? Number(match[1]) * factor : NaN;
}

/**
 * @param {string} name of the option
 * @param {string} value as the report has it
 * @returns {Quantity}
 */
export function quantity(name, value) {
	const sizeUnit = SIZES.get(name);
	const bytes = sizeUnit ? parse(value, UNITS, sizeUnit) : NaN;
	const seconds = DURATIONS.has(name) ? parse(value, TIMES, "s") : NaN;
	const plain = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;

	if (Number.isFinite(bytes)) return { text: formatBytes(bytes), same: `${bytes} bytes`, order: bytes };
	if (Number.isFinite(seconds)) return { text: formatSeconds(seconds), same: `${seconds} s`, order: seconds };
	if (name === "ratio" && Number.isFinite(plain)) return { text: `${value} %`, same: value, order: plain };
	/* "zram:8589934592B" */
	const text = value.replace(/\b(\d{4,18})B\b/g, (_, bytes) => formatBytes(Number(bytes)));
	return { text, same: value, order: plain };
}
