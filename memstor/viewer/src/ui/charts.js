// SPDX-License-Identifier: GPL-3.0-or-later
// The chart with its controls, legend, table and exports.
import { HEIGHT } from "../chart/chart.js";
import { Cursor, swatch } from "../chart/cursor.js";
import { colorOf, dashOf } from "../chart/palette.js";
import { RIGHT_DASHES } from "../chart/tracks.js";
import { subjectsOf } from "../model/counters.js";
import { haveGroupColors, kindName, typeName } from "../model/lines.js";
import { toCsv, withColumn } from "../model/csv.js";
import { CHARTS, LACKS } from "../state.js";
import { doubt, doubtWords } from "./badges.js";
import { button, menu } from "./controls.js";
import { dataOf, legendList } from "./data.js";
import { byId, el, fill, said } from "./dom.js";
import { DRAW, OF_ACCESSES, whyEmpty } from "./drawing.js";
import { picture, save, toPng, toSvgText } from "./save.js";
import { theme } from "./theme.js";
import { kinds, settings } from "./toolbar.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../model/groups.js").Group} Group */
/** @typedef {import("../chart/chart.js").Chart} Chart */

/** Groups have no colours of their own in them. */
const UNCOLOURED = ["spent", "compare", "predicted", "heatmap", "map"];
export class Charts {
	/**
	 * @param {State} state
	 * @param {() => void} changed
	 */
	constructor(state, changed) {
		this.state = state;
		this.changed = changed;
		/** @type {Chart | null} */
		this.chart = null;
		this.head = el("div", { id: "chart-head" });
		this.settings = el("form", {
			id: "chart-settings",
			attributes: { "aria-label": "How the chart is drawn" },
			on: { submit: (event) => event.preventDefault() },
		});
		this.place = el("div", {
			id: "chart-place",
			attributes: {
				tabindex: 0,
				role: "application",
				"aria-roledescription": "chart",
				"aria-describedby": "chart-keys",
			},
		});
		this.foot = el("div", { id: "chart-foot" });
		this.cursor = new Cursor(this.place, byId("live"), (zoom, zoomY) => this.setZoom(zoom, zoomY));
		byId("charts").replaceChildren(
			this.head,
			this.settings,
			el("figure", {}, this.place, el("figcaption", { id: "chart-note" })),
			this.foot,
			el(
				"p",
				{ id: "chart-keys", class: "hidden" },
				"Arrow keys move the cursor and read values, plus and minus zoom, zero shows all. " +
					"The data is in the table below.",
			),
		);
		new ResizeObserver(() => this.resize()).observe(this.place);
	}

	resize() {
		if (
			this.chart &&
			this.place.clientWidth &&
			Math.abs(this.place.clientWidth - Number(this.chart.svg.getAttribute("width"))) > 1
		)
			this.draw();
	}

	/** @param {[number, number] | null} zoom null: all @param {[number, number] | null} [zoomY] */
	setZoom(zoom, zoomY = null) {
		const axes = this.state.axes.get(this.state.chart),
			{ full = null, fullY = null } = this.chart ?? {};

		if (axes) Object.assign(axes, fullY ? { zoom: zoom ?? full, zoomY: zoomY ?? fullY } : { zoom, zoomY: null });
		this.draw();
	}

	/** A map opens there. */
	showHottest() {
		Object.assign(this.state.axes.get(this.state.chart) ?? {}, { zoom: null, zoomY: null });
		this.draw();
	}

	/** @param {Group[]} groups hidden ones included */
	render(groups) {
		const title = CHARTS.get(this.state.chart)?.title ?? "";

		this.groups = groups;
		fill(
			this.head,
			el("h2", { id: "charts-title", class: "hidden" }, "Charts"),
			this.steps(),
			kinds(this.state, this.changed),
			this.tools(),
		);
		fill(this.settings, ...settings(this.state, this.changed, this.shown()));
		this.place.setAttribute("aria-label", `${title} of ${this.subtitle()}`);
		this.draw();
	}

	/** Which step is looked at, where there are several. */
	steps() {
		const { steps, scope } = this.state;

		return (
			steps.length > 1 &&
			menu({
				id: "scope",
				label: "Step",
				value: scope,
				options: [
					...steps.map(({ key, title, tool }) => ({ value: key, text: title === tool ? tool : `${title} (${tool})` })),
					{ value: "", text: "all together" },
				],
				change: (key) => {
					this.state.setScope(key);
					this.changed();
				},
			})
		);
	}

	/** Groups that are not hidden. */
	shown() {
		return (this.groups ?? []).filter(({ key }) => !this.state.hidden.has(key));
	}

	subtitle() {
		const { look, chart } = this.state,
			groups = this.shown();
		const words = [
			look.type === "each" ? "by type" : typeName(look.type),
			look.kind === "each" ? "by class" : kindName(look.kind),
		];
		const of = OF_ACCESSES.includes(chart) ? `, ${words.join(", ")}` : "";

		return `${groups.length === 1 ? groups[0].label : `${groups.length} series`}${of}`;
	}

	draw() {
		const { state } = this,
			colors = theme(),
			groups = this.shown();
		const scene = {
			width: Math.max(280, this.place.clientWidth || 800),
			height: window.innerWidth < 600 ? 300 : HEIGHT,
			theme: colors,
			groups,
			lines: state.lines(this.groups ?? []),
			basis: state.basisLabel(),
			view: state.view(),
		};
		const draw = DRAW[/** @type {keyof DRAW} */ (state.chart)];

		this.chart = draw(scene);
		this.chart.svg.setAttribute("aria-hidden", "true");
		this.cursor.attach(this.chart, colors);
		const why = whyEmpty(state, this.chart, scene.lines);
		this.place.classList.toggle("nothing", why !== "");
		const { title } = CHARTS.get(state.lost) ?? {};
		const lost = title ? `${title}: ${LACKS.get(state.lost)} ` : "";
		byId("chart-note").textContent =
			lost + (why === "" ? this.chart.note : state.missing(groups).length > 0 ? "Reading the reports…" : why);
		for (const id of ["zoom-in", "zoom-out", "zoom-all"])
			document.getElementById(id)?.toggleAttribute("disabled", this.chart.x === null);
		fill(
			this.foot,
			this.legend(),
			dataOf("chart-data", "data", CHARTS.get(state.chart)?.title ?? "", () => this.chart?.table()),
		);
	}

	tools() {
		return el(
			"div",
			"tools",
			el(
				"span",
				{ class: "group", attributes: { role: "group", "aria-label": "Zoom" } },
				button({
					id: "zoom-in",
					text: "+",
					title: "Zoom in",
					run: () => this.cursor.scale(0.5),
				}),
				button({
					id: "zoom-out",
					text: "−",
					title: "Zoom out",
					run: () => this.cursor.scale(2),
				}),
				button({
					id: "zoom-all",
					text: "All",
					title: "Show the whole axis",
					run: () => this.setZoom(null),
				}),
				this.state.chart === "map" &&
					button({
						id: "zoom-hottest",
						text: "Hottest",
						title: "Show the hottest range",
						run: () => this.showHottest(),
					}),
			),
			el(
				"span",
				{ class: "group", attributes: { role: "group", "aria-label": "Save the chart" } },
				button({ id: "save-csv", text: "CSV", title: "Save what is shown as CSV", run: () => this.saveCsv() }),
				button({ id: "save-png", text: "PNG", title: "Save the chart as PNG", run: () => this.savePng() }),
				button({ id: "save-svg", text: "SVG", title: "Save the chart as SVG", run: () => this.saveSvg() }),
			),
		);
	}

	/** Which groups are drawn; pointing at one lifts its lines. */
	legend() {
		const all = this.groups ?? [],
			rows = this.chart?.legend ?? [],
			colors = theme();
		if (["heatmap", "map"].includes(this.state.chart)) return null;
		if (all.length < 2) return legendList(rows.length > 1 ? rows : []);
		const items = all.map((group) => this.legendItem(group, colors));
		return el(
			"div",
			"legend-area",
			el("ul", { class: "legend", attributes: { "aria-label": "Series that are drawn" } }, ...items),
			legendList(this.hasGroupColors() ? this.parts(colors) : rows),
		);
	}

	/** @param {Group} group @param {import("../chart/palette.js").Theme} colors */
	legendItem(group, colors) {
		const isShown = !this.state.hidden.has(group.key);
		const box = el("input", {
			id: `show-${group.index}`,
			attributes: { type: "checkbox", checked: isShown },
			on: { change: () => this.toggle(group.key) },
		});

		return el(
			"li",
			{ on: { pointerenter: () => this.lift(group.key), pointerleave: () => this.lift("") } },
			el(
				"label",
				{ attributes: { for: box.id } },
				box,
				isShown &&
					this.hasGroupColors() &&
					swatch(colorOf(colors, group.index), dashOf(group.index, colors.lines.length)),
				said(group.label),
				group.reports.length > 1 && el("small", {}, `${group.reports.length} runs`),
				...doubt(group.reports),
			),
		);
	}

	/** What dashes stand for, when a group has several lines. @param {import("../chart/palette.js").Theme} colors */
	parts(colors) {
		if (this.state.chart === "time")
			return this.state.look.right.map((label, n) => ({
				color: colors.muted,
				dash: RIGHT_DASHES[n % RIGHT_DASHES.length],
				label,
				value: "right axis",
			}));
		const parts = new Map(
			this.state
				.lines(this.groups ?? [])
				.filter(({ part }) => part)
				.map((line) => [line.part, line.dash]),
		);

		return [...parts].map(([label, dash]) => ({
			color: colors.muted,
			dash: dashOf(dash * colors.lines.length, colors.lines.length),
			label,
			value: "",
		}));
	}

	hasGroupColors() {
		const { chart } = this.state;

		if (chart === "time") return subjectsOf(this.shown().flatMap(({ reports }) => reports)).length < 2;
		return !UNCOLOURED.includes(chart) && haveGroupColors(this.shown(), this.state.look.kind);
	}

	/** @param {string} key */
	toggle(key) {
		const { hidden } = this.state;

		if (!hidden.delete(key)) hidden.add(key);
		this.changed();
	}

	/** @param {string} key "" = all alike again */
	lift(key) {
		for (const mark of this.place.querySelectorAll("[data-line]")) {
			const line = mark.getAttribute("data-line") ?? "";
			const isOther = key !== "" && line.startsWith("[") && JSON.parse(line)[0] !== key;
			mark.classList.toggle("dim", isOther);
		}
	}

	drawing() {
		const chart = /** @type {Chart} */ (this.chart);

		const groups = this.shown().filter(({ reports }) => doubtWords(reports));
		/* Each line of a group that is not to be trusted, by its name. */
		const legend = chart.legend.map((row) => {
			const group = groups.find(({ label }) => row.label.includes(label));
			return group ? { ...row, label: `${row.label} [${doubtWords(group.reports)}]` } : row;
		});
		const doubts = groups.length > 2 ? `${groups.length} series are not to be trusted` : this.doubts();

		return picture({ ...chart, legend }, theme(), CHARTS.get(this.state.chart)?.title ?? "", this.subtitle(), doubts);
	}

	/** What a picture or table that leaves the page says of runs that are not to be trusted. */
	doubts() {
		const groups = this.shown();

		return groups
			.map((group) => ({ label: groups.length > 1 ? `${group.label}: ` : "", words: doubtWords(group.reports) }))
			.filter(({ words }) => words)
			.map(({ label, words }) => label + words)
			.join("; ");
	}

	saveCsv() {
		const doubts = this.doubts();

		if (this.chart)
			save(
				`memstor-${this.state.chart}.csv`,
				new Blob([toCsv(withColumn(this.chart.table(), "verdict", doubts))], { type: "text/csv" }),
			);
	}

	saveSvg() {
		save(`memstor-${this.state.chart}.svg`, new Blob([toSvgText(this.drawing())], { type: "image/svg+xml" }));
	}

	async savePng() {
		save(`memstor-${this.state.chart}.png`, await toPng(this.drawing()));
	}
}
