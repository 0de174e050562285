// SPDX-License-Identifier: GPL-3.0-or-later
// What every chart has: the ground, axes with their marks and names, a clipped place for the drawing.
import { FONT, clip, svg, textWidth } from "./svg.js";

/** @typedef {import("./scales.js").Axis} Axis */
/** @typedef {import("./palette.js").Theme} Theme */
/** @typedef {{ x: number, y: number, width: number, height: number }} Plot */

/**
 * @typedef {object} Frame
 * @property {SVGElement} svg
 * @property {SVGElement} inside clipped, its origin is the plot's upper left corner
 * @property {Plot} plot
 */

export const SIZE = 11;
/** Below it there is no room for the names of axes. */
const NAMED_HEIGHT = 150;

/**
 * @param {number} width
 * @param {number} height
 * @param {string[]} leftTexts marks of the y axis, as long as they may get
 * @param {string[]} [rightTexts] of the second one
 * @returns {Plot}
 */
export function plotOf(width, height, leftTexts, rightTexts = []) {
	const room = (/** @type {string[]} */ texts) => Math.max(24, ...texts.map((text) => textWidth(text, SIZE)));
	const left = room(leftTexts) + 28,
		right = rightTexts.length ? room(rightTexts) + 28 : 20;

	const isSmall = height < NAMED_HEIGHT,
		x = isSmall ? left - 16 : left;
	return {
		x,
		y: 12,
		width: Math.max(40, width - x - right),
		height: Math.max(40, height - 12 - (isSmall ? 26 : 44)),
	};
}

/**
 * @param {Axis} axis
 * @param {Plot} plot
 * @param {Theme} theme
 */
function drawX(axis, plot, theme) {
	const group = svg("g", { transform: `translate(${plot.x},${plot.y})` });
	let free = -Infinity;

	for (const { at, text, isMinor } of axis.marks) {
		const x = axis.place(at),
			width = textWidth(text, SIZE);
		if (x < -0.5 || x > plot.width + 0.5) continue;
		if (!isMinor) group.append(svg("line", { x1: x, x2: x, y1: 0, y2: plot.height, stroke: theme.grid }));
		group.append(
			svg("line", {
				x1: x,
				x2: x,
				y1: plot.height,
				y2: plot.height + (isMinor ? 3 : 5),
				stroke: theme.axis,
			}),
		);
		if (text === "" || x - width / 2 < free + 6) continue;
		free = x + width / 2;
		group.append(svg("text", { x, y: plot.height + 18, "text-anchor": "middle", fill: theme.muted }, text));
	}
	group.append(
		svg("line", { x1: 0, x2: plot.width, y1: plot.height, y2: plot.height, stroke: theme.axis }),
		svg(
			"text",
			{ x: plot.width / 2, y: plot.height + 37, "text-anchor": "middle", fill: theme.text },
			axis.label,
		),
	);
	return group;
}

/**
 * @param {Axis} axis
 * @param {Plot} plot
 * @param {Theme} theme
 * @param {boolean} isRight the second one: without lines of its own
 */
function drawY(axis, plot, theme, isRight) {
	const edge = isRight ? plot.width : 0,
		out = isRight ? 1 : -1;
	const group = svg("g", { transform: `translate(${plot.x},${plot.y})` });
	const widest = Math.max(24, ...axis.marks.map(({ text }) => textWidth(text, SIZE)));
	/* The letters stand above their line: at least their height from the edge of the picture. */
	const place = isRight ? edge + widest + 20 : Math.max(SIZE + 2 - plot.x, -(widest + 20));
	const turn = `translate(${place},${plot.height / 2}) rotate(${out * 90})`;
	let free = Infinity;

	for (const { at, text, isMinor } of axis.marks) {
		const y = axis.place(at);
		if (y < -0.5 || y > plot.height + 0.5) continue;
		if (!isMinor && !isRight)
			group.append(svg("line", { x1: 0, x2: plot.width, y1: y, y2: y, stroke: theme.grid }));
		if (isRight || isMinor)
			group.append(
				svg("line", {
					x1: edge,
					x2: edge + out * (isMinor ? 3 : 5),
					y1: y,
					y2: y,
					stroke: theme.axis,
				}),
			);
		if (text === "" || y > free - 12) continue;
		free = y;
		group.append(
			svg(
				"text",
				{
					x: edge + out * 8,
					y: y + 4,
					"text-anchor": isRight ? "start" : "end",
					fill: theme.muted,
				},
				text,
			),
		);
	}
	const squeeze = Math.min(1, (plot.y + plot.height) / textWidth(axis.label, SIZE));
	group.append(
		svg(
			"text",
			{ transform: turn, "text-anchor": "middle", fill: theme.text, "font-size": SIZE * squeeze },
			axis.label,
		),
	);
	if (isRight) group.append(svg("line", { x1: edge, x2: edge, y1: 0, y2: plot.height, stroke: theme.axis }));
	return group;
}

/**
 * @param {{ width: number, height: number, plot: Plot, theme: Theme, x: Axis, y: Axis, right?: Axis | null }} wish
 * @returns {Frame}
 */
export function makeFrame({ width, height, plot, theme, x, y, right }) {
	const root = svg("svg", {
		xmlns: "http://www.w3.org/2000/svg",
		width,
		height,
		viewBox: `0 0 ${width} ${height}`,
		"font-family": FONT,
		"font-size": SIZE,
	});
	const unnamed = (/** @type {Axis} */ axis) => (height < NAMED_HEIGHT ? { ...axis, label: "" } : axis);
	const cut = clip(plot.width, plot.height);
	const inside = svg("g", { transform: `translate(${plot.x},${plot.y})`, "clip-path": `url(#${cut.id})` });

	root.append(
		svg("defs", {}, cut.element),
		svg("rect", { width, height, fill: theme.ground }),
		drawX(unnamed(x), plot, theme),
		drawY(unnamed(y), plot, theme, false),
	);
	if (right) root.append(drawY(unnamed(right), plot, theme, true));
	root.append(inside);
	return { svg: root, inside, plot };
}
