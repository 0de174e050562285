// SPDX-License-Identifier: GPL-3.0-or-later
// Files that the page makes: the comparison as CSV, the chart as a picture with its title and legend.
import { FONT, svg, textWidth } from "../chart/svg.js";
import { el } from "./dom.js";

/** @typedef {import("../chart/chart.js").Chart} Chart */
/** @typedef {import("../chart/palette.js").Theme} Theme */

const PNG_SCALE = 2;
const ROW = 18;

/**
 * @param {string} name
 * @param {Blob} blob
 */
export function save(name, blob) {
	const url = URL.createObjectURL(blob);
	const link = el("a", { attributes: { href: url, download: name } });

	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * The legend in as many columns as fit.
 * @param {Chart} chart
 * @param {Theme} theme
 * @param {number} width
 */
function drawLegend({ legend }, theme, width) {
	const texts = legend.map(({ label, value }) => (value ? `${label} (${value})` : label));
	const column = Math.min(width - 32, Math.max(80, ...texts.map((text) => textWidth(text) + 48)));
	const columns = Math.max(1, Math.floor((width - 32) / column)),
		group = svg("g", {});

	legend.forEach(({ color, dash }, i) => {
		const x = 16 + (i % columns) * column,
			y = Math.floor(i / columns) * ROW + 12;
		group.append(
			svg("line", {
				x1: x,
				x2: x + 24,
				y1: y - 4,
				y2: y - 4,
				stroke: color,
				"stroke-width": 3,
				"stroke-dasharray": dash || "none",
			}),
			svg("text", { x: x + 30, y, fill: theme.text, "font-size": 11 }, texts[i]),
		);
	});
	return { group, height: Math.ceil(legend.length / columns) * ROW };
}

/**
 * A drawing that stands for itself.
 * @param {Chart} chart
 * @param {Theme} theme
 * @param {string} title
 * @param {string} subtitle
 * @param {string} doubts what is not to be trusted in it, or ""
 */
export function picture(chart, theme, title, subtitle, doubts) {
	const inner = /** @type {SVGElement} */ (chart.svg.cloneNode(true));
	const width = Number(inner.getAttribute("width")),
		height = Number(inner.getAttribute("height"));
	const legend = drawLegend(chart, theme, width),
		top = doubts ? 66 : 48,
		total = top + height + legend.height + 12;

	inner.querySelector(".cursor")?.remove();
	inner.setAttribute("y", String(top));
	legend.group.setAttribute("transform", `translate(0,${top + height + 2})`);
	return svg(
		"svg",
		{
			xmlns: "http://www.w3.org/2000/svg",
			width,
			height: total,
			viewBox: `0 0 ${width} ${total}`,
			"font-family": FONT,
		},
		svg("rect", { width, height: total, fill: theme.ground }),
		svg("text", { x: 16, y: 22, fill: theme.text, "font-size": 14, "font-weight": 600 }, title),
		svg("text", { x: 16, y: 38, fill: theme.muted, "font-size": 11 }, subtitle),
		...(doubts ? [svg("text", { x: 16, y: 56, fill: theme.warning, "font-size": 12, "font-weight": 600 }, doubts)] : []),
		inner,
		legend.group,
	);
}

/** @param {SVGElement} drawing */
export function toSvgText(drawing) {
	return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawing)}\n`;
}

/**
 * @param {SVGElement} drawing
 * @returns {Promise<Blob>}
 */
export async function toPng(drawing) {
	const image = new Image(),
		canvas = document.createElement("canvas");

	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toSvgText(drawing))}`;
	await image.decode();
	canvas.width = Number(drawing.getAttribute("width")) * PNG_SCALE;
	canvas.height = Number(drawing.getAttribute("height")) * PNG_SCALE;
	canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
	return new Promise((resolve, reject) =>
		canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
	);
}
