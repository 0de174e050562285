// SPDX-License-Identifier: GPL-3.0-or-later
// The series of a history: the list, the chart of one, what the cursor reads, and names of others.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, filled } from "./browser.js";
import { report } from "./reports.js";

/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const EVIL = "</script><img src=x onerror=alert(1)>\u202e";

/** @param {number} i @param {number} value */
function point(i, value) {
	return [String(i).padStart(40, "c"), `2026-01-${String(i + 1).padStart(2, "0")}T08:00:00Z`, value, value - 1e5, value + 2e5, 3];
}

/** Twelve commits, from the seventh on 10 % more. @param {string} step @param {string} state @param {object} [more] */
function series(step, state, more = {}) {
	const points = Array.from({ length: 12 }, (_, i) => point(i, i < 6 || !state ? 40e6 : 44e6));
	const change = { at: 6, state, size: "+10.0 %", interval: "+9.80 to +10.2", between: "ccc5..ccc6", date: "2026-01-07" };
	const levels = state ? [[0, 5, 40e6], [6, 11, 44e6]] : [[0, 11, 40e6]];

	return {
		step,
		metric: "wall",
		about: "",
		unit: "ns",
		better: "lower",
		state,
		points,
		others: [],
		levels,
		changes: state ? [{ ...change, why: state === "slower" ? "" : "because" }] : [],
		...more,
	};
}

const HEADLINE = "4 series, 48 points of main: 3 changes slower, 0 faster; 1 new and open";

/** @param {object[]} list @param {object[]} [reports] @param {object} [options] */
async function open(list, reports = [], options = {}) {
	const history = { headline: HEADLINE, notes: ["All of one direction"], main: "main", series: list };
	return browser.open({ html: browser.file("history.html", filled(reports, null, history)), options });
}

const FOUR = ["slower", "environment", "acknowledged", ""].map((state) => series(`step of ${state || "none"}`, state));

test("the first screen: what is said of all, and each series with its change", async () => {
	const viewer = await open(FOUR);
	assert.equal(await viewer.page.textContent("#history-title"), HEADLINE);
	assert.equal(await viewer.page.getAttribute("#history-title", "class"), "bad");
	assert.equal(await viewer.page.textContent("#history-title + p"), "All of one direction");
	const rows = await viewer.table("history-list");
	assert.deepEqual(rows[0], ["series", "state", "change", "last", "commits", "date", "points", "why"]);
	assert.deepEqual(rows[1], ["step of slower wall", "slower", "+10.0 %", "44.0 ms", "ccc5..ccc6", "2026-01-07", "12", ""]);
	assert.deepEqual(rows[2].slice(0, 2), ["step of environment wall", "environment"]);
	assert.deepEqual(rows[4], ["step of none wall", "", "", "40.0 ms", "", "", "12", ""]);
	/* It needs no reports, and can open some. */
	assert.equal(await viewer.page.isVisible("#open"), true);
	assert.equal(await viewer.page.isVisible("#overview"), false);
	assert.equal(await viewer.page.locator("#welcome *").count(), 0);
	await viewer.end();
});

test("the chart of a series: points, levels, the marked change; a click chooses another", async () => {
	const viewer = await open([...FOUR, series("with", "", { others: [[...point(20, 41e6), 3.5, "topic"]] })]);
	const count = (/** @type {string} */ what) => viewer.page.locator(`#history-place svg ${what}`).count();
	assert.equal(await viewer.page.textContent("#history-series"), "step of slower wall");
	assert.equal(await count("circle"), 12);
	assert.match((await viewer.page.locator("#history-place svg text").allTextContents()).join("|"), /\+10\.0 %/);
	const said = await viewer.page.textContent("#history .reasons");
	assert.match(said, /slower\+10\.0 % \(\+9\.80 to \+10\.2\) in ccc5\.\.ccc6, 2026-01-07$/);
	await viewer.page.click("#series-4");
	assert.equal(await viewer.page.textContent("#history-series"), "with wall");
	assert.equal(await viewer.page.getAttribute("#series-4", "aria-pressed"), "true");
	assert.equal(await count("circle"), 13);
	/* Those of other branches are hollow. */
	const circles = viewer.page.locator("#history-place svg circle");
	const fills = await circles.evaluateAll((all) => all.map((one) => one.getAttribute("fill")));
	assert.equal(fills.filter((fill) => fill === fills[0]).length, 12);
	assert.equal(await viewer.page.locator("#history .reasons li").count(), 0);
	await viewer.end();
});

test("the pointer reads commit, date, value with unit and interval, runs and branch", async () => {
	const viewer = await open([series("one", "slower", { others: [[...point(20, 41e6), 3.5, "topic"]] })]);
	const circles = viewer.page.locator("#history-place svg g circle");
	const texts = async (/** @type {number} */ i) => {
		await circles.nth(i).hover({ force: true });
		return viewer.page.locator("#history-place .reading").innerText();
	};
	assert.match(
		await texts(0),
		/^cccccccccccc · 2026-01-01 08:00\s+wall\s+40\.0 ms\s+39\.9 ms to 40\.2 ms\s+3 runs\s+branch\s+main$/,
	);
	assert.match(await texts(4), /^cccccccccccc · 2026-01-21 08:00\s+wall\s+41\.0 ms[\s\S]+branch\s+topic$/);
	assert.match(await texts(7), /wall\s+44\.0 ms[\s\S]+slower\s+\+10\.0 %\s+\+9\.80 to \+10\.2/);
	await viewer.end();
});

test("keys go from point to point, zoom, and choose a series", async () => {
	const viewer = await open(FOUR),
		{ page } = viewer;
	const said = () => page.textContent("#live");
	await page.focus("#history-place");
	await page.keyboard.press("Home");
	assert.match(await said(), /2026-01-01 08:00: wall 40\.0 ms; branch main$/);
	await page.keyboard.press("ArrowRight");
	assert.match(await said(), /2026-01-02 08:00/);
	await page.keyboard.press("End");
	assert.match(await said(), /2026-01-12 08:00: wall 44\.0 ms/);
	await page.keyboard.press("+");
	assert.ok((await page.locator("#history-place svg circle").count()) < 12);
	await page.keyboard.press("0");
	assert.equal(await page.locator("#history-place svg > g > circle").count(), 12);
	await page.focus("#series-1");
	await page.keyboard.press("Enter");
	assert.equal(await page.textContent("#history-series"), "step of environment wall");
	assert.equal(await page.evaluate(() => document.activeElement?.id), "series-1");
	await page.click("#history-data > summary");
	const rows = await viewer.table("history-points");
	assert.deepEqual(rows[0], ["commit", "date", "branch", "median (ns)", "low", "high", "runs", "change"]);
	assert.deepEqual(rows[7].slice(2), ["main", "44000000", "43900000", "44200000", "3", "environment +10.0 %"]);
	await viewer.end();
});

test("names of others are texts, wherever they stand", async () => {
	const points = [[EVIL, "2026-01-01T08:00:00Z", 1, 1, 1, 1], [`${EVIL}2`, "2026-01-02T08:00:00Z", 2, 2, 2, 1]];
	const change = { at: 1, state: EVIL, size: EVIL, interval: EVIL, between: EVIL, date: EVIL, why: EVIL };
	const evil = { step: EVIL, metric: EVIL, about: EVIL, unit: EVIL, better: EVIL, state: EVIL };
	const viewer = await open([{ ...evil, points, others: [[...points[0], 0.5, EVIL]], levels: [], changes: [change] }]);
	await viewer.page.focus("#history-place");
	await viewer.page.keyboard.press("End");
	assert.match(await viewer.page.textContent("#history-place .reading"), /<img src=x/);
	await viewer.page.click("#history-data > summary");
	assert.equal(await viewer.page.locator("#history img").count(), 0);
	await viewer.end();
});

test("reports beside a history, a history without series, and a narrow screen", async () => {
	const some = await open(FOUR, [{ name: "a.xml", xml: report() }]);
	await some.page.waitForSelector("#compared .series");
	assert.equal(await some.page.textContent("#history-title"), HEADLINE);
	assert.equal(await some.page.textContent("#overview-title"), "The run is trustworthy");
	await some.end();
	const none = await open([]);
	assert.equal(await none.page.isVisible("#history-place"), false);
	await none.end();
	const bare = await open([series("others only", "", { points: [], levels: [], others: [[...point(1, 4e6), -0.5, "topic"]] })]);
	assert.equal(await bare.page.locator("#history-place svg circle").count(), 1);
	await bare.end();
	const narrow = await open(FOUR, [], { viewport: { width: 360, height: 700 } });
	assert.ok(await narrow.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
	await narrow.end();
});
