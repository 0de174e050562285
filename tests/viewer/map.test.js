// SPDX-License-Identifier: GPL-3.0-or-later
// The map of memtrace's accesses by time and address: where it opens, how it is zoomed, and how sure it says it is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, read } from "./browser.js";
import { blocksOf, hottest, poisson95 } from "../../memstor/viewer/src/model/access_map.js";
import { report } from "./reports.js";

/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const COLUMNS = 60,
	ROWS = 48,
	HOT = { first: 30, end: 33, begin: 20, stop: 26 };

/** The hot range by pages of 4 KiB and tenths of its columns: all samples of a column and row are in one of these. */
function hotPart() {
	const columns = HOT.stop - HOT.begin,
		rows = HOT.end - HOT.first;
	const bands = Array.from({ length: rows * 16 }, (_, i) => {
		const cells = Array.from({ length: columns * 10 }, (_c, c) => (i % 16 === 5 && c % 10 === 3 ? 400 : 0));
		return (
			`<part_band address="0x${(0x10000000 + HOT.first * 65536 + i * 4096).toString(16)}" region="orders" ` +
			`size_bytes="4096" samples="${i % 16 === 5 ? 400 * columns : 0}">${cells.join(" ")}</part_band>`
		);
	});

	return (
		`<map_part index="0"><address>0x101e0000</address><from_s>2</from_s><to_s>2.6</to_s>` +
		`<first_column>${HOT.begin}</first_column><columns>${columns}</columns><first_band>${HOT.first}</first_band>` +
		`<bands>${rows}</bands><cells_each>10</cells_each><samples>${400 * columns * rows}</samples>${bands.join("")}</map_part>`
	);
}

/**
 * 60 columns of 0.1 s, 48 rows of 64 KiB in three regions; a hot range in "orders".
 * @param {{ period?: number, parts?: string }} [wish]
 */
function mapReport({ period = 1000, parts = "" } = {}) {
	const columns = Array.from(
		{ length: COLUMNS },
		(_, i) =>
			`<map_column index="${i}"><from_s>${i / 10}</from_s><to_s>${(i + 1) / 10}</to_s>` +
			"<samples>0</samples></map_column>",
	);
	const regions = ["[heap]", "dictionary", "orders"];
	const rows = Array.from(
		{ length: ROWS },
		(_, i) =>
			`<map_band index="${i}"><address>0x${(0x10000000 + i * 65536).toString(16)}</address>` +
			`<region>${regions[i < 16 ? 0 : i < 28 ? 1 : 2]}` +
			`</region><size_bytes>65536</size_bytes><samples>0</samples><is_behind_gap>0</is_behind_gap></map_band>`,
	);
	const cells = [];
	for (let c = 0; c < COLUMNS; c++) {
		for (let r = 0; r < ROWS; r++) {
			const isHot = r >= HOT.first && r < HOT.end && c >= HOT.begin && c < HOT.stop;
			const samples = isHot ? 400 : (c * 7 + r * 13) % 11 === 0 ? 2 : r < 16 ? 8 : 0;
			if (samples) cells.push(`<map_cell column_index="${c}" band_index="${r}" samples="${samples}"/>`);
		}
	}
	const result =
		`<recording role="only">${period ? `<period>${period}</period>` : ""}</recording><access_pattern><x>time</x><y>rank</y>` +
		`<bucket_bytes>4096</bucket_bytes>${columns.join("")}${rows.join("")}${cells.join("")}${parts}</access_pattern>`;
	return report({ root: "memtrace", result }).replace(/<statistics>[^]*<\/statistics>/, "");
}

/** @param {import("./browser.js").Viewer} viewer */
async function hoverHottest({ page }) {
	await page.locator("#chart-place").scrollIntoViewIfNeeded();
	const box = await page.locator("#chart-place .hottest").boundingBox();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	return page.locator(".reading.shown").textContent();
}

/** How much of the plot the frame of the hottest range takes. @param {import("./browser.js").Viewer} viewer */
function frameSize({ page }) {
	return page
		.locator("#chart-place .hottest")
		.evaluate((frame) => [Number(frame.getAttribute("width")), Number(frame.getAttribute("height"))]);
}

test("the interval is that of Garwood", () => {
	for (const [count, low, high] of [
		[0, 0, 3.689],
		[1, 0.0253, 5.572],
		[4, 1.09, 10.242],
		[100, 81.36, 121.63],
		[1000, 938.97, 1063.95],
	]) {
		const ends = poisson95(count);
		assert.ok(Math.abs(ends[0] - low) < 0.01 && Math.abs(ends[1] - high) < 0.01, `${count}: ${ends}`);
	}
});

test("the hottest range is the densest within one region, and one sample in a small row is not it", () => {
	const columns = Array.from({ length: 4 }, (_, i) => ({ from: i, to: i + 1 }));
	const row = (/** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ region) => ({ from, to, region });
	const rows = [row(0, 1, "tiny"), row(1, 101, "a"), row(101, 201, "b"), row(201, 301, "b")];
	const samples = new Uint32Array(16);
	samples[1 * 4 + 0] = 1;
	for (const c of [2, 3]) samples.set([0, 10, 90, 90], c * 4);
	const found = hottest({ period: 1, bucketBytes: 1, columns, rows, samples, parts: [] });
	assert.deepEqual([found.rows.first, found.rows.end], [2, 4]);
	assert.deepEqual([found.columns.first, found.columns.end], [2, 4]);
});

test("rows too thin to be seen are one cell, none is lost", () => {
	const parts = Array.from({ length: 10 }, (_, i) => ({ from: i, to: i + 1 }));
	assert.deepEqual(
		blocksOf(parts, [0, 10], 3).map(({ first, end }) => [first, end]),
		[
			[0, 3],
			[3, 6],
			[6, 9],
			[9, 10],
		],
	);
	assert.deepEqual(
		blocksOf(parts, [4, 6], 0.1).map(({ first }) => first),
		[4, 5],
	);
});

test("a cell of several rows has the region with the most samples, not the first one", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	/* 64 bytes of one sample below 64 KiB of eight. */
	const thin = mapReport()
		.replace("<region>[heap]</region><size_bytes>65536<", "<region>[vvar]</region><size_bytes>64<")
		.replaceAll(/(band_index="0" samples=)"8"/g, '$1"1"');
	await viewer.add({ "map.xml": thin });
	await page.click("#zoom-all");
	const [head, ...rows] = await viewer.csv("save-csv");
	const low = rows.filter((cells) => cells[head.indexOf("touched_bytes")] === String(65536 + 64));
	assert.equal(low.length, COLUMNS);
	for (const cells of low) assert.equal(cells[head.indexOf("region")], "[heap]");
	await page.locator("#chart-place").scrollIntoViewIfNeeded();
	const box = await page.locator("#chart-place image").boundingBox();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height - 2);
	assert.match(await page.locator(".reading.shown").textContent(), /\[heap\]and 1 more/);
	await viewer.end();
});

test("a map opens at the hottest range and says its rate and how sure it is", async () => {
	const viewer = await browser.open();
	await viewer.add({ "map.xml": mapReport() });
	assert.equal(await viewer.page.isChecked("#chart-map"), true);
	const note = await viewer.page.textContent("#chart-note");
	/* 3 rows, 6 columns of 400 samples, a thousand accesses each, in 0.6 s. */
	assert.match(note, /Hottest range .*192 KiB touched from 0x101e0000 in orders/);
	assert.match(note, /2 to 2\.6 s: /);
	const texts = await viewer.chartTexts();
	assert.ok(texts.some((text) => text.includes("accesses/s per 4 KiB")), texts.join());
	assert.ok(texts.includes("orders"), texts.join());
	assert.ok(!texts.includes("[heap]"), "the opening view is not all");
	assert.match(await hoverHottest(viewer), /accesses\/s.*4\.00M.*95 % interval.*3\.62M to 4\.41M.*samples.*400/);
	await viewer.end();
});

test("a map warns of visible cells with few samples, and says what that means", async () => {
	const viewer = await browser.open();
	await viewer.add({ "map.xml": mapReport() });
	await viewer.page.click("#zoom-all");
	const note = await viewer.page.textContent("#chart-note");
	assert.match(note, /Warning: \d+ of [\d\u202f]+ visible cells hold fewer than 5 samples/);
	assert.match(note, /4 samples stand for 1\.09 to 10\.2 \(95 %\)/);
	assert.ok((await viewer.chartTexts()).some((text) => text.includes("hatched: < 5 samples")));
	await viewer.end();
});

test("where each access was recorded nothing is estimated", async () => {
	const viewer = await browser.open();
	await viewer.add({ "map.xml": mapReport({ period: 1 }) });
	const note = await viewer.page.textContent("#chart-note");
	assert.match(note, /counts are exact/);
	assert.doesNotMatch(note, /Warning/);
	await viewer.end();
});

test("an engine that does not sample by accesses gives samples per second", async () => {
	const viewer = await browser.open();
	await viewer.add({ "map.xml": mapReport({ period: 0 }) });
	assert.ok((await viewer.chartTexts()).some((text) => text.includes("samples/s per 4 KiB")));
	assert.match(await viewer.page.textContent("#chart-note"), /does not sample by accesses/);
	await viewer.end();
});

test("buttons, keys, drag and wheel zoom a map in both directions", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "map.xml": mapReport() });
	const opening = await frameSize(viewer);
	await page.click("#zoom-all");
	const all = await frameSize(viewer);
	assert.ok(all[0] < opening[0] && all[1] < opening[1]);
	assert.ok((await viewer.chartTexts()).includes("[heap]"));
	await page.click("#zoom-hottest");
	assert.deepEqual(await frameSize(viewer), opening);
	await page.focus("#chart-place");
	await page.keyboard.press("0");
	assert.deepEqual(await frameSize(viewer), all);
	await page.keyboard.press("+");
	const [width, height] = await frameSize(viewer);
	assert.ok(Math.abs(width / all[0] - 2) < 0.01 && Math.abs(height / all[1] - 2) < 0.01);
	await page.keyboard.press("-");
	await page.keyboard.press("0");
	const area = await page.locator("#chart-place .hottest").boundingBox();
	await page.mouse.move(area.x - 20, area.y - 20);
	await page.mouse.down();
	await page.mouse.move(area.x + area.width + 20, area.y + area.height + 20);
	await page.mouse.up();
	const dragged = await frameSize(viewer);
	assert.ok(dragged[0] > 2 * all[0] && dragged[1] > 2 * all[1], String(dragged));
	await page.mouse.wheel(0, -100);
	await page.waitForFunction(
		(old) => Number(document.querySelector("#chart-place .hottest")?.getAttribute("width")) > old,
		dragged[0],
	);
	/* Nothing is hidden from those who do not see it. */
	await page.keyboard.press("0");
	const [head, ...rows] = await viewer.csv("save-csv");
	const at = head.indexOf("samples");
	const sum = rows.reduce((total, cells) => total + Number(cells[at]), 0);
	const expected = [...mapReport().matchAll(/<map_cell [^>]*samples="(\d+)"/g)].reduce((total, [, n]) => total + Number(n), 0);
	assert.equal(sum, expected);
	await viewer.end();
});

test("zooming into a hot range shows the finer cells of its part, and no sample is lost or seen twice", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	const sumOf = async () => {
		const [head, ...rows] = await viewer.csv("save-csv");
		return rows.reduce((total, cells) => total + Number(cells[head.indexOf("samples")]), 0);
	};
	await viewer.add({ "map.xml": mapReport({ parts: hotPart() }) });
	await page.focus("#chart-place");
	await page.keyboard.press("+");
	/* Fifteen of sixteen pages have no sample, and nine of ten hundredths of a second. */
	const [head, ...rows] = await viewer.csv("save-csv");
	const hot = rows.filter((cells) => Number(cells[head.indexOf("touched_bytes")]) === 4096);
	assert.equal(hot.length, (HOT.stop - HOT.begin) * (HOT.end - HOT.first));
	for (const cells of hot) {
		assert.equal(cells[head.indexOf("samples")], "400");
		assert.ok(Math.abs(Number(cells[head.indexOf("end_s")]) - Number(cells[head.indexOf("begin_s")]) - 0.01) < 1e-9);
		assert.match(cells[head.indexOf("address")], /^0x10[0-9a-f]{2}5000$/);
	}
	await page.click("#zoom-all");
	const expected = [...mapReport().matchAll(/<map_cell [^>]*samples="(\d+)"/g)].reduce((total, [, n]) => total + Number(n), 0);
	assert.equal(await sumOf(), expected);
	/* The first hot page in the first column: 400 samples, a thousand accesses each, in 0.01 s. */
	await page.click("#zoom-hottest");
	assert.match(await page.textContent("#chart-note"), /4 KiB touched from 0x101e5000 in orders, 2\.03 to 2\.04 s: 40\.0M/);
	await page.focus("#chart-place");
	await page.keyboard.press("+");
	await page.locator("#chart-place").scrollIntoViewIfNeeded();
	const frame = await page.locator("#chart-place .hottest").boundingBox();
	await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height / 2);
	assert.match(
		await page.locator(".reading.shown").textContent(),
		/2\.03 to 2\.04 s, from 0x101e5000.*touched bytes4 KiB.*40\.0M.*36\.2M to 44\.1M.*samples.*400/,
	);
	/* Pages above. */
	await page.mouse.move(frame.x + frame.width / 2, frame.y - frame.height * 2.5);
	assert.match(await page.locator(".reading.shown").textContent(), /from 0x101e[6-9]000.*samples0/);
	await viewer.end();
});

test("a part that does not add up, lacks cells or covers what is not there is refused", async () => {
	const viewer = await browser.open(),
		part = hotPart();
	for (const [bad, reason] of [
		[part.replace(" 400 ", " 401 "), /do not add up/],
		[part.replace(" 400 ", " "), /<part_band> has 59 cells: 60 numbers are needed/],
		[part.replace(" 400 ", " x "), /60 numbers are needed/],
		[part.replace("<bands>3<", "<bands>4<"), /not of the size/],
		[part.replace("<first_column>20<", "<first_column>55<"), /covers 6 columns from 55: there are 60/],
		[part.replace("<cells_each>10<", "<cells_each>0<"), /no cells/],
		[part + part, /covers cells of another one/],
	]) {
		await viewer.add({ "bad.xml": mapReport({ parts: bad }) });
		assert.match((await viewer.refused()).join(), reason);
	}
	await viewer.end();
});

test("the fixture of memtrace has a map, and a broken map is refused with its line", async () => {
	const viewer = await browser.open();
	await viewer.addPaths("tests/fixtures/memtrace/pattern.xml");
	assert.equal(await viewer.page.isChecked("#chart-map"), true);
	await viewer.add({
		"bad.xml": read("tests/fixtures/memtrace/pattern.xml").replace('column_index="0"', 'column_index="9999"'),
	});
	assert.match((await viewer.refused()).join(), /bad\.xml:\d+: column_index="9999" of <map_cell>: there are \d+/);
	await viewer.end();
});
