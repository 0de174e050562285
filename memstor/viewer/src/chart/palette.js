// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of charts, as attributes of the drawing, so that an exported picture looks as the page does. Lines differ
// by 3:1 from the ground and from each other for people with colour-blindness too (tests/viewer/palette.test.js);
// from the ninth line on dashes tell them apart.

/**
 * @typedef {object} Theme
 * @property {string} ground
 * @property {string} text
 * @property {string} muted
 * @property {string} grid
 * @property {string} axis
 * @property {string[]} lines
 * @property {string[]} ramp of the heat map, from little to much
 * @property {string} warning
 * @property {string[]} steps of stacked bars, from fast to slow
 */

/** @type {Theme} */
export const LIGHT = {
	ground: "#ffffff",
	text: "#1b1d21",
	muted: "#565d66",
	grid: "#e7e9ec",
	axis: "#8a919b",
	warning: "#a8201a",
	lines: ["#084fba", "#dc701c", "#339a83", "#97166d", "#161635", "#966b26", "#a473ee", "#583400"],
	ramp: ["#eef3e6", "#bfe0b4", "#73c2a5", "#2b959f", "#21609a", "#1c2c6b"],
	steps: ["#8fb8e8", "#4f8fd6", "#e8a33d", "#c8601a", "#7c2a10"],
};

/** @type {Theme} */
export const DARK = {
	ground: "#191c20",
	text: "#e8eaed",
	muted: "#a4acb6",
	grid: "#2c3138",
	axis: "#767f8a",
	warning: "#ff9d94",
	lines: ["#81ade9", "#ed914a", "#1cdea8", "#d64fb1", "#e4ecf9", "#f7cd3a", "#a071fc", "#627273"],
	ramp: ["#283242", "#2b4582", "#2b6d93", "#37a08f", "#8fcf6a", "#f5ec6f"],
	steps: ["#3b5f8f", "#6ea2e0", "#e0a046", "#e2763a", "#d9483a"],
};

const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

/**
 * @param {Theme} theme
 * @param {number} index of the line
 */
export function colorOf(theme, index) {
	return theme.lines[index % theme.lines.length];
}

/**
 * @param {number} index
 * @param {number} size lines before the dash changes
 */
export function dashOf(index, size) {
	return DASHES[Math.floor(index / size) % DASHES.length];
}

/** @param {string} hex "#rrggbb" */
function channels(hex) {
	return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/**
 * @param {string[]} ramp
 * @param {number} share 0 to 1
 * @returns {number[]} red, green, blue
 */
export function rampColor(ramp, share) {
	const place = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
	const from = channels(ramp[Math.floor(place)]),
		to = channels(ramp[Math.ceil(place)]);
	const part = place - Math.floor(place);

	return [0, 1, 2].map((i) => Math.round(from[i] + (to[i] - from[i]) * part));
}
