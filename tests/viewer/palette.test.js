// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of charts can be seen and told apart, by people with colour-blindness, too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DARK, LIGHT, dashOf, rampColor } from "../../memstor/viewer/src/chart/palette.js";
import { read } from "./browser.js";

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
const linear = (hex) => rgb(hex).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const luminance = (hex) => linear(hex).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => {
	const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
	return (high + 0.05) / (low + 0.05);
};
/** Machado, Oliveira and Fernandes 2009, full deficiency; on linear light. */
const EYES = {
	usual: [
		[1, 0, 0],
		[0, 1, 0],
		[0, 0, 1],
	],
	protanopia: [
		[0.152286, 1.052583, -0.204868],
		[0.114503, 0.786281, 0.099216],
		[-0.003882, -0.048116, 1.051998],
	],
	deuteranopia: [
		[0.367322, 0.860646, -0.227968],
		[0.280085, 0.672501, 0.047413],
		[-0.01182, 0.04294, 0.968881],
	],
	tritanopia: [
		[1.255528, -0.076749, -0.178779],
		[-0.078411, 0.930809, 0.147602],
		[0.004733, 0.691367, 0.3039],
	],
};
const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, value, i) => sum + value * vector[i], 0));

/** OKLab, in which equal distances look equally different. */
function oklab(light) {
	const cones = times(
		[
			[0.4122214708, 0.5363325363, 0.0514459929],
			[0.2119034982, 0.6806995451, 0.1073969566],
			[0.0883024619, 0.2817188376, 0.6299787005],
		],
		light.map((c) => Math.min(Math.max(c, 0), 1)),
	).map(Math.cbrt);
	return times(
		[
			[0.2104542553, 0.793617785, -0.0040720468],
			[1.9779984951, -2.428592205, 0.4505937099],
			[0.0259040371, 0.7827717662, -0.808675766],
		],
		cones,
	);
}

for (const [name, theme] of Object.entries({ light: LIGHT, dark: DARK })) {
	test(`${name}: lines stand out from the ground by 3:1, texts by 4.5:1`, () => {
		for (const color of theme.lines)
			assert.ok(contrast(color, theme.ground) >= 3, `${color}: ${contrast(color, theme.ground)}`);
		for (const color of [theme.text, theme.muted]) assert.ok(contrast(color, theme.ground) >= 4.5, color);
		assert.ok(contrast(theme.axis, theme.ground) >= 3);
	});
	for (const [eyes, matrix] of Object.entries(EYES)) {
		test(`${name}, ${eyes}: no two lines look alike`, () => {
			const seen = theme.lines.map((color) => oklab(times(matrix, linear(color))));
			seen.forEach((a, i) =>
				seen.slice(0, i).forEach((b, j) => {
					const distance = Math.hypot(...a.map((value, k) => value - b[k]));
					assert.ok(distance >= 0.06, `${theme.lines[i]} and ${theme.lines[j]}: ${distance}`);
				}),
			);
		});
	}
	test(`${name}: the ramp's brightness goes one way`, () => {
		const steps = Array.from(
			{ length: 64 },
			(_, i) =>
				`#${rampColor(theme.ramp, i / 63)
					.map((c) => c.toString(16).padStart(2, "0"))
					.join("")}`,
		).map(luminance);
		const sign = Math.sign(steps[63] - steps[0]);
		steps.forEach((value, i) => i && assert.ok((value - steps[i - 1]) * sign > 0, String(i)));
	});
	test(`${name}: the charts' ground and texts are those of the page`, () => {
		const style = read("memstor/viewer/style.css");
		for (const color of [theme.ground, theme.text, theme.muted]) assert.ok(style.includes(color), color);
	});
}

test("from the ninth line on dashes differ", () => {
	assert.equal(dashOf(7, 8), "");
	assert.equal(new Set([0, 8, 16, 24].map((i) => dashOf(i, 8))).size, 4);
});
