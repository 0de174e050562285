// SPDX-License-Identifier: GPL-3.0-or-later

/** Why a file is not shown: one line for people. */
export class Refusal extends Error {
	/**
	 * @param {string} text
	 * @param {number} [line] of the file, from 1; 0 = the file as a whole
	 */
	constructor(text, line = 0) {
		super(text);
		this.line = line;
	}
}

/**
 * What a file says, cut and without control characters, so that a message stays one readable line.
 * @param {string} text
 * @param {number} [most] characters
 */
export function quote(text, most = 40) {
	const clean = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?");
	return clean.length > most ? `${clean.slice(0, most)}…` : clean;
}
