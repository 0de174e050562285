// SPDX-License-Identifier: GPL-3.0-or-later
// The first screen: verdict, changed metrics, and a chart of each tool and step.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, filled, html, needsHtml, read, top } from "./browser.js";
import { report } from "./reports.js";

/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const EVIL = "</script><img src=x onerror=alert(1)>";
const HEAD = ["metric", "base", "new", "change", "95 % interval", "p", "verdict"];

/** @param {string} step @param {string} verdict @param {number} change */
function row(step, verdict, change) {
	const cells = ["p99", "1.00 us", "1.30 us", `+${change} %`, "+28.0 to +32.0", "0.008", verdict];
	const is_changed = verdict !== "no difference";

	return { tool: "pmbench", step, cells, change: change / 100, verdict, decides: is_changed, is_changed };
}

/** Two runs a side of each step. @param {string[]} steps */
function sided(steps) {
	let seed = 1;

	return ["base", "new"].flatMap((side) =>
		steps.flatMap((step) =>
			[1, 2].map((n) => ({
				name: `${side}/${step}/${n}.xml`,
				side,
				folder: side,
				step,
				xml: report({ seed: seed++, accesses: 500, labels: { step }, slower: side === "new" ? 2 : 1 }),
			})),
		),
	);
}

test("two sides: the verdict, what changed, and a chart of each step", async () => {
	const summary = {
		headline: `1 of 3 metrics slower, worst: ${EVIL}`,
		verdict: "slower",
		summary: "overall: slower",
		head: HEAD,
		rows: [row("same", "no difference", 0), row("small", "faster", -3), row("large", "slower", 30)],
		notes: ["all of one group ran before the other"],
	};
	const page = browser.file("sides.html", filled(sided(["same", "small", "large"]), summary));
	const viewer = await browser.open({ html: page });
	await viewer.page.waitForFunction(() => document.querySelectorAll("#steps svg[role=img]").length === 3);
	assert.equal(await viewer.page.textContent("#overview-title"), summary.headline);
	assert.equal(await viewer.page.locator("#overview img").count(), 0);
	const changed = await viewer.table("changed");
	assert.deepEqual(changed[0], ["step", ...HEAD.filter((name) => name !== "p")]);
	assert.deepEqual(
		changed.slice(1).map(([step, , , , , interval, verdict]) => [step, interval, verdict]),
		[
			["large", "+28.0 to +32.0", "slower"],
			["small", "+28.0 to +32.0", "faster"],
		],
	);
	assert.equal((await viewer.table("metrics")).length, 1 + 3);
	/* The page begins with the step that is most changed, and all others are there. */
	assert.equal(await viewer.status(), "12 reports · 4 chosen · 2 parameter sets");
	assert.deepEqual(await viewer.page.locator("#steps > li > button").allTextContents(), [
		"large",
		"small",
		"same",
		"All together",
	]);
	assert.match(await viewer.page.textContent("#steps > li.chosen"), /^large.*4 runs.*1 slower/);
	assert.deepEqual(await viewer.page.locator("#steps > li.chosen .legend bdi").allTextContents(), ["base", "new"]);
	await viewer.page.click("#changed-1");
	assert.match(await viewer.page.textContent("#steps > li.chosen"), /^small/);
	assert.deepEqual(
		(await viewer.table("compared")).slice(1).map(([series]) => series.trim()),
		["base", "new"],
	);
	await viewer.page.click("#step-all");
	assert.equal(await viewer.status(), "12 reports · 6 parameter sets");
	await viewer.end();
});

test("sides that are not compared say why", async () => {
	const headline = "not compared: to compare them anyway add --allow-different=jobs";
	const notes = ["option jobs: 1 in BASE, 2 in NEW"];
	const summary = { headline, verdict: "", summary: "", head: [], rows: [], notes };
	const viewer = await browser.open({ html: browser.file("differ.html", filled(sided(["a"]), summary)) });
	await viewer.page.waitForSelector("#compared .series");
	assert.equal(await viewer.page.textContent("#overview-title"), headline);
	assert.equal(await viewer.page.isVisible("#notes li"), true);
	assert.equal(await viewer.page.isVisible("#steps"), false);
	await viewer.end();
});

test("without sides: how many runs are trustworthy, and why others are not", async () => {
	const viewer = await browser.open();
	await viewer.add({ "a.xml": report({ status: "untrustworthy" }), "b.xml": report({ seed: 2 }) });
	assert.equal(await viewer.page.textContent("#overview-title"), "1 of 2 runs are not trustworthy");
	assert.match(await viewer.page.textContent("#overview .reasons"), /3 faults are not accounted/);
	await viewer.end();
});

test("one run: its verdict and main numbers", async () => {
	const viewer = await browser.open();
	await viewer.add({ "a.xml": report() });
	assert.equal(await viewer.page.textContent("#overview-title"), "The run is trustworthy");
	const names = await viewer.page.locator("#overview dt").allTextContents();
	assert.ok(["Throughput", "Mean latency", "99 % latency"].every((name) => names.includes(name)), names.join());
	await viewer.end();
});

test("reasons that differ in their numbers only are one reason", async () => {
	const viewer = await browser.open();
	const text = report({ status: "untrustworthy" });
	await viewer.add({ "a.xml": text, "b.xml": text.replace("3 faults are not", "7 faults are not") });
	assert.match(await viewer.page.textContent("#overview .reasons"), /^2 × [a-z-]+, the first: 3 faults are not accounted[^×]*$/);
	await viewer.end();
});

test("a command: its wall time is a number of one run, and the chart of several", async () => {
	const text = read("tests/fixtures/with-pressure/sort.xml");
	const sides = ["base", "new"].flatMap((side) =>
		["sort", "uniq"].map((step) => {
			const xml = text.replace(/<uuid>.{8}/, `<uuid>${`${side}${step}00000000`.slice(0, 8)}`);
			return { name: `${side}/${step}/1.xml`, side, folder: side, step, xml };
		}),
	);
	const one = await browser.open();
	await one.add({ "a.xml": text });
	assert.deepEqual((await one.page.locator("#overview dt").allTextContents()).slice(0, 4), [
		"Wall time",
		"User time",
		"System time",
		"Peak memory",
	]);
	await one.end();
	const viewer = await browser.open({ html: browser.file("command.html", filled(sides)) });
	await viewer.page.waitForFunction(() => document.querySelectorAll("#steps svg[role=img]").length === 2);
	assert.match(await viewer.page.textContent("#steps > li"), /Wall time$/);
	assert.equal(await viewer.page.locator("#metric option:checked").textContent(), "Wall time");
	await viewer.end();
});

test("a chart without data says why, and no menu is blank", async () => {
	const viewer = await browser.open();
	await viewer.addPaths("tests/fixtures/ssd/run.xml");
	assert.equal(await viewer.page.isDisabled("#chart-heatmap"), true);
	assert.match(
		await viewer.page.getAttribute("label[for=chart-heatmap]", "title"),
		/series of these reports have no histograms/,
	);
	await viewer.set("chart-compare");
	assert.notEqual(await viewer.page.locator("#metric option:checked").textContent(), "");
	await viewer.end();
});

test("a chart whose data turns out to be missing says so", needsHtml, async () => {
	const path = join(browser.folder, "ssd.html");
	html(browser.folder, join(top, "tests/fixtures/ssd/run.xml"), "-o", path);
	const viewer = await browser.open({ html: path });
	await viewer.page.waitForSelector("#compared .series");
	await viewer.page.click("label[for=chart-heatmap]");
	await viewer.page.waitForFunction(() =>
		/^Heat map: The series of these reports have no histograms/.test(document.querySelector("#chart-note").textContent),
	);
	assert.equal(await viewer.page.isChecked("#chart-histogram"), true);
	await viewer.end();
});

test("a step without any chart says so in its place", async () => {
	const viewer = await browser.open();
	await viewer.add({ "figure.xml": read("tests/fixtures/ssd/fig4.xml"), "pm.xml": report() });
	await viewer.page.waitForSelector("#steps .empty");
	assert.match(await viewer.page.textContent("#steps .empty"), /have tables only/);
	await viewer.end();
});

test("no column of a table of results is named after a value", async () => {
	const check = (/** @type {string} */ cell, /** @type {number} */ count) =>
		`<durability_check cell_id="${cell}"><status>flushed</status><flushes device="vda" count="${count}"/></durability_check>`;
	const viewer = await browser.open();
	await viewer.add({ "ssd.xml": report({ root: "ssdworkloads", result: check("mix", 13572) + check("log", 45750) }) });
	const [head, ...rows] = await viewer.table("result-table-0");
	assert.deepEqual(head, ["Cell id", "Status", "Flushes device", "Flushes count"]);
	assert.deepEqual(
		rows.map((cells) => cells.slice(2)),
		[
			["vda", "13572"],
			["vda", "45750"],
		],
	);
	await viewer.end();
});
