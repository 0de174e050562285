// SPDX-License-Identifier: GPL-3.0-or-later
// The series of a history, as memstor html --history has put them into the page: a list, the changed ones first, and the
// chart of one. What changed memstor history has found: the page computes nothing of its own.
import { Cursor } from "../chart/cursor.js";
import { drawSeries, valueText } from "../chart/series.js";
import { button } from "./controls.js";
import { dataOf, legendList } from "./data.js";
import { byId, el, fill, said } from "./dom.js";
import { table } from "./table.js";
import { theme } from "./theme.js";

/** @typedef {import("../chart/series.js").Series} Series */
/** @typedef {{ headline: string, notes: string[], main: string, series: Series[] }} Data */

const HEIGHT = 320;
/** Classes of the badge of each state. */
const BADGES = new Map([
	["slower", "untrustworthy"],
	["environment", "warned"],
	["faster", "ok"],
]);

/** @param {string | null} text JSON @returns {Data | null} */
export function readHistory(text) {
	const found = JSON.parse(text ?? "null");

	return found && Array.isArray(found.series) ? found : null;
}

/** @param {string} state */
function badge(state) {
	return el("span", `badge ${BADGES.get(state) ?? ""}`, state);
}

/** @param {Series} series */
function nameOf({ step, metric, about }) {
	return [`${step} ${metric}`, about].filter(Boolean).join(", ");
}

export class History {
	/** @param {Data} data */
	constructor(data) {
		this.data = data;
		this.chosen = 0;
		/** @type {[number, number] | null} */
		this.zoom = null;
		this.list = el("div", {});
		this.title = el("h3", { id: "history-series" });
		this.changes = el("ul", "reasons");
		this.place = el("div", {
			id: "history-place",
			attributes: {
				tabindex: 0,
				role: "application",
				"aria-roledescription": "chart",
				"aria-describedby": "history-keys",
			},
		});
		this.foot = el("div", {});
		this.cursor = new Cursor(this.place, byId("live"), (zoom) => {
			this.zoom = zoom;
			this.draw();
		});
		byId("history").hidden = false;
		byId("history").replaceChildren(
			el("h2", { id: "history-title", class: this.count("slower") ? "bad" : "" }, said(data.headline)),
			...data.notes.map((note) => el("p", "hint", said(note))),
			this.list,
			this.title,
			this.changes,
			el("figure", {}, this.place),
			this.foot,
			el(
				"p",
				{ id: "history-keys", class: "hidden" },
				"Arrow keys go from point to point, plus and minus zoom, zero shows all.",
			),
		);
		new ResizeObserver(() => this.draw()).observe(this.place);
	}

	/** @param {string} state */
	count(state) {
		return this.data.series.filter((one) => one.state === state).length;
	}

	render() {
		fill(this.list, this.table());
		this.show();
	}

	/** @param {number} index of a series */
	choose(index) {
		this.chosen = index;
		this.zoom = null;
		this.render();
		this.title.scrollIntoView({ block: "nearest" });
	}

	table() {
		const numbers = ["change", "last", "points"];
		const head = ["series", "state", "change", "last", "commits", "date", "points", "why"];

		return table({
			id: "history-list",
			caption: "Series, the changed ones first",
			class: "figures",
			head: head.map((text) => ({ class: numbers.includes(text) ? "number" : "", inside: [text] })),
			rows: this.data.series.map((series, i) => this.row(series, i)),
		});
	}

	/** @param {Series} series @param {number} i */
	row(series, i) {
		const own = series.changes.filter(({ state }) => state === series.state),
			change = own[own.length - 1],
			last = series.points[series.points.length - 1],
			rest = series.changes.length - 1;
		const link = button({ id: `series-${i}`, class: "link", text: nameOf(series), run: () => this.choose(i) });

		link.setAttribute("aria-pressed", String(i === this.chosen));
		return [
			{ class: i === this.chosen ? "chosen" : "", inside: [el("bdi", {}, link)] },
			{ inside: [change && badge(series.state), rest > 0 && el("small", {}, `and ${rest} more`)] },
			{ class: "number", inside: [change?.size ?? ""] },
			{ class: "number", inside: [last ? valueText(series, last[2]) : ""] },
			{ inside: [change && said(change.between)] },
			{ inside: [change?.date ?? ""] },
			{ class: "number", inside: [String(series.points.length)] },
			{ class: "why", inside: [change && said(change.why)] },
		];
	}

	/** The chosen series. */
	show() {
		const series = this.data.series[this.chosen];

		this.place.hidden = !series;
		if (!series) return;
		fill(this.title, said(nameOf(series)));
		fill(
			this.changes,
			...series.changes.map(({ state, size, interval, between, date, why }) => {
				const text = `${size}${interval && ` (${interval})`} in `;
				return el("li", {}, badge(state), text, said(between), `, ${date}`, why && ": ", said(why));
			}),
		);
		this.place.setAttribute("aria-label", `${nameOf(series)} over ${series.points.length} commits`);
		this.draw();
	}

	draw() {
		const series = this.data.series[this.chosen],
			colors = theme(),
			width = Math.max(280, this.place.clientWidth || 800);

		if (!series) return;
		const chart = drawSeries({ series, main: this.data.main, width, height: HEIGHT, theme: colors, zoom: this.zoom });
		chart.svg.setAttribute("aria-hidden", "true");
		this.cursor.attach(chart, colors);
		fill(this.foot, legendList(chart.legend), dataOf("history-data", "history-points", nameOf(series), chart.table));
	}
}
