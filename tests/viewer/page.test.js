// SPDX-License-Identifier: GPL-3.0-or-later
// The page as a person uses it: open, drop, choose what is compared.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, filled, html, needsHtml, read, top } from "./browser.js";
import { report } from "./reports.js";

/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const PAPER = "results/reference/paper/report.xml",
	RESIDENT = "results/reference/resident/report.xml";

/** Three patterns, two ratios, three rounds of each. */
function many() {
	/** @type {Record<string, string>} */
	const files = {};
	let seed = 1;

	for (const pattern of ["uniform", "normal", "zipf"]) {
		for (const ratio of ["50", "80"]) {
			for (const run of ["1", "2", "3"])
				files[`${pattern}-${ratio}-${run}.xml`] = report({
					seed: seed++,
					options: { pattern, ratio },
					labels: { run },
					accesses: 1000,
				});
		}
	}
	return files;
}

test("empty: says what to do, makes no request", async () => {
	const viewer = await browser.open();
	assert.equal(await viewer.page.textContent("#welcome h2"), "Drop reports here");
	assert.equal(await viewer.page.isVisible("#work"), false);
	assert.equal(await viewer.page.title(), "memstor viewer");
	await viewer.end();
});

test("two files dropped are compared", async () => {
	const viewer = await browser.open();
	await viewer.drop({ "paper.xml": read(PAPER), "resident.xml": read(RESIDENT) });
	assert.equal(await viewer.status(), "2 reports · 2 parameter sets");
	assert.equal((await viewer.lines()).length, 2);
	const rows = await viewer.table("compared");
	assert.deepEqual(
		rows.map(([series]) => series.trim()),
		["Series", "Map size 256 MiB", "Map size 8 GiB"],
	);
	assert.deepEqual(
		rows.map((row) => row[2]),
		["Accesses", "54 328 466", "5 334 211"].map((text) => text.replaceAll(" ", "\u202f")),
	);
	assert.match(rows[2][3], /^88\.9k\/s−98 %$/);
	const runs = await viewer.table("reports");
	assert.deepEqual(
		runs.slice(1).map((row) => row[0]),
		["paper.xml", "resident.xml"],
	);
	assert.equal(await viewer.page.isVisible("#welcome .drop"), false);
	await viewer.end();
});

test("figures by type and class are the summaries that the tool wrote", async () => {
	const viewer = await browser.open();
	await viewer.addPaths(PAPER);
	const text = read(PAPER);
	const titles = await viewer.page
		.locator("#kinds tbody tr")
		.evaluateAll((rows) =>
			rows.map((row) =>
				[...row.querySelectorAll("td")].map((cell) => cell.getAttribute("title") || cell.textContent),
			),
		);
	assert.equal(titles.length, 12);
	let compared = 0;
	for (const [name, kindName, , , ...numbers] of titles) {
		const type = { reads: "read", writes: "write" }[name],
			kind = { all: "all", hits: "hit", minor: "minor", major: "major" }[kindName];
		const summary = new RegExp(
			`<latency_histogram type="${type}" class="${kind}"[^>]*>\\s*<summary>([^]*?)</summary>`,
		).exec(text);
		if (!summary) continue;
		for (const [i, field] of [
			"min",
			"mean",
			"p50",
			"p90",
			"p95",
			"p99",
			"p999",
			"p9999",
			"max",
			"stddev",
		].entries()) {
			const [, said] = new RegExp(`<${field}_ns>([^<]*)<`).exec(summary[1]);
			assert.ok(
				Math.abs(Number(numbers[i]) / Number(said) - 1) < 1e-14 || Number(numbers[i]) === Number(said),
				`${type} ${kind} ${field}: ${numbers[i]}, in the report ${said}`,
			);
			compared++;
		}
	}
	assert.equal(compared, 80);
	await viewer.end();
});

test("the basis is chosen by radio buttons, parameters by menus", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add(many());
	assert.equal(await viewer.status(), "18 reports · 6 parameter sets");
	const names = async () => (await viewer.table("compared")).slice(1).map(([name]) => name.trim());
	assert.deepEqual(await page.locator(".parameter .name").allTextContents(), [
		"Pattern",
		"Reads",
		"run",
		"nothing: each set by itself",
	]);
	assert.deepEqual(
		await names(),
		["normal", "uniform", "zipf"].flatMap((pattern) =>
			[50, 80].map((ratio) => `Pattern ${pattern} · Reads ${ratio} %`),
		),
	);

	await page.getByLabel("Compare by Reads").check();
	assert.deepEqual(
		await names(),
		[50, 80].flatMap((ratio) =>
			["normal", "uniform", "zipf"].map((pattern) => `Reads ${ratio} % · Pattern ${pattern}`),
		),
	);
	await page.getByLabel("Pattern", { exact: true }).and(page.locator("select")).selectOption({ label: "zipf" });
	assert.deepEqual(await names(), ["Reads 50 %", "Reads 80 %"]);
	assert.equal(await viewer.status(), "18 reports · 6 chosen · 2 parameter sets");
	assert.equal((await viewer.lines()).length, 2);
	await page
		.getByLabel("Pattern", { exact: true })
		.and(page.locator("select"))
		.selectOption({ label: "any, averaged" });
	assert.deepEqual(
		(await viewer.table("compared")).slice(1).map((row) => [row[0].trim(), row[1]]),
		[
			["Reads 50 %", "9"],
			["Reads 80 %", "9"],
		],
	);
	await page.getByLabel("nothing: each set by itself").check();
	assert.deepEqual(await names(), ["Reads 50 %", "Reads 80 %"]);
	await viewer.end();
});

test("rounds: mean, sum and each, with a band from least to most", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "1.xml": report({ seed: 1 }), "2.xml": report({ seed: 2 }), "3.xml": report({ seed: 3 }) });
	assert.equal(await viewer.status(), "3 reports · 1 parameter set");
	assert.match(await page.textContent("#parameters, #sidebar fieldset >> nth=0"), /rounds of one run/);
	assert.equal(await page.locator("#chart-place path[fill-opacity]").count(), 1);
	const total = (rows) => rows.slice(1).reduce((sum, row) => sum + Number(row[2]), 0);
	const mean = await viewer.csv("save-csv");
	assert.equal(mean[0][2], "all reports (mean of 3)");
	assert.ok(Math.abs(total(mean) - 4000) < 1e-6);
	await viewer.set("rounds-sum");
	assert.equal(total(await viewer.csv("save-csv")), 12_000);
	await viewer.set("band", false);
	assert.equal(await page.locator("#chart-place path[fill-opacity]").count(), 0);
	await viewer.set("rounds-each");
	assert.equal((await viewer.lines()).length, 3);
	assert.equal(await page.isDisabled("#band"), true);
	const each = await viewer.csv("save-csv");
	assert.deepEqual(each[0].slice(2), ["1.xml", "2.xml", "3.xml"]);
	assert.equal(total(each), 4000);
	await viewer.end();
});

test("reads, writes and classes", async () => {
	const viewer = await browser.open();
	await viewer.addPaths(PAPER);
	const accesses = async () =>
		(await viewer.table("compared"))
			.slice(1)
			.map((row) => `${row[0].trim()}: ${row[2].replaceAll("\u202f", "")}`);
	await viewer.set("type-read");
	assert.deepEqual(await accesses(), ["report.xml: 2666120"]);
	await viewer.set("kind-major");
	assert.deepEqual(await accesses(), ["report.xml: 2005604"]);
	await viewer.set("type-each");
	assert.deepEqual(await accesses(), ["reads: 2005604", "writes: 2006486"]);
	await viewer.set("kind-each");
	assert.equal((await accesses()).length, 6);
	await viewer.set("type-both");
	assert.deepEqual(await accesses(), [
		"hits: 1322119",
		"minor: 2",
		"major: 4012090",
	]);
	await viewer.end();
});

test("what the original pmbench wrote is shown beside ours", async () => {
	const viewer = await browser.open();
	const fixtures = ["linear-r100", "normal-j2-r80-cold", "uniform", "uniform-swap"];
	await viewer.addPaths(...fixtures.map((name) => `tests/fixtures/pmbench-original/${name}.xml`), PAPER);
	assert.deepEqual(await viewer.refused(), []);
	const runs = await viewer.table("reports");
	assert.equal(runs[1][6], "pmbench 0.9 (original)");
	assert.match(runs[1][2], /^2026-11-20 \d\d:\d\d:\d\d \(end\)$/);
	await viewer.page.getByLabel("nothing: each set by itself").check();
	await viewer.set("rounds-each");
	const rows = await viewer.table("compared");
	for (const name of fixtures) {
		const text = read(`tests/fixtures/pmbench-original/${name}.xml`);
		const samples = [...text.matchAll(/<sum_count>(\d+)</g)].reduce((sum, [, count]) => sum + Number(count), 0);
		const row = rows.find(([series]) => series.includes(`${name}.xml`));
		assert.equal(row[2].replaceAll("\u202f", ""), String(samples), name);
		assert.match(row[3], /^[\d.]+[kM]?\/s/, name);
	}
	await viewer.page.click("#runs #same > summary");
	assert.match(
		await viewer.page.textContent("#environment"),
		/1 of 5 runs find their results trustworthy; others give no verdict/,
	);
	await viewer.end();
});

test("environment: warnings with advice, verdicts with reasons", async () => {
	const viewer = await browser.open();
	const environment =
		'<check code="hypervisor"><measured>KVM</measured><advice>compare only with the same guests</advice></check>' +
		'<check code="new-one"><finding>said by the report</finding><measured>7</measured><advice>do this</advice></check>';
	await viewer.add({
		"a.xml": report({ environment }),
		"b.xml": report({ seed: 2, status: "untrustworthy" }),
		"c.xml": report({ seed: 3, status: "interrupted" }),
	});
	const text = await viewer.page.textContent("#environment");
	assert.match(text, /untrustworthy b\.xmlinexact 3 faults are not accounted to an access/);
	assert.match(text, /interrupted c\.xml/);
	assert.match(text, /1 of 3 runs find their results trustworthy/);
	assert.deepEqual((await viewer.table("warnings")).slice(1), [
		["hypervisorthe machine is a guest", "KVM", "a.xml", "compare only with the same guests"],
		["new-onesaid by the report", "7", "a.xml", "do this"],
	]);
	assert.deepEqual(await viewer.page.locator("#compared .badge").allTextContents(), [
		"1 untrustworthy",
		"1 interrupted",
	]);
	await viewer.end();
});

test("what differs is set off, what is the same stands once", async () => {
	const viewer = await browser.open();
	await viewer.add({
		"a.xml": report({ host: "alpha" }),
		"b.xml": report({ seed: 2, host: "beta", kernel: "6.13.0", memory: 32 }),
	});
	assert.deepEqual(await viewer.page.locator("#reports td.differs").allTextContents(), [
		"alpha",
		"6.12.0",
		"beta",
		"6.13.0",
	]);
	assert.deepEqual((await viewer.table("differing")).slice(1), [
		["Host", "alpha", "beta"],
		["Kernel", "6.12.0", "6.13.0"],
		["Memory", "16 GiB", "32 GiB"],
	]);
	await viewer.page.click("#same > summary");
	assert.match(await viewer.page.textContent("#same"), /Patternuniform.*CPUTest CPU.*vm\.swappiness60/);
	await viewer.end();
});

test("reports are closed one by one or all, and can be opened again", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	const files = { "a.xml": report(), "b.xml": report({ seed: 2 }) };
	await viewer.add(files);
	await viewer.add({ "c.xml": files["a.xml"] });
	assert.deepEqual(await viewer.refused(), ["c.xml: the same as a.xml, which is open: shown once"]);
	await page.click("#dismiss");
	await page.getByTitle("Close a.xml").click();
	assert.equal(await viewer.status(), "1 report · 1 parameter set");
	await viewer.add({ "c.xml": files["a.xml"], "b.xml": report({ seed: 4 }) });
	assert.deepEqual(await page.locator("#reports .file").allTextContents(), ["b.xml", "c.xml", "b.xml (2)"]);
	await page.click("#close-all");
	assert.equal(await page.isVisible("#welcome .drop"), true);
	await viewer.add(files);
	assert.equal(await viewer.status(), "2 reports · 1 parameter set");
	await viewer.end();
});

test("the whole report is there, of other tools and versions, too", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	const result =
		'<paths><path index="0"><method>pwrite</method><p99_ns>12</p99_ns></path>' +
		'<path index="1"><method>mmap</method><p99_ns>34</p99_ns></path></paths>' +
		"<future_number>42</future_number>";
	const text = report({ root: "memtrace", result, intervals: 3 })
		.replace("<tool>pmbench</tool>", "<tool>memtrace</tool>")
		.replace("<report_version>1.0", "<report_version>1.9")
		.replaceAll('type="write"', 'type="flush"')
		.replace("<seconds>1</seconds>", "<seconds>1</seconds><word>new</word>");
	await viewer.add({ "trace.xml": text });
	assert.deepEqual(await viewer.refused(), []);
	assert.equal((await viewer.table("reports"))[1][6], "memtrace 0.1.0");
	assert.deepEqual(await page.locator("#type label").allTextContents(), ["reads", "flush", "both", "each"]);
	await page.locator("#details summary", { hasText: "Result" }).click();
	await page.waitForSelector("#details details[open] table");
	assert.deepEqual(
		await page
			.locator("#details details[open] table tr")
			.evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))),
		[
			["Element", "path 0", "path 1"],
			["method", "pwrite", "mmap"],
			["p99_ns", "12", "34"],
		],
	);
	assert.match(await page.textContent("#details details[open] dl"), /future_number42/);
	await page.locator("#details summary", { hasText: "Signature" }).click();
	await page.waitForSelector("#details pre");
	assert.match(await page.textContent("#details"), /pmbench -f 'a b\.xml'/);
	await viewer.end();
});

test("reports without histograms have their totals", async () => {
	const viewer = await browser.open();
	const text = report().replace(/<statistics>[^]*<\/statistics>/, "<statistics/>");
	await viewer.add({ "touch.xml": text });
	assert.match((await viewer.table("compared"))[1].join(), /^touch\.xml,1,[\d.]+k\/s/);
	assert.equal(await viewer.page.isDisabled("#chart-histogram"), true);
	assert.equal(await viewer.page.isChecked("#chart-compare"), true);
	await viewer.end();
});

test("a page with reports in it shows them at once", async () => {
	const page = filled([
		{ name: "x/a.xml", xml: report({ options: { jobs: "2" } }) },
		{ name: "b.xml", xml: report({ seed: 2 }) },
		{ name: "c.xml", xml: "<a>" },
		{ no: 1 },
		null,
	]);
	const viewer = await browser.open({ html: browser.file("page.html", page) });
	await viewer.page.waitForFunction(() => document.title.includes("2 reports"));
	assert.deepEqual(await viewer.page.locator("#reports .file").allTextContents(), ["x/a.xml", "b.xml"]);
	assert.deepEqual(
		(await viewer.refused()).map((line) => line.replace(/XML: .*/, "XML")),
		["c.xml:1: not well-formed XML", "report 4: the file is empty", "report 5: the file is empty"],
	);
	await viewer.end();
});

test("memstor html makes such a page", needsHtml, async () => {
	const output = join(browser.folder, "made.html");
	html(browser.folder, "--title", "Monday <b>", "-o", output, join(top, PAPER), join(top, "tests/golden/pmbench-report.xml"));
	const viewer = await browser.open({ html: output });
	await viewer.page.waitForFunction(() => /^2 reports/.test(document.querySelector("#status").textContent));
	assert.deepEqual(await viewer.refused(), []);
	assert.equal(await viewer.page.title(), "Monday <b>");
	assert.equal(await viewer.page.textContent("h1"), "Monday <b> – memstor");
	await viewer.end();
});
