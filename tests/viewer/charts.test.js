// SPDX-License-Identifier: GPL-3.0-or-later
// The charts: axes, smoothing, what the cursor reads, zoom, each kind.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, read } from "./browser.js";
import { histogram, report } from "./reports.js";

/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const PAPER = "results/reference/paper/report.xml";

/** A report whose histogram of reads has these samples, and no other. @param {number[]} samples @param {object} [wish] */
function withSamples(samples, wish = {}) {
	return report(wish).replace(
		/<statistics>[^]*<\/statistics>/,
		() => `<statistics>${histogram("read", "all", samples)}</statistics>`,
	);
}

/** Points of a step line, in px. @param {string} d */
function steps(d) {
	return (d.match(/[A-Z][^A-Z]*/g) ?? []).length;
}

/** @param {import("./browser.js").Viewer} viewer @param {number} x share of the chart's width @param {number} y of its height */
async function hover({ page }, x, y = 0.5) {
	await page.locator("#chart-place").scrollIntoViewIfNeeded();
	const area = await page.locator("#chart-place").boundingBox();
	await page.mouse.move(area.x + area.width * x, area.y + area.height * y);
	return page.evaluate(() => {
		const box = document.querySelector(".reading.shown");
		const cells = (row) => [...row.querySelectorAll("th, td:not(:first-child)")].map((cell) => cell.textContent);
		return {
			title: box?.querySelector("p")?.textContent ?? "",
			rows: [...(box?.querySelectorAll("tr") ?? [])].map(cells),
		};
	});
}

test("axes are linear or logarithmic", async () => {
	const viewer = await browser.open();
	await viewer.addPaths(PAPER);
	const both = async () => {
		const texts = await viewer.chartTexts(),
			label = texts.indexOf("latency of an access");
		return { x: texts.slice(0, label), y: texts.slice(label + 1, -1) };
	};
	assert.deepEqual((await both()).x, ["100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]);
	assert.ok((await both()).y.includes("0.01 %"));
	const before = await viewer.lines();
	await viewer.set("y-axis-linear");
	assert.deepEqual((await both()).y, ["0 %", "2 %", "4 %", "6 %", "8 %", "10 %", "12 %"]);
	await viewer.set("x-axis-linear");
	assert.match((await both()).x.join(), /^0 ns,200 µs,400 µs,/);
	assert.match(await viewer.page.textContent("#chart-note"), /ends at the 99\.9 % latency/);
	assert.notDeepEqual(await viewer.lines(), before);
	await viewer.set("chart-percentiles");
	assert.deepEqual((await viewer.chartTexts()).slice(0, 9), [
		"0 %",
		"50 %",
		"90 %",
		"99 %",
		"99.9 %",
		"99.99 %",
		"99.999 %",
		"99.9999 %",
		"share of accesses that take no longer",
	]);
	await viewer.set("x-axis-linear");
	assert.ok((await viewer.chartTexts()).includes("40 %"));
	/* Each kind of chart keeps its own. */
	await viewer.set("chart-histogram");
	assert.equal(await viewer.page.isChecked("#y-axis-linear"), true);
	await viewer.end();
});

test("the cursor reads what is in the bucket", async () => {
	const viewer = await browser.open();
	await viewer.add({
		"a.xml": withSamples([...Array(60).fill(300), ...Array(30).fill(1000), ...Array(10).fill(5000)]),
	});
	await viewer.page.selectOption("#smooth", "0");
	await viewer.page.selectOption("#measure", "count");
	const seen = new Map();
	for (let x = 0.04; x < 0.99; x += 0.01) {
		const { title, rows } = await hover(viewer, x);
		if (title) seen.set(title, rows[0].slice(1));
	}
	assert.deepEqual(seen.get("288.0 ns to 304.0 ns"), ["60", "60.0 % faster"]);
	assert.deepEqual(seen.get("992.0 ns to 1.024 µs"), ["30", "90.0 % faster"]);
	assert.deepEqual(seen.get("4.864 µs to 5.120 µs"), ["10", "100 % faster"]);
	assert.deepEqual(seen.get("304.0 ns to 992.0 ns"), ["0", "60.0 % faster"]);
	await viewer.set("chart-percentiles");
	/* The 99th of 100: nine tenths from 4864, where the last ten begin, to 5000, the greatest. */
	assert.deepEqual((await hover(viewer, 0.99)).rows[0], ["a.xml", "up to 4.986 µs"]);
	await viewer.set("chart-cdf");
	assert.deepEqual((await hover(viewer, 0.99)).rows[0], ["a.xml", "100 % faster"]);
	await viewer.end();
});

test("smoothing joins bars of the tail; the exported counts stay", async () => {
	const viewer = await browser.open();
	await viewer.add({ "a.xml": report({ accesses: 6000 }) });
	assert.equal(await viewer.page.inputValue("#smooth"), "20");
	const [smooth] = await viewer.lines(),
		saved = await viewer.csv("save-csv");
	await viewer.page.selectOption("#smooth", "0");
	const [raw] = await viewer.lines();
	assert.ok(steps(raw) > 1.5 * steps(smooth), `${steps(raw)} and ${steps(smooth)} steps`);
	assert.deepEqual(await viewer.csv("save-csv"), saved);
	await viewer.page.selectOption("#detail", "octave");
	assert.ok(steps((await viewer.lines())[0]) < steps(raw) / 4);
	const coarse = await viewer.csv("save-csv");
	assert.ok(coarse.length < 25);
	const total = (rows) => rows.slice(1).reduce((sum, row) => sum + Number(row[2]), 0);
	assert.deepEqual([total(coarse), total(saved)], [6000, 6000]);
	await viewer.end();
});

test("nothing finer than the clock's steps is drawn; the exported counts stay", async () => {
	const drawn = [];
	for (const [clock, effective] of [["1"], ["no number"], ["25"], ["0.4", "25"]]) {
		const viewer = await browser.open();
		const told = `<effective_step_ns>${effective ?? ""}</effective_step_ns>`;
		const result = `<clock><granularity_ns>${clock}</granularity_ns>${effective ? told : ""}</clock>`;
		await viewer.add({ "fine.xml": report({ layout: "hdr", result }) });
		await viewer.page.selectOption("#smooth", "0");
		await viewer.page.selectOption("#detail", "recorded");
		drawn.push([steps((await viewer.lines())[0]), await viewer.csv("save-csv")]);
		assert.equal(/steps are 25.0 ns: finer/.test(await viewer.page.textContent("#chart-note")), (effective ?? clock) === "25");
		await viewer.end();
	}
	assert.deepEqual([drawn[1], drawn[3]], [drawn[0], drawn[2]]);
	assert.ok(drawn[2][0] < 0.8 * drawn[0][0], `${drawn[2][0]} and ${drawn[0][0]} steps`);
	assert.deepEqual(drawn[2][1], drawn[0][1]);
});

test("hdr and log16 are counted in the wider buckets", async () => {
	const viewer = await browser.open();
	await viewer.add({
		"fine.xml": report({ layout: "hdr", options: { hdr: "yes" } }),
		"coarse.xml": report({ seed: 2 }),
	});
	const fine = await viewer.csv("save-csv");
	await viewer.page.selectOption("#measure", "count");
	assert.match(await viewer.page.textContent("#chart-note"), /different width; all are drawn in the wider ones/);
	const wide = await viewer.csv("save-csv");
	assert.ok(wide.length < fine.length, `${wide.length} of ${fine.length} rows`);
	for (const rows of [fine, wide]) {
		assert.deepEqual(
			[2, 3].map((i) => rows.slice(1).reduce((sum, row) => sum + Number(row[i]), 0)),
			[4000, 4000],
		);
		rows.slice(2).forEach((row, i) => assert.ok(Number(row[0]) >= Number(rows[i + 1][1]), row.join()));
	}
	await viewer.end();
});

test("zoom: by dragging, by keys, by buttons, and back", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.addPaths(PAPER);
	const marks = async () => (await viewer.chartTexts()).slice(0, 4).join();
	const whole = await marks();
	await hover(viewer, 0.3);
	await page.mouse.down();
	const area = await page.locator("#chart-place").boundingBox();
	await page.mouse.move(area.x + area.width * 0.5, area.y + area.height / 2);
	await page.mouse.up();
	const dragged = await marks();
	assert.notEqual(dragged, whole);
	await page.focus("#chart-place");
	await page.keyboard.press("+");
	assert.notEqual(await marks(), dragged);
	await page.keyboard.press("0");
	assert.equal(await marks(), whole);
	await page.click("#zoom-in");
	assert.notEqual(await marks(), whole);
	await page.click("#zoom-out");
	assert.equal(await marks(), whole);
	await page.click("#zoom-in");
	await page.click("#zoom-all");
	assert.equal(await marks(), whole);
	await viewer.end();
});

test("keys read the chart, and it is said", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "a.xml": withSamples([...Array(60).fill(300), ...Array(40).fill(1000)]) });
	await page.selectOption("#smooth", "0");
	await page.focus("#chart-place");
	const said = () => page.textContent("#live");
	await page.keyboard.press("Home");
	assert.match(await said(), /^288\.0 ns to 304\.0 ns: a\.xml /);
	await page.keyboard.press("ArrowRight");
	assert.match(await said(), /^304\.0 ns to 992\.0 ns: a\.xml 0 %/);
	await page.keyboard.press("End");
	assert.match(await said(), /^992\.0 ns to 1\.024 µs: /);
	await page.keyboard.press("ArrowLeft");
	assert.match(await said(), /^304\.0 ns to 992\.0 ns/);
	await page.keyboard.press("Escape");
	assert.equal(await page.locator(".reading.shown").count(), 0);
	await viewer.end();
});

test("over time: a value on the left axis, counters on the right one", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "a.xml": report({ intervals: 20 }) });
	await viewer.set("chart-time");
	assert.equal((await viewer.lines()).length, 1);
	await page.click("#counters > summary");
	await page.fill("#counter-filter", "dirty");
	assert.deepEqual(await page.locator(".counter-list label:visible").allTextContents(), ["meminfo.Dirty"]);
	await page.getByLabel("meminfo.Dirty").check();
	await page.fill("#counter-filter", "");
	assert.equal((await viewer.lines()).length, 2);
	assert.ok((await viewer.chartTexts()).includes("meminfo.Dirty, bytes"));
	await page.getByLabel("vmstat.pswpin").check();
	assert.ok((await viewer.chartTexts()).includes("counters, bytes and per second"));
	assert.match(await page.textContent("#chart-settings"), /different units share the right axis/);
	await page.click("#counters > summary");
	const { title, rows } = await hover(viewer, 0.5);
	assert.match(title, /^\d+ s to \d+ s$/);
	assert.deepEqual(
		rows.map(([name]) => name),
		["Accesses per second", "meminfo.Dirty", "vmstat.pswpin"],
	);
	const csv = await viewer.csv("save-csv");
	assert.deepEqual(csv[0], ["begin_s", "end_s", "Accesses per second", "meminfo.Dirty", "vmstat.pswpin"]);
	assert.equal(csv.length, 21);
	/* The level goes on from the snapshot before the run. */
	const [, change] = /meminfo\.Dirty" value="(-?\d+)"\/><counter name="psi/.exec(report({ intervals: 20 }));
	assert.equal(Number(csv[1][3]), 4_000_000 + Number(change));
	await page.selectOption("#left", "p99_ns");
	assert.ok((await viewer.chartTexts()).includes("P99 latency"));
	await page.click("#counters-none");
	assert.equal((await viewer.lines()).length, 1);
	await viewer.end();
});

test("over time: rounds are averaged interval by interval", async () => {
	const viewer = await browser.open();
	await viewer.add({ "a.xml": report({ intervals: 5 }), "b.xml": report({ intervals: 5, seed: 2 }) });
	await viewer.set("chart-time");
	const mean = await viewer.csv("save-csv");
	assert.equal(await viewer.page.locator("#chart-place path[fill-opacity]").count(), 1);
	await viewer.set("rounds-each");
	const each = await viewer.csv("save-csv");
	each.slice(1).forEach((row, i) =>
		assert.ok(Math.abs((Number(row[2]) + Number(row[3])) / 2 - Number(mean[i + 1][2])) < 1e-9),
	);
	await viewer.end();
});

test("heat map: a picture of time by latency, read by pointer and keys", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({
		"a.xml": report({ intervals: 10 }),
		"b.xml": report({ intervals: 10, seed: 2, options: { jobs: "2" } }),
	});
	await viewer.set("chart-heatmap");
	const image = page.locator("#chart-place image");
	assert.match(await image.getAttribute("href"), /^data:image\/png;base64,/);
	const first = await image.getAttribute("href");
	await page.selectOption("#heat-run", { label: "b.xml" });
	assert.notEqual(await image.getAttribute("href"), first);
	const { title, rows } = await hover(viewer, 0.5, 0.75);
	assert.match(title, /^\d s to \d s$/);
	assert.equal(rows[1][0], "accesses in the interval");
	assert.equal(rows[1][1], "400");
	await page.focus("#chart-place");
	await page.keyboard.press("Home");
	const heights = new Set();
	for (let i = 0; i < 12; i++) {
		await page.keyboard.press("ArrowDown");
		heights.add((await page.textContent("#live")).split(";")[0]);
	}
	assert.ok(heights.size > 6);
	const csv = await viewer.csv("save-csv");
	assert.equal(
		csv.slice(1).reduce((sum, row) => sum + Number(row[4]), 0),
		4000,
	);
	await viewer.end();
});

test("time spent: by limits that can be set", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "a.xml": withSamples([...Array(1000).fill(300), ...Array(100).fill(10_000)]) });
	await viewer.set("chart-spent");
	const row = async () => (await viewer.csv("save-csv"))[1].slice(1).map(Number);
	let spent = await row();
	assert.ok(Math.abs(spent[5] - 0.0013) < 1e-9, String(spent));
	assert.ok(Math.abs(spent[0] - 0.0003) < 2e-5 && Math.abs(spent[2] - 0.001) < 2e-5, String(spent));
	await page.fill("#threshold-0", "0.2");
	await page.keyboard.press("Tab");
	spent = await row();
	assert.equal(spent[0], 0);
	await page.fill("#threshold-1", "0.1");
	await page.keyboard.press("Tab");
	assert.equal(await page.locator("#threshold-1").evaluate((input) => input.validationMessage), "limits must rise");
	await viewer.set("to-hundred");
	assert.ok((await viewer.chartTexts()).includes("share of the time spent in accesses"));
	await page.focus("#chart-place");
	await page.keyboard.press("ArrowDown");
	assert.match(await page.textContent("#live"), /^a\.xml: 1\.3 ms: under 200 ns 0 s \(0 %\)/);
	await viewer.end();
});

test("by parameter: a number along the basis, numeric or by name", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	const files = {};
	for (const [i, mapsize] of ["512", "1024", "4096"].entries()) {
		for (const run of [1, 2])
			files[`${mapsize}-${run}.xml`] = report({ seed: 10 * i + run, options: { mapsize }, slower: i + 1 });
	}
	await viewer.add(files);
	await viewer.set("chart-compare");
	assert.equal(await page.locator("#chart-place circle").count(), 6);
	assert.deepEqual((await viewer.chartTexts()).slice(0, 4), ["512 MiB", "1 GiB", "4 GiB", "Map size"]);
	const { title, rows } = await hover(viewer, 0.98);
	assert.equal(title, "4 GiB");
	assert.deepEqual([rows[0][0], rows[0][3]], ["Throughput", "2 runs"]);
	await page.selectOption("#metric", { label: "99 % latency" });
	const csv = await viewer.csv("save-csv");
	assert.deepEqual(
		csv.slice(1).map((row) => row.slice(0, 3)),
		[
			["512 MiB", "", "2"],
			["1 GiB", "", "2"],
			["4 GiB", "", "2"],
		],
	);
	assert.ok(Number(csv[1][3]) < Number(csv[2][3]) && Number(csv[2][3]) < Number(csv[3][3]));
	assert.ok(csv.slice(1).every((row) => Number(row[4]) <= Number(row[3]) && Number(row[3]) <= Number(row[5])));
	const linear = await page
		.locator("#chart-place circle")
		.evaluateAll((dots) => dots.map((dot) => dot.getAttribute("cx")));
	await viewer.set("x-axis-log");
	assert.notDeepEqual(
		await page.locator("#chart-place circle").evaluateAll((dots) => dots.map((dot) => dot.getAttribute("cx"))),
		linear,
	);
	await viewer.end();
});

test("series are hidden, and lifted when pointed at", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({
		"a.xml": report(),
		"b.xml": report({ seed: 2, options: { jobs: "2" } }),
		"c.xml": report({ seed: 3, options: { jobs: "4" } }),
	});
	const color = () => page.locator("#chart-place path[data-line]").last().getAttribute("stroke");
	const last = await color();
	await page.getByRole("checkbox", { name: "Threads 2" }).uncheck();
	assert.equal((await viewer.lines()).length, 2);
	assert.equal(await color(), last, "colours stay with their series");
	assert.equal((await viewer.table("compared")).length, 3);
	await page.locator(".legend li", { hasText: "Threads 4" }).hover();
	assert.equal(await page.locator("#chart-place .dim").count(), 1);
	await page.mouse.move(2, 2);
	assert.equal(await page.locator("#chart-place .dim").count(), 0);
	await page.selectOption("#base", { label: "Threads 4" });
	assert.deepEqual(
		await page
			.locator("#compared tbody tr")
			.evaluateAll((rows) => rows.map((row) => row.querySelectorAll("small").length > 0)),
		[true, false],
	);
	await viewer.end();
});

test("the data stands in a table, too", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "a.xml": withSamples([...Array(60).fill(300), ...Array(40).fill(1000)]) });
	await page.click("#chart-data > summary");
	await page.waitForSelector("#data tbody tr");
	assert.deepEqual(await viewer.table("data"), [
		["lo_ns", "hi_ns", "a.xml"],
		["288", "304", "60"],
		["992", "1024", "40"],
	]);
	await viewer.set("chart-percentiles");
	await page.waitForFunction(() => document.querySelector("#data th")?.textContent === "percent");
	/* Half of 100 samples are 50 of the 60 between 300, the least, and 304. */
	assert.deepEqual((await viewer.table("data"))[6], ["50", String(Number((300 + (4 * 50) / 60).toPrecision(8)))]);
	await viewer.end();
});
