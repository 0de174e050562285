// SPDX-License-Identifier: GPL-3.0-or-later
// The first screen: the verdict, what changed between two sides, and a small chart of each tool and step.
import { swatch } from "../chart/cursor.js";
import { formatUnit } from "../chart/format.js";
import { forgetSums } from "../model/groups.js";
import { metricsOf } from "../model/metrics.js";
import { stepKey } from "../model/steps.js";
import { CHARTS, State } from "../state.js";
import { doubt } from "./badges.js";
import { button } from "./controls.js";
import { byId, el, fill, said } from "./dom.js";
import { DRAW, whyEmpty } from "./drawing.js";
import { loadParts } from "./files.js";
import { table } from "./table.js";
import { theme } from "./theme.js";

/** @typedef {import("../read/report.js").Report} Report */
/** @typedef {import("../model/steps.js").Step} Step */
/**
 * @typedef {{ tool: string, step: string, cells: string[], change: number | null, verdict: string, decides: boolean,
 *   is_changed: boolean }} Row a metric of a set; cells as in head
 */
/** @typedef {{ headline: string, verdict: string, summary: string, head: string[], rows: Row[], notes: string[] }} Summary */

const HEIGHT = 148,
	LEGEND_MAX = 6,
	REASONS_MAX = 5;
/** Of each side; more need not be read for a small picture. */
const RUNS_MAX = 6;
/** The p-value is in the table of all. */
const P = 5;
const OF_COMMANDS = ["wall_ns", "user_ns", "system_ns", "peak_bytes", "minor_faults", "major_faults"];
const NUMBERS = [...OF_COMMANDS, "accesses_per_second", "mean", "p50", "p99", "p999", "max"];

/** What memstor html found in the comparison of two sides. @param {string | null} text JSON @returns {Summary | null} */
export function readSummary(text) {
	const found = JSON.parse(text ?? "null");

	return found && Array.isArray(found.rows) ? found : null;
}

/** @param {Row} row a half is as far as a double */
function sizeOf({ change }) {
	return change === null ? Infinity : Math.abs(Math.log1p(change));
}

/** @param {Row} row */
function rank({ verdict, decides }) {
	return (decides ? 0 : 2) + (verdict === "slower" ? 0 : 1);
}

/** @param {Report[]} reports not trustworthy @returns {string[]} the most frequent reasons, of each kind the first text */
function reasonsOf(reports) {
	/** @type {Map<string, { text: string, count: number }>} */
	const counts = new Map();

	for (const { status, reasons } of reports) {
		for (const { code, text } of reasons.length ? reasons : [{ code: status, text: status }]) {
			const kind = counts.get(code) ?? { text: text || code, count: 0 };
			kind.count++;
			counts.set(code, kind);
		}
	}
	const sorted = [...counts].sort((a, b) => b[1].count - a[1].count);
	const texts = sorted
		.slice(0, REASONS_MAX)
		.map(([code, { text, count }]) =>
			reports.length === 1 ? text : `${count} × ${code}${count > 1 ? ", the first" : ""}: ${text}`,
		);
	return sorted.length > REASONS_MAX ? [...texts, `${sorted.length - REASONS_MAX} more reasons`] : texts;
}

/** @param {Report[]} reports */
function ownVerdict(reports) {
	const bad = reports.filter(({ status }) => status === "untrustworthy" || status === "interrupted"),
		good = reports.filter(({ status }) => status === "ok"),
		{ length } = reports;
	const text =
		bad.length > 0
			? length === 1
				? `The run is ${bad[0].status}`
				: `${bad.length} of ${length} runs are not trustworthy`
			: good.length === 0
				? "No verdict in these reports"
				: length === 1
					? "The run is trustworthy"
					: `${good.length === length ? "All" : `${good.length} of`} ${length} runs are trustworthy`;

	return [
		el("h2", { id: "overview-title", class: bad.length ? "bad" : good.length === length ? "good" : "" }, text),
		bad.length > 0 && el("ul", "reasons", ...reasonsOf(bad).map((reason) => el("li", {}, said(reason)))),
	];
}

/** The main numbers of one run. @param {Report} report */
function numbersOf(report) {
	const metrics = metricsOf([report]).filter(({ name }) => NUMBERS.includes(name));
	const found = metrics
		.map(({ label, unit, value }) => ({ label, unit, number: value(report, "both", "all") }))
		.filter(({ number }) => Number.isFinite(number));

	return (
		found.length > 0 &&
		el(
			"dl",
			"tiles",
			...found.map(({ label, unit, number }) => el("div", {}, el("dt", {}, label), el("dd", {}, formatUnit(number, unit)))),
		)
	);
}

/** @param {string} verdict */
function tone(verdict) {
	return verdict === "slower" ? "bad" : verdict === "faster" ? "good" : verdict === "no difference" ? "" : "open";
}

export class Overview {
	/**
	 * @param {State} state
	 * @param {Summary | null} summary
	 * @param {(key: string) => void} choose a step
	 */
	constructor(state, summary, choose) {
		this.state = state;
		this.summary = summary;
		this.choose = choose;
		this.drawn = "";
		this.head = el("div", { id: "overview-head" });
		this.cards = el("ul", { id: "steps", attributes: { "aria-label": "Tools and steps" } });
		byId("overview").replaceChildren(this.head, this.cards);
		this.observer = new IntersectionObserver((entries) => {
			for (const { isIntersecting, target } of entries) {
				if (!isIntersecting) continue;
				this.observer.unobserve(target);
				const step = this.state.steps.find(({ key }) => key === target.getAttribute("data-step"));
				if (step) this.draw(step, /** @type {HTMLElement} */ (target));
			}
		});
	}

	/** Of the set that is most changed: the page begins there. */
	first() {
		const [row] = this.changed();

		return row ? stepKey(row.tool, row.step) : "";
	}

	/** Those that decide first, of these what is slower, of these the largest. */
	changed() {
		const rows = this.summary?.rows.filter(({ is_changed }) => is_changed) ?? [];

		return rows.sort((a, b) => rank(a) - rank(b) || sizeOf(b) - sizeOf(a));
	}

	render() {
		const { open, steps, scope } = this.state;
		const drawn = JSON.stringify([open.map(({ id }) => id), theme().ground]);

		fill(this.head, ...(this.summary ? this.compared(this.summary) : open.length ? ownVerdict(open) : []));
		if (open.length === 1) this.head.append(numbersOf(open[0]) || "");
		this.cards.hidden = steps.length < 2;
		if (drawn !== this.drawn && steps.length > 1) this.makeCards();
		this.drawn = drawn;
		for (const card of this.cards.children) {
			const isChosen = card.getAttribute("data-step") === scope;
			card.classList.toggle("chosen", isChosen);
			card.querySelector("button")?.setAttribute("aria-pressed", String(isChosen));
		}
	}

	/** @param {Summary} summary */
	compared({ headline, verdict, summary, head, rows, notes }) {
		const changed = this.changed();

		return [
			el("h2", { id: "overview-title", class: tone(verdict) }, said(headline)),
			summary && el("p", {}, said(summary)),
			changed.length > 0 && this.rows("changed", "Changed metrics", head, changed, [P]),
			rows.length > 0 &&
				el(
					"details",
					{ id: "all-metrics" },
					el("summary", {}, changed.length ? `All ${rows.length} metrics` : `${rows.length} metrics, none changed`),
					this.rows("metrics", "All metrics", head, rows, []),
				),
			notes.length > 0 &&
				el(
					"details",
					{ id: "notes", attributes: { open: rows.length === 0 } },
					el("summary", {}, `${notes.length} note${notes.length > 1 ? "s" : ""}`),
					el("ul", "reasons", ...notes.map((note) => el("li", {}, said(note)))),
				),
		];
	}

	/** @param {string} id @param {string} caption @param {string[]} head @param {Row[]} rows @param {number[]} hidden columns */
	rows(id, caption, head, rows, hidden) {
		const shown = head.map((_, i) => i).filter((i) => !hidden.includes(i));
		const isNumber = (/** @type {number} */ i) => i > 0 && i < head.length - 1;
		const isOne = this.state.steps.length < 2 && rows.every(({ step }) => step === rows[0].step);
		const open = (/** @type {Row} */ { tool, step }, /** @type {number} */ n) => {
			const key = stepKey(tool, step);
			const text = step || tool;
			return this.state.steps.some((one) => one.key === key)
				? button({ id: `${id}-${n}`, class: "link", text, run: () => this.choose(key) })
				: said(text);
		};

		return table({
			id,
			caption,
			class: "figures",
			head: [
				...(isOne ? [] : ["step"]),
				...shown.map((i) => ({ class: isNumber(i) ? "number" : "", inside: [said(head[i])] })),
			],
			rows: rows.map((row, n) => [
				...(isOne ? [] : [{ inside: [open(row, n)] }]),
				...shown.map((i) => ({
					class: isNumber(i) ? "number" : i && row.is_changed && row.decides ? tone(row.verdict) : "",
					inside: [said(row.cells[i])],
				})),
			]),
		});
	}

	makeCards() {
		const { steps } = this.state;
		const ranks = new Map(steps.map(({ key }) => [key, 9]));

		for (const row of this.changed()) {
			const key = stepKey(row.tool, row.step);
			ranks.set(key, Math.min(ranks.get(key) ?? 9, rank(row)));
		}
		const sorted = [...steps].sort((a, b) => (ranks.get(a.key) ?? 9) - (ranks.get(b.key) ?? 9));
		this.observer.disconnect();
		fill(
			this.cards,
			...sorted.map((step, n) => this.card(step, n)),
			el(
				"li",
				{ class: "together", attributes: { "data-step": "" } },
				button({ id: "step-all", text: "All together", run: () => this.choose("") }),
				el("p", "hint", "Every step and tool in one chart."),
			),
		);
		for (const card of this.cards.children) if (card.getAttribute("data-step")) this.observer.observe(card);
	}

	/** @param {Step} step @param {number} n */
	card({ key, tool, title, reports }, n) {
		const rows = (this.summary?.rows ?? []).filter((row) => stepKey(row.tool, row.step) === key);
		const count = (/** @type {string} */ verdict) =>
			rows.filter((row) => row.verdict === verdict && row.decides && row.is_changed).length;
		const badge = (/** @type {string} */ verdict, /** @type {string} */ name) =>
			count(verdict) > 0 && el("span", `badge ${name}`, `${count(verdict)} ${verdict}`);

		return el(
			"li",
			{ attributes: { "data-step": key } },
			button({ id: `step-${n}`, class: "link", text: title, run: () => this.choose(key) }),
			el(
				"p",
				"hint",
				title === tool ? "" : `${tool}, `,
				`${reports.length} run${reports.length === 1 ? "" : "s"} `,
				badge("slower", "untrustworthy"),
				badge("faster", "ok"),
				...doubt(reports),
			),
			el("div", { class: "small-chart" }),
		);
	}

	/** @param {Step} step @param {HTMLElement} card */
	async draw({ reports }, card) {
		const place = card.querySelector(".small-chart"),
			small = new State();
		/** @type {Map<string, number>} */
		const counts = new Map();
		const some = reports.filter((report) => {
			const side = report.facts.get("set:side")?.text ?? "",
				count = counts.get(side) ?? 0;
			counts.set(side, count + 1);
			return count < RUNS_MAX;
		});

		small.setReports(some);
		await loadParts(small.missing(small.groups()), () => {});
		forgetSums();
		small.keepPossible();
		/* A chart of time may be all that is left, and its series is packed. */
		await loadParts(small.missing(small.groups()), () => {});
		const groups = small.groups(),
			lines = small.lines(groups);
		const width = Math.max(240, place?.clientWidth ?? 0);
		const scene = { width, height: HEIGHT, theme: theme(), groups, lines, basis: small.basisLabel(), view: small.view() };
		const kind = /** @type {keyof DRAW} */ (small.chart);
		if (!place) return;
		if (!small.hasChart()) {
			place.replaceChildren(el("p", "empty", "No chart: these reports have tables only; open the step for them."));
			return;
		}
		const chart = DRAW[kind](scene),
			why = whyEmpty(small, chart, lines);
		const named = chart.legend.filter(({ label }) => label);
		const title = kind === "compare" ? metricsOf(some)[0].label : CHARTS.get(kind)?.title;
		const of = some.length < reports.length ? `, first ${RUNS_MAX} runs${counts.size > 1 ? " a side" : ""}` : "";
		chart.svg.setAttribute("role", "img");
		chart.svg.setAttribute("aria-label", CHARTS.get(kind)?.title ?? "");
		place.replaceChildren(
			...(why ? [el("p", "empty", why)] : [chart.svg]),
			el("p", "hint", `${title}${of}`),
			...(named.length > 1 && named.length <= LEGEND_MAX
				? [el("ul", "legend", ...named.map(({ color, dash, label }) => el("li", {}, swatch(color, dash), said(label))))]
				: named.length > 1
					? [el("p", "hint", `${named.length} lines, named in the large chart`)]
					: []),
		);
	}
}
