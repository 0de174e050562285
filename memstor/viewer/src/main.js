// SPDX-License-Identifier: GPL-3.0-or-later
// Wires the parts: files change the state, the state changes the page.
import { Charts } from "./ui/charts.js";
import { about } from "./ui/about.js";
import { button, radios } from "./ui/controls.js";
import { details } from "./ui/details.js";
import { byId, el, fill, said } from "./ui/dom.js";
import { environment } from "./ui/environment.js";
import { History, readHistory } from "./ui/history.js";
import { dropped, embedded, forget, loadAll, loadParts, sourcesOf } from "./ui/files.js";
import { numbers } from "./ui/numbers.js";
import { Overview, readSummary } from "./ui/overview.js";
import { results } from "./ui/results.js";
import { runs } from "./ui/runs.js";
import { sidebar } from "./ui/sidebar.js";
import { chooseTheme, chosenTheme, startTheme, theme } from "./ui/theme.js";
import { forgetSums } from "./model/groups.js";
import { State } from "./state.js";

/** @typedef {import("./ui/files.js").Source} Source */
/** @typedef {import("./read/report.js").Report} Report */
/** @typedef {import("./model/groups.js").Group} Group */

const state = new State();
const charts = new Charts(state, () => render());
const summary = readSummary(byId("memstor-summary").textContent);
const past = readHistory(byId("memstor-history").textContent);
const history = past && new History(past);
const overview = new Overview(state, summary, (key) => {
	state.setScope(key);
	render();
	byId("work").scrollIntoView();
});
const input = el("input", {
	id: "files",
	class: "hidden",
	attributes: {
		type: "file",
		multiple: true,
		accept: ".xml,application/xml,text/xml",
		tabindex: -1,
		"aria-label": "Report files",
	},
	on: {
		change() {
			open(sourcesOf(input.files ?? []));
			input.value = "";
		},
	},
});

const OWN_TITLE = "memstor viewer";
/** The page came with reports, which are not read yet. */
let isOpening = false;

/** @param {string} text */
function say(text) {
	byId("status").textContent = text;
}

/** @param {number} count @param {string} noun */
function many(count, noun) {
	return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function sayOpen() {
	const groups = state.groups(),
		{ length } = state.open;
	const chosen = groups.reduce((sum, { reports }) => sum + reports.length, 0);

	say(
		length === 0
			? ""
			: [
					many(length, "report"),
					chosen < length ? `${chosen} chosen` : "",
					state.look.rounds === "each" ? "" : many(groups.length, "parameter set"),
				]
					.filter(Boolean)
					.join(" · "),
	);
}

/**
 * Reports of several folders often have the same name.
 * @param {Report[]} reports
 */
function nameApart(reports) {
	const taken = new Set(state.open.map(({ file }) => file));

	for (const report of reports) {
		const name = report.file;
		for (let n = 2; taken.has(report.file); n++) report.file = `${name} (${n})`;
		taken.add(report.file);
	}
}

/** One batch at a time, in the order in which they were opened. */
let queue = Promise.resolve();

/** @param {Source[]} sources */
function open(sources) {
	queue = queue.then(async () => {
		if (sources.length === 0) return;
		const { reports, refused } = await loadAll(sources, (done, all) => say(`Reading ${done + 1} of ${all}…`));
		state.refused.push(...refused);
		nameApart(reports);
		if (reports.length > 0) state.setReports([...state.open, ...reports], overview.first());
		render();
	});
	return queue;
}

/** A control that went away took the focus along. @param {...string} ids where it may go */
function keepFocus(...ids) {
	if (document.activeElement === document.body)
		ids.map((id) => document.getElementById(id))
			.find((element) => element !== null)
			?.focus();
}

/** @param {Report[]} reports */
function closeReports(reports) {
	const at = state.reports.indexOf(reports[0]);

	for (const { id } of reports) forget(id);
	state.setReports(state.open.filter((report) => !reports.includes(report)));
	render();
	keepFocus(`close-${Math.min(at, state.reports.length - 1)}`, "open", "open-first");
}

/** @param {Report} report */
function showDetails(report) {
	state.details = report.id;
	render();
	byId("details").scrollIntoView();
	(document.getElementById("details-report") ?? byId("main")).focus({ preventScroll: true });
}

function renderHead() {
	fill(
		byId("actions"),
		(state.open.length > 0 || history !== null) &&
			button({ id: "open", text: "Open reports…", class: "primary", run: () => input.click() }),
		state.open.length > 0 &&
			button({ id: "close-all", text: "Close all", run: () => closeReports(state.open) }),
		radios({
			id: "theme",
			legend: "Colours",
			value: chosenTheme(),
			options: ["system", "light", "dark"].map((name) => ({ value: name, text: name })),
			change(name) {
				chooseTheme(name);
				render();
			},
		}),
	);
	sayOpen();
}

function renderRefused() {
	const { refused } = state;

	fill(
		byId("refused"),
		refused.length > 0 &&
			el(
				"div",
				"box",
				el("h2", {}, `${many(refused.length, "file")} not shown`),
				el(
					"ul",
					{},
					...refused.map(({ file, line, text }) =>
						el("li", {}, el("strong", {}, said(file)), line ? `:${line}: ` : ": ", said(text)),
					),
				),
				button({
					id: "dismiss",
					text: "Dismiss",
					run() {
						state.refused = [];
						render();
						keepFocus("open", "open-first");
					},
				}),
			),
	);
}

function renderWelcome() {
	fill(
		byId("welcome"),
		state.open.length === 0 &&
			!isOpening &&
			history === null &&
			el(
				"div",
				"drop",
				el("h2", {}, "Drop reports here"),
				el(
					"p",
					{},
					"One or many, also a folder: XML reports of memstor's tools and of the original pmbench.",
				),
				button({
					id: "open-first",
					text: "Open reports…",
					class: "primary",
					run: () => input.click(),
				}),
				el("p", "hint", "Nothing is sent anywhere: the page works without a network."),
			),
	);
}

/** A part that has nothing to say is not there. @param {string} id @param {import("./ui/dom.js").Inside[]} inside */
function section(id, inside) {
	byId(id).hidden = inside.length === 0;
	fill(byId(id), ...inside);
}

function render() {
	const isEmpty = state.open.length === 0,
		groups = isEmpty ? [] : state.groups();

	renderHead();
	renderRefused();
	renderWelcome();
	byId("work").hidden = isEmpty;
	/* What two sides differ in is known before the reports are read. */
	byId("overview").hidden = isEmpty && !(isOpening && summary);
	overview.render();
	history?.render();
	if (isEmpty) return;
	fill(byId("sidebar"), ...sidebar(state, render));
	byId("charts").hidden = !state.hasChart();
	if (state.hasChart()) charts.render(groups);
	section("results", results(state, render));
	section(
		"numbers",
		numbers(
			state,
			groups.filter(({ key }) => !state.hidden.has(key)),
			state.lines(groups),
			theme(),
			render,
		),
	);
	fill(
		byId("runs"),
		...runs(state, {
			close: (report) => closeReports([report]),
			details: showDetails,
			isWhole: isListWhole,
			listAll() {
				isListWhole = true;
				render();
			},
		}),
	);
	fill(byId("environment"), ...environment(state.open));
	fill(byId("details"), ...details(state, render));
	readMissing(groups);
}

let isReading = false;
/** All of many reports are in the table of what ran where. */
let isListWhole = false;

/** What the view needs of reports that the page holds packed; when it is read the page is made again. @param {Group[]} groups */
async function readMissing(groups) {
	const wanted = state.missing(groups);

	if (wanted.length === 0 || isReading) return;
	isReading = true;
	try {
		const tell = (/** @type {number} */ done, /** @type {number} */ all) => say(`Reading ${done} of ${all} parts…`);
		state.refused.push(...(await loadParts(wanted, tell)));
	} finally {
		isReading = false;
	}
	forgetSums();
	const { chart } = state;
	state.keepPossible();
	if (state.chart !== chart) state.lost = chart;
	render();
}

/** The title that memstor html was given, if any. */
function showTitle() {
	const { title } = document;

	if (title !== OWN_TITLE) document.querySelector("h1")?.replaceChildren(el("span", {}, said(title)), " – memstor");
}

/** What memstor html has put into the page. */
async function openEmbedded() {
	const sources = embedded(byId("memstor-reports").textContent);

	if (sources.length === 0) return;
	isOpening = true;
	render();
	await open(sources);
	isOpening = false;
	render();
	if (document.title === OWN_TITLE && state.open.length > 0)
		document.title = `${many(state.open.length, "report")} – memstor`;
}

function listenForDrops() {
	let depth = 0;
	const set = (/** @type {number} */ value) => {
		depth = Math.max(0, value);
		document.body.classList.toggle("dropping", depth > 0);
	};

	window.addEventListener("dragenter", (event) => {
		event.preventDefault();
		set(depth + 1);
	});
	window.addEventListener("dragleave", () => set(depth - 1));
	window.addEventListener("dragover", (event) => event.preventDefault());
	window.addEventListener("drop", (event) => {
		event.preventDefault();
		set(0);
		if (event.dataTransfer) dropped(event.dataTransfer).then(open);
	});
}

byId("sidebar").addEventListener("submit", (event) => event.preventDefault());
byId("about").append(...about());
byId("top").append(input);
startTheme(() => render());
listenForDrops();
showTitle();
render();
openEmbedded();
