// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a report, by the rules of the suite's reader (common/base/units.c): no blanks, no plus, no hexadecimal.

const U64_MAX = 2n ** 64n - 1n;

/**
 * A count: 0 to 2^64-1. Null when it is none.
 * @param {string | null} text
 * @returns {bigint | null}
 */
export function readCount(text) {
	if (text === null || text.length > 64 || !/^[0-9]+$/.test(text)) return null;
	const value = BigInt(text);
	return value <= U64_MAX ? value : null;
}

/**
 * A finite number. Null when it is none.
 * @param {string | null} text
 * @returns {number | null}
 */
export function readNumber(text) {
	if (text === null || text === "" || text.length > 512 || !/^[-.0-9][-+.0-9eE]*$/.test(text)) return null;
	const value = Number(text);
	return Number.isFinite(value) ? value + 0 : null;
}
