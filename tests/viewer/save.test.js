// SPDX-License-Identifier: GPL-3.0-or-later
// What the page saves: CSV with the exact counts, pictures that show the chart.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, parseCsv, read } from "./browser.js";
import { report } from "./reports.js";

/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const PAPER = "results/reference/paper/report.xml";

/** Buckets of a type of class "all" in the text of a report. @param {string} text @param {string} type */
function bucketsOf(text, type) {
	const [, body] = new RegExp(
		`<latency_histogram type="${type}" class="all"[^>]*>([^]*?)</latency_histogram>`,
	).exec(text);
	return new Map(
		[...body.matchAll(/<bucket lo="(\d+)"(?: hi="\d+")? count="(\d+)"/g)].map(([, lo, count]) => [
			lo,
			BigInt(count),
		]),
	);
}

test("CSV of a histogram has the buckets of the report, added", async () => {
	const viewer = await browser.open();
	await viewer.addPaths(PAPER);
	const { name, bytes } = await viewer.download("save-csv");
	assert.equal(name, "memstor-histogram.csv");
	const [head, ...rows] = parseCsv(bytes.toString("utf8"));
	assert.deepEqual(head, ["lo_ns", "hi_ns", "report.xml"]);
	const text = read(PAPER),
		reads = bucketsOf(text, "read"),
		writes = bucketsOf(text, "write");
	const wanted = [...new Set([...reads.keys(), ...writes.keys()])]
		.sort((a, b) => Number(a) - Number(b))
		.map((lo) => [lo, String((reads.get(lo) ?? 0n) + (writes.get(lo) ?? 0n))]);
	assert.deepEqual(
		rows.map(([lo, , count]) => [lo, count]),
		wanted,
	);
	await viewer.set("type-each");
	const each = parseCsv((await viewer.download("save-csv")).bytes.toString("utf8"));
	assert.deepEqual(each[0].slice(2), ["reads", "writes"]);
	assert.deepEqual(
		each
			.slice(1)
			.filter((row) => row[2] !== "0")
			.map((row) => [row[0], BigInt(row[2])]),
		[...reads],
	);
	await viewer.end();
});

test("CSV of the original's histogram has its 249 buckets", async () => {
	const viewer = await browser.open();
	await viewer.addPaths("tests/fixtures/pmbench-original/uniform.xml");
	await viewer.set("type-read");
	const [, ...rows] = await viewer.csv("save-csv");
	const text = read("tests/fixtures/pmbench-original/uniform.xml");
	const [, body] = /<histogram type="read">([^]*?)<\/histogram>/.exec(text);
	const counts = [
		...body.matchAll(/<hex index="\d+">(\d+)<|<sum_count>(\d+)<\/sum_count>\s*<\/histo_bucket>/g),
	].map(([, hex, sum]) => hex ?? sum);
	assert.equal(counts.length, 249);
	assert.deepEqual(
		rows.map((row) => row[2]),
		counts.filter((count) => count !== "0"),
	);
	const [lo, hi] = rows[1].map(Number);
	assert.ok(lo >= 256 && hi - lo === 2 ** (Math.floor(Math.log2(lo)) - 4), `${lo} to ${hi}`);
	await viewer.end();
});

test("CSV of the figures has unrounded numbers", async () => {
	const viewer = await browser.open();
	await viewer.addPaths(PAPER);
	await viewer.set("type-write");
	const [head, row] = await viewer.csv("numbers-csv");
	const [, summary] = /<latency_histogram type="write" class="all"[^>]*>\s*<summary>([^]*?)<\/summary>/.exec(
		read(PAPER),
	);
	assert.deepEqual(head, [
		"series",
		"verdict",
		"runs",
		"accesses",
		"accesses_per_second",
		"mean_ns",
		"p50_ns",
		"p90_ns",
		"p95_ns",
		"p99_ns",
		"p999_ns",
		"p9999_ns",
		"max_ns",
		"mode_ns",
	]);
	assert.deepEqual(row.slice(0, 5), ["report.xml", "ok", "1", "2668091", "88903.4269014824"]);
	for (const name of head.slice(5, -1)) {
		const [, said] = new RegExp(`<${name}>([^<]+)<`).exec(summary);
		assert.ok(Math.abs(Number(row[head.indexOf(name)]) / Number(said) - 1) < 1e-14, name);
	}
	await viewer.end();
});

/** Pixels of each colour of a PNG. @param {import("./browser.js").Viewer} viewer @param {Buffer} bytes */
function pixels({ page }, bytes) {
	return page.evaluate(
		async (url) => {
			const image = new Image(),
				canvas = document.createElement("canvas");
			image.src = url;
			await image.decode();
			canvas.width = image.width;
			canvas.height = image.height;
			const context = canvas.getContext("2d");
			context.drawImage(image, 0, 0);
			const { data } = context.getImageData(0, 0, image.width, image.height),
				colors = {};
			for (let i = 0; i < data.length; i += 4) {
				const color = `#${[0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join("")}`;
				colors[color] = (colors[color] ?? 0) + 1;
			}
			return { width: image.width, height: image.height, colors };
		},
		`data:image/png;base64,${bytes.toString("base64")}`,
	);
}

test("PNG: twice the size of the chart, with its lines and ground, light and dark", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "a.xml": report(), "b.xml": report({ seed: 2, options: { jobs: "2" } }) });
	const width = Number(await page.getAttribute("#chart-place > svg", "width"));
	for (const [theme, ground, lines] of [
		["light", "#ffffff", ["#084fba", "#dc701c"]],
		["dark", "#191c20", ["#81ade9", "#ed914a"]],
	]) {
		await viewer.set(`theme-${theme}`);
		const { name, bytes } = await viewer.download("save-png");
		assert.equal(name, "memstor-histogram.png");
		assert.equal(bytes.subarray(1, 4).toString(), "PNG");
		const picture = await pixels(viewer, bytes);
		assert.equal(picture.width, 2 * width);
		assert.ok(picture.height > 2 * 420, `${picture.height} px high`);
		assert.ok(picture.colors[ground] > 0.5 * picture.width * picture.height, theme);
		for (const line of lines) assert.ok(picture.colors[line] > 500, `${line}: ${picture.colors[line]}`);
	}
	await viewer.end();
});

test("PNG of the heat map has its picture", async () => {
	const viewer = await browser.open();
	await viewer.add({ "a.xml": report({ intervals: 10 }) });
	await viewer.set("chart-heatmap");
	const { colors } = await pixels(viewer, (await viewer.download("save-png")).bytes);
	assert.ok(Object.keys(colors).length > 60, `${Object.keys(colors).length} colours`);
	await viewer.end();
});

test("SVG: a document for itself, with title, legend and the same lines; texts stay texts", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "a.xml": report({ options: { pattern: '<b>&"x"' } }), "b.xml": report({ seed: 2 }) });
	await page.mouse.move(700, 400);
	const { name, bytes } = await viewer.download("save-svg");
	assert.equal(name, "memstor-histogram.svg");
	const text = bytes.toString("utf8"),
		drawn = await viewer.lines();
	assert.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
	for (const line of drawn) assert.ok(text.includes(`d="${line}"`));
	assert.match(text, />Histogram<\/text>/);
	assert.match(text, />2 series, reads and writes, all<\/text>/);
	assert.match(text, />Pattern &lt;b&gt;&amp;"x"<\/text>/);
	assert.doesNotMatch(text, /class="cursor"|<b>|style=|href="http/);
	const picture = browser.file("picture.svg", bytes),
		tab = await page.context().newPage();
	await tab.goto(`file://${picture}`);
	assert.equal(
		await tab.evaluate(() => document.documentElement.nodeName + document.querySelectorAll("path").length),
		"svg2",
	);
	await viewer.end();
});

test("what is saved says that a run is not to be trusted", async () => {
	for (const chart of ["histogram", "time", "spent", "compare"]) {
		const viewer = await browser.open();
		await viewer.add({
			"a.xml": report({ intervals: 3, status: "untrustworthy" }),
			"b.xml": report({ seed: 2, intervals: 3, options: { jobs: "2" } }),
		});
		await viewer.set(`chart-${chart}`);
		const text = (await viewer.download("save-svg")).bytes.toString("utf8");
		assert.match(text, />Threads 1: untrustworthy<\/text>/);
		const [head, ...rows] = await viewer.csv("save-csv");
		assert.equal(head[head.length - 1], "verdict");
		assert.ok(rows.every((row) => row[row.length - 1] === "Threads 1: untrustworthy"));
		const figures = await viewer.csv("numbers-csv");
		assert.deepEqual(
			figures.map(([, verdict]) => verdict),
			["verdict", "untrustworthy", "ok"],
		);
		await viewer.end();
	}
});

test("the name of the y axis is inside the picture", async () => {
	for (const chart of ["histogram", "cdf", "percentiles", "time", "compare"]) {
		const viewer = await browser.open({ options: { viewport: { width: 560, height: 700 } } });
		await viewer.add({ "a.xml": report({ intervals: 3 }), "b.xml": report({ seed: 2, options: { jobs: "2" } }) });
		await viewer.set(`chart-${chart}`);
		const inside = await viewer.page.evaluate(() => {
			const picture = document.querySelector("#chart-place svg"),
				box = picture.getBoundingClientRect();
			return [...picture.querySelectorAll("text[transform]")].map((text) => {
				const { left, top, bottom } = text.getBoundingClientRect();
				return left >= box.left && top >= box.top && bottom <= box.bottom;
			});
		});
		assert.deepEqual(inside, [true], chart);
		await viewer.end();
	}
});

for (const chart of ["cdf", "percentiles", "time", "spent", "compare"]) {
	test(`${chart} is saved as CSV, PNG and SVG`, async () => {
		const viewer = await browser.open();
		await viewer.add({
			"a.xml": report({ intervals: 5 }),
			"b.xml": report({ seed: 2, intervals: 5, options: { jobs: "2" } }),
		});
		await viewer.set(`chart-${chart}`);
		const [head, ...rows] = await viewer.csv("save-csv");
		assert.ok(rows.length > 1);
		rows.forEach((row) => assert.equal(row.length, head.length));
		const { colors } = await pixels(viewer, (await viewer.download("save-png")).bytes);
		assert.ok(Object.keys(colors).length > 20);
		assert.match((await viewer.download("save-svg")).bytes.toString("utf8"), /<\/svg>\n$/);
		await viewer.end();
	});
}
