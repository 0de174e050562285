// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of several tools, of two sides, and pages that memstor html made of many.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, filled, html, needsHtml, read, top } from "./browser.js";
import { report } from "./reports.js";

/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const FIXTURES = "tests/fixtures/";

/** @param {...string} args @returns {string} path of the page */
function page(...args) {
	const output = join(browser.folder, `${args.join("-").replace(/\W/g, "")}.html`);
	html(browser.folder, ...args.slice(0, -1), "-o", output, ...args.slice(-1));
	return output;
}

/** @param {import("./browser.js").Viewer} viewer colours and dashes of the lines */
function styles({ page: tab }) {
	return tab
		.locator("#chart-place path[data-line]:not([fill-opacity])")
		.evaluateAll((paths) => paths.map((path) => path.getAttribute("stroke") + path.getAttribute("stroke-dasharray")));
}

/** @param {import("./browser.js").Viewer} viewer */
function whenRead({ page: tab }) {
	return tab.waitForFunction(() => /^\d+ report/.test(document.querySelector("#status")?.textContent ?? ""));
}

for (const [file, names] of /** @type {const} */ ([
	["iowrite/run.xml", ["pwrite.direct.none.append.write.4k", "fwrite.buffered.none.append.write.1m"]],
	["ssd/run.xml", ["mix log", "mix checkpoint", "log-alone", "checkpoint-alone"]],
])) {
	test(`over time each cell or stream of ${file} is a line of its own, on its own time`, async () => {
		const viewer = await browser.open();
		await viewer.addPaths(FIXTURES + file);
		await viewer.set("chart-time");
		const series = new Set(
			[...read(FIXTURES + file).matchAll(/<interval index="\d+"[^>]*?cell_id="([^"]*)"(?: stream="(\w+)")?/g)].map(
				([, cell, stream]) => `${cell} ${stream}`,
			),
		);
		const drawn = await styles(viewer);
		assert.equal(drawn.length, series.size);
		assert.equal(new Set(drawn).size, series.size);
		const legend = await viewer.page.locator("#chart-foot .legend bdi").allTextContents();
		for (const name of names) assert.ok(legend.includes(name), `${name} in ${legend.join()}`);
		/* Time never runs back within a line. */
		for (const line of await viewer.lines()) {
			const across = [...line.matchAll(/[MLHV]?(-?[\d.]+),-?[\d.]+/g)].map(([, x]) => Number(x));
			across.forEach((x, i) => assert.ok(i === 0 || x >= across[i - 1] - 1e-6, line));
		}
		await viewer.page.selectOption("#subject", names[0]);
		assert.equal((await viewer.lines()).length, 1);
		await viewer.end();
	});
}

test("an evaluation shows measured and predicted times, and its values in tables", async () => {
	const viewer = await browser.open();
	await viewer.addPaths(`${FIXTURES}iowrite/evaluate.xml`);
	assert.equal(await viewer.page.isChecked("#chart-predicted"), true);
	assert.deepEqual(await viewer.page.locator("#chart-foot .legend bdi").allTextContents(), [
		"measured",
		"naive",
		"cawl",
		"kernel",
	]);
	const [, measured] = /<scenario id="c2" repetition="1">[^]*?<measured_s>([^<]*)</.exec(
		read(`${FIXTURES}iowrite/evaluate.xml`),
	);
	const titles = await viewer.page
		.locator("#result-table-0 tbody td")
		.evaluateAll((cells) => cells.map((cell) => cell.getAttribute("title")));
	assert.ok(titles.includes(measured));
	const [head, ...rows] = await viewer.csv("save-csv");
	assert.deepEqual(head.slice(0, 3), ["value", "other parameters", "runs"]);
	assert.ok(rows.some(([scenario, name]) => scenario === "c2" && name === "kernel"));
	await viewer.end();
});

for (const figure of ["fig4", "fig6", "fig9", "fig11"]) {
	test(`an analysis (${figure}) shows its columns instead of an empty chart`, async () => {
		const viewer = await browser.open();
		await viewer.addPaths(`${FIXTURES}ssd/${figure}.xml`);
		assert.equal(await viewer.page.isVisible("#charts"), false);
		const text = read(`${FIXTURES}ssd/${figure}.xml`);
		const [head, ...rows] = await viewer.table("result-table-0");
		assert.equal(head.length, [...text.matchAll(/<column>/g)].length);
		assert.equal(rows.length, Math.min(200, [...text.matchAll(/<row>/g)].length));
		assert.ok(rows[0].every((cell) => cell !== ""));
		await viewer.end();
	});
}

test("reports of several tools are drawn one by one, or all at once by tool", async () => {
	const viewer = await browser.open();
	await viewer.add({
		"io.xml": read(`${FIXTURES}iowrite/run.xml`),
		"ssd.xml": read(`${FIXTURES}ssd/run.xml`),
		"pm.xml": report(),
	});
	assert.equal(await viewer.status(), "3 reports · 1 chosen · 1 parameter set");
	assert.equal((await viewer.lines()).length, 12);
	await viewer.page.selectOption("#scope", "");
	assert.equal(await viewer.status(), "3 reports · 3 parameter sets");
	assert.deepEqual(await viewer.page.locator('#chart-foot [aria-label="Series that are drawn"] bdi').allTextContents(), [
		"iowrite-bench",
		"pmbench",
		"ssd-workloads",
	]);
	assert.equal((await viewer.lines()).length, 12 + 1 + 4);
	await viewer.end();
});

/** Two runs a side in folders, with one name each. */
function sides() {
	let seed = 1;

	for (const side of ["old", "changed"]) {
		mkdirSync(join(browser.folder, side), { recursive: true });
		for (const n of [1, 2])
			writeFileSync(
				join(browser.folder, side, `r${n}.xml`),
				report({ seed: seed++, intervals: 4, slower: side === "old" ? 1 : 3 }),
			);
	}
}

test("base and new reports are set against each other, whatever their options", needsHtml, async () => {
	sides();
	const viewer = await browser.open({ html: page("old", "--", "changed") });
	await viewer.page.waitForSelector("#compared .series");
	await whenRead(viewer);
	assert.equal(await viewer.status(), "4 reports · 2 parameter sets");
	assert.deepEqual(
		(await viewer.table("compared")).map(([name, runs]) => [name.trim(), runs]),
		[
			["Series", "Runs"],
			["base", "2"],
			["new", "2"],
		],
	);
	await viewer.end();
	mkdirSync(join(browser.folder, "third"), { recursive: true });
	writeFileSync(join(browser.folder, "third/r.xml"), report({ seed: 99 }));
	const folders = await browser.open({ html: page("old", "changed", "third") });
	await folders.page.waitForSelector("#compared .series");
	await whenRead(folders);
	assert.deepEqual(
		(await folders.table("compared")).map(([name]) => name.trim()),
		["Series", "Folder changed", "Folder old", "Folder third"],
	);
	await folders.end();
});

test("what a page holds packed is shown as the file itself would be", needsHtml, async () => {
	const path = "results/reference/resident/report.xml";
	const viewer = await browser.open({ html: page(join(top, path)) }),
		other = await browser.open();
	await viewer.page.waitForSelector("#kinds");
	await whenRead(viewer);
	await other.addPaths(path);
	const rows = async (/** @type {import("./browser.js").Viewer} */ { page: tab }) =>
		tab.locator("#kinds tbody td").evaluateAll((cells) => cells.map((cell) => cell.getAttribute("title")));
	assert.deepEqual(await rows(viewer), await rows(other));
	for (const one of [viewer, other]) await one.set("chart-time");
	await viewer.page.waitForSelector("#chart-place path[data-line]");
	await whenRead(viewer);
	assert.deepEqual(await viewer.lines(), await other.lines());
	const parts = (/** @type {import("./browser.js").Viewer} */ { page: tab }) =>
		tab.locator("#details summary").allTextContents();
	assert.deepEqual((await parts(viewer)).sort(), (await parts(other)).sort());
	await viewer.end();
	await other.end();
});

test("a packed part that is damaged is said, and the rest of the report shown", async () => {
	const [head, rest] = report().split(/<statistics>[^]*<\/statistics>/);
	const text = filled([
		{ name: "a.xml", xml: [head, { part: "statistics", zlib: "AAAA" }, rest] },
		{ name: "b.xml", xml: [head, { part: "statistics", zlib: "-" }, rest.replace("</verdict>", "</verdict> ")] },
	]);
	const viewer = await browser.open({ html: browser.file("damaged.html", text) });
	await viewer.page.waitForSelector("#refused li");
	assert.deepEqual((await viewer.refused()).sort(), ["a.xml: a part of it is damaged", "b.xml: a part of it is damaged"]);
	assert.deepEqual(await viewer.page.locator("#reports .file").allTextContents(), ["a.xml", "b.xml"]);
	await viewer.end();
});

test("of many reports only those that are looked at are read", needsHtml, async () => {
	mkdirSync(join(browser.folder, "many"), { recursive: true });
	for (let n = 0; n < 60; n++)
		writeFileSync(
			join(browser.folder, "many", `r${n}.xml`),
			report({ seed: n + 1, accesses: 300, options: { jobs: String(n % 20), ratio: String(n % 3) } }),
		);
	const viewer = await browser.open({ html: page("many") });
	await viewer.page.waitForSelector("#chart-place path[data-line]");
	await whenRead(viewer);
	assert.match(await viewer.status(), /^60 reports · \d+ chosen/);
	assert.ok((await viewer.lines()).length <= 12);
	const before = (await viewer.lines()).join();
	await viewer.set("dimension-0-basis");
	await viewer.page.selectOption("#dimension-1-value", "each");
	await whenRead(viewer);
	await viewer.page.waitForFunction(() => document.querySelectorAll("#compared tbody tr").length > 12);
	assert.notEqual((await viewer.lines()).join(), before);
	await viewer.end();
});

test("another program's swap area divides only runs that used swap", async () => {
	const phases = (faults) => `<phases><phase index="0"><major_faults>${faults}</major_faults></phase></phases>`;
	const differing = async (faults) => {
		const viewer = await browser.open();
		await viewer.add({
			"a.xml": report({ result: phases(faults) }),
			"b.xml": report({ seed: 2, swap: "nvme", result: phases(faults) }),
		});
		const names = (await viewer.table("differing")).slice(1).map(([name]) => name);
		await viewer.end();
		return names;
	};

	assert.ok((await differing(7)).includes("Swap areas"));
	assert.ok(!(await differing(0)).includes("Swap areas"));
});
