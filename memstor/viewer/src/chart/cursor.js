// SPDX-License-Identifier: GPL-3.0-or-later
// Looking into a chart by pointer or keys: a line at the place, dots on the lines, the values in a box. Dragging, or
// plus and minus, zooms the x axis; of a map both axes, also the wheel once it has the focus, and Shift with arrows moves.
import { el, said } from "../ui/dom.js";
import { svg } from "./svg.js";

/** @typedef {import("./chart.js").Chart} Chart */
/** @typedef {import("./chart.js").Reading} Reading */
/** @typedef {import("./palette.js").Theme} Theme */

const STEPS = new Map([
	["ArrowRight", 1],
	["ArrowLeft", -1],
	["PageDown", 10],
	["PageUp", -10],
	["Home", -1e9],
	["End", 1e9],
]);
const ROWS_MAX = 14;
const DRAG_LEAST = 6;
/** So far beside the plot its edge is still read. */
const EDGE = 14;

/** @param {string} color @param {string} dash */
export function swatch(color, dash) {
	const sample = svg("svg", {
		width: 22,
		height: 10,
		viewBox: "0 0 22 10",
		"aria-hidden": "true",
		class: "swatch",
	});

	if (color)
		sample.append(
			svg("line", {
				x1: 1,
				x2: 21,
				y1: 5,
				y2: 5,
				stroke: color,
				"stroke-width": 3,
				"stroke-dasharray": dash || "none",
			}),
		);
	return sample;
}

/** @param {Reading} reading */
function describe(reading) {
	return `${reading.title}: ${reading.rows
		.slice(0, ROWS_MAX)
		.map((row) => `${row.label} ${row.value}`)
		.join("; ")}`;
}

/**
 * @param {HTMLElement} box
 * @param {Reading} reading
 */
function fillBox(box, reading) {
	const rows = reading.rows
		.slice(0, ROWS_MAX)
		.map((row) =>
			el(
				"tr",
				{},
				el("td", {}, swatch(row.color, row.dash)),
				el("th", { attributes: { scope: "row" } }, said(row.label)),
				el("td", "value", said(row.value)),
				row.range ? el("td", "more", row.range) : null,
				row.more ? el("td", "more", said(row.more)) : null,
			),
		);

	box.replaceChildren(el("p", {}, said(reading.title)), el("table", {}, el("tbody", {}, ...rows)));
	if (reading.rows.length > ROWS_MAX) box.append(el("p", "more", `and ${reading.rows.length - ROWS_MAX} more`));
}

export class Cursor {
	/**
	 * @param {HTMLElement} place that the chart is in, focusable
	 * @param {HTMLElement} live for screen readers
	 * @param {(zoom: [number, number] | null, zoomY?: [number, number]) => void} zoom
	 */
	constructor(place, live, zoom) {
		this.place = place;
		this.live = live;
		this.zoom = zoom;
		this.box = el("div", { class: "reading", attributes: { "aria-hidden": "true" } });
		this.marks = svg("g", { "pointer-events": "none" });
		/** @type {Chart | null} */
		this.chart = null;
		/** @type {Theme | null} */
		this.theme = null;
		/** @type {number | null} px where the cursor is */
		this.at = null;
		/** @type {number | null} px how far down, as keys have set it */
		this.py = null;
		/** of the stop where the cursor is */
		this.index = 0;
		/** @type {number | null} px where a drag began */
		this.from = null;
		this.fromY = 0;
		/** px how far down the pointer is */
		this.atY = 0;
		this.listen();
	}

	/** @param {Chart} chart @param {Theme} theme */
	attach(chart, theme) {
		this.chart = chart;
		this.theme = theme;
		this.marks = svg("g", {
			transform: `translate(${chart.plot.x},${chart.plot.y})`,
			"pointer-events": "none",
			class: "cursor",
		});
		chart.svg.append(this.marks);
		this.place.replaceChildren(chart.svg, this.box);
		this.hide();
	}

	listen() {
		this.place.addEventListener("pointermove", (event) => this.pointer(event));
		this.place.addEventListener("pointerleave", () => this.from === null && this.hide());
		this.place.addEventListener("pointerdown", (event) => this.press(event));
		this.place.addEventListener("pointerup", (event) => this.release(event));
		this.place.addEventListener("pointercancel", () => (this.from = null));
		this.place.addEventListener("dblclick", () => this.chart?.x && this.zoom(null));
		this.place.addEventListener("keydown", (event) => this.key(event));
		this.place.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.place.addEventListener("blur", () => this.hide());
	}

	/** @param {{ clientX: number, clientY: number }} event */
	placeOf(event) {
		const area = this.place.getBoundingClientRect();
		const plot = this.chart?.plot ?? { x: 0, y: 0, width: 0, height: 0 };
		return { px: event.clientX - area.left - plot.x, py: event.clientY - area.top - plot.y };
	}

	/** @param {PointerEvent} event */
	pointer(event) {
		const { px, py } = this.placeOf(event),
			plot = this.chart?.plot;

		if (!plot) return;
		this.atY = py;
		if (px < -EDGE || px > plot.width + EDGE || py < -EDGE || py > plot.height + EDGE) this.hide();
		else this.show(Math.min(Math.max(px, 0), plot.width), py, false);
		if (this.from !== null)
			this.marks.append(
				svg("rect", {
					x: Math.min(this.from, px),
					y: this.chart?.y ? Math.min(this.fromY, py) : 0,
					width: Math.abs(px - this.from),
					height: this.chart?.y ? Math.abs(py - this.fromY) : plot.height,
					fill: this.theme?.text ?? "",
					"fill-opacity": 0.1,
				}),
			);
	}

	/** @param {PointerEvent} event */
	press(event) {
		const { px, py } = this.placeOf(event),
			plot = this.chart?.plot;

		/* A finger's drag moves the page; where it taps it reads. */
		if (event.pointerType !== "mouse" && plot && px >= 0 && px <= plot.width) this.show(px, py, false);
		if (
			event.pointerType !== "mouse" ||
			event.button !== 0 ||
			!this.chart?.x ||
			!plot ||
			px < 0 ||
			px > plot.width
		)
			return;
		this.from = px;
		this.fromY = py;
		this.place.setPointerCapture(event.pointerId);
	}

	/** @param {PointerEvent} event */
	release(event) {
		const { px, py } = this.placeOf(event),
			from = this.from,
			x = this.chart?.x,
			plot = this.chart?.plot;

		this.from = null;
		if (from === null || !x || !plot || Math.abs(px - from) < DRAG_LEAST) return;
		const [left, right] = [Math.min(from, px), Math.max(from, px)].map((at) =>
			Math.min(Math.max(at, 0), plot.width),
		);
		const y = this.chart?.y;
		if (!y) {
			this.zoom([x.value(left), x.value(right)]);
			return;
		}
		/* A drag along one axis keeps the other. */
		const [top, bottom] = [Math.min(this.fromY, py), Math.max(this.fromY, py)].map((at) =>
			Math.min(Math.max(at, 0), plot.height),
		);
		this.zoom(
			[x.value(left), x.value(right)],
			bottom - top < DRAG_LEAST ? y.domain : [y.value(bottom), y.value(top)],
		);
	}

	/** The page scrolls until the map was clicked or reached by Tab. @param {WheelEvent} event */
	wheel(event) {
		if (!this.chart?.y || document.activeElement !== this.place || event.deltaY === 0) return;
		event.preventDefault();
		this.scale(event.deltaY < 0 ? 0.8 : 1.25, this.atY);
	}

	/** By a quarter of what is seen, no further than the axes go. @param {number} right @param {number} up */
	move(right, up) {
		const { x, y, full, fullY } = /** @type {Chart} */ (this.chart);
		/** @type {(seen: [number, number], ends: [number, number], count: number) => [number, number]} */
		const along = ([low, high], ends, count) => {
			const way = Math.min(Math.max((count * (high - low)) / 4, ends[0] - low), ends[1] - high);
			return [low + way, high + way];
		};

		if (x && y && fullY) this.zoom(along(x.domain, full, right), along(y.domain, fullY, up));
	}

	/**
	 * @param {number} px
	 * @param {number} py
	 * @param {boolean} isKey say it, too
	 */
	show(px, py, isKey) {
		const reading = this.chart?.probe(px, py),
			plot = this.chart?.plot;

		if (!reading || !plot || !this.theme) {
			this.hide();
			return;
		}
		this.at = px;
		this.marks.replaceChildren(
			svg("line", {
				x1: reading.x,
				x2: reading.x,
				y1: 0,
				y2: plot.height,
				stroke: this.theme.text,
				"stroke-opacity": 0.55,
			}),
		);
		for (const dot of reading.dots.filter(({ y }) => y >= -1 && y <= plot.height + 1))
			this.marks.append(
				svg("circle", {
					cx: dot.x,
					cy: dot.y,
					r: 3.5,
					fill: dot.color,
					stroke: this.theme.ground,
					"stroke-width": 1.5,
				}),
			);
		fillBox(this.box, reading);
		this.box.classList.add("shown");
		this.moveBox(plot.x + reading.x);
		if (isKey) this.live.textContent = describe(reading);
	}

	/** Beside the line, on the side with more room. @param {number} x */
	moveBox(x) {
		const width = this.place.clientWidth,
			size = this.box.offsetWidth;
		const right = x + 14,
			left = x - 14 - size;

		const fits = right + size <= width ? right : left >= 0 ? left : width - size;

		this.box.style.left = `${Math.max(0, fits)}px`;
	}

	hide() {
		this.marks.replaceChildren();
		this.box.classList.remove("shown");
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const step = STEPS.get(event.key),
			rise = new Map([
				["ArrowUp", -1],
				["ArrowDown", 1],
			]).get(event.key);

		if (event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.shiftKey && this.chart?.y && event.key.startsWith("Arrow"))
			this.move(Math.sign(step ?? 0), -(rise ?? 0));
		else if (step !== undefined) this.step(step);
		else if (rise !== undefined && this.chart?.stopsY) this.step(rise);
		else if (rise !== undefined && this.chart?.isPlane) this.rise(rise);
		else if (event.key === "+" || event.key === "=") this.scale(0.5);
		else if (event.key === "-") this.scale(2);
		else if (event.key === "0" && this.chart?.x) this.zoom(null);
		else if (event.key === "Escape") this.hide();
		else return;
		event.preventDefault();
	}

	/** @param {number} count of stops */
	step(count) {
		const { stops = [], stopsY } = this.chart ?? {};

		if (stops.length === 0) return;
		const now = stopsY ? this.index : stops.findLastIndex((px) => px <= (this.at ?? -1) + 0.5);
		this.index = Math.min(Math.max(this.at === null ? 0 : now + count, 0), stops.length - 1);
		this.show(stops[this.index], stopsY ? stopsY[this.index] : this.height(), true);
	}

	/** @param {number} count of steps down */
	rise(count) {
		const height = this.chart?.plot.height ?? 0;

		this.py = Math.min(Math.max(this.height() + (count * height) / 48, 0.5), height - 0.5);
		this.show(this.at ?? 0, this.py, true);
	}

	/** Where keys read a chart: in the middle, until they went elsewhere. */
	height() {
		return this.py ?? (this.chart?.plot.height ?? 0) / 2;
	}

	/** Around the cursor; no further out than the axis goes. @param {number} factor @param {number} [py] */
	scale(factor, py = this.height()) {
		const chart = this.chart,
			x = chart?.x;

		if (!chart || !x) return;
		const width = chart.plot.width,
			middle = this.at !== null && this.at >= 0 && this.at <= width ? this.at : width / 2;
		const ends = [middle - middle * factor, middle + (width - middle) * factor].map((px) => x.value(px));
		const low = Math.max(ends[0], chart.full[0]),
			high = Math.min(ends[1], chart.full[1]);
		if (!(high > low)) return;
		if (!chart.y || !chart.fullY) {
			this.zoom([low, high]);
			return;
		}
		const { y, fullY, plot } = chart;
		const [top, bottom] = [py - py * factor, py + (plot.height - py) * factor].map((at) => y.value(at));
		this.zoom([low, high], [Math.max(bottom, fullY[0]), Math.min(top, fullY[1])]);
	}
}
