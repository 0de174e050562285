// SPDX-License-Identifier: GPL-3.0-or-later
// Reports that want to be more than data, and files that are none: each is refused in one line or shown as text.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, read } from "./browser.js";
import { escape, report } from "./reports.js";

/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'`</style></textarea>{{7*7}}";

/** @param {import("./browser.js").Viewer} viewer */
async function assertHarmless(viewer) {
	const { page } = viewer;
	assert.equal(
		await page.evaluate(
			() => document.querySelectorAll('img, iframe, object, embed, script:not([type="application/json"])').length,
		),
		1,
	);
	assert.equal(
		await page.evaluate(
			() =>
				[...document.querySelectorAll("*")].filter((element) =>
					[...element.attributes].some(({ name }) => name.startsWith("on")),
				).length,
		),
		0,
	);
	assert.equal(await page.evaluate(() => Object.getOwnPropertyNames(Object.prototype).length), 12);
}

test("markup in every text is text", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	page.on("dialog", (dialog) => viewer.errors.push(`dialog ${dialog.message()}`));
	const bad = escape(EVIL);
	const wish = {
		options: { pattern: EVIL, [EVIL]: EVIL },
		labels: { [EVIL]: EVIL, run: EVIL },
		host: EVIL,
		kernel: EVIL,
		intervals: 3,
		status: "untrustworthy",
		environment: `<check code="${bad}"><finding>${bad}</finding><measured>${bad}</measured><advice>${bad}</advice></check>`,
		result: `<x y="${bad}">${bad}</x>`,
	};
	const text = report(wish)
		.replaceAll("vmstat.pswpin", bad)
		.replaceAll("vm.swappiness", bad)
		.replace("3 faults are", `${bad} are`)
		.replaceAll('class="minor"', `class="${bad}"`);
	await viewer.add({ [`${EVIL.replaceAll("/", "")}.xml`]: text, "b.xml": report({ seed: 2, intervals: 3 }) });
	assert.deepEqual(await viewer.refused(), []);
	for (const chart of ["histogram", "cdf", "percentiles", "time", "heatmap", "spent", "compare"]) {
		await viewer.set(`chart-${chart}`);
		if (chart === "time") {
			await page.click("#counters > summary");
			await page.locator(".counter-list input").last().check();
			await page.click("#counters > summary");
		}
		await page.hover("#chart-place");
		await viewer.download("save-png");
	}
	for (const summary of await page
		.locator("#details > details > summary, #runs details > summary, #chart-data > summary")
		.all())
		await summary.click();
	await page.waitForFunction(() =>
		[...document.querySelectorAll("#details .part")].every((part) => part.hasChildNodes()),
	);
	assert.ok((await page.textContent("#runs")).includes(EVIL));
	assert.ok((await page.textContent("#environment")).includes(EVIL));
	assert.ok((await page.textContent("#details")).includes(EVIL));
	await assertHarmless(viewer);
	await viewer.end();
});

test("__proto__ and its kin are names like any other", async () => {
	const viewer = await browser.open();
	const names = { __proto__x: "1" };
	for (const name of ["constructor", "toString", "hasOwnProperty", "valueOf"]) names[name] = "1";
	const make = (value, seed) =>
		report({ seed, options: names, labels: names, intervals: 2 })
			.replaceAll("__proto__x", "__proto__")
			.replaceAll('"toString">1', `"toString">${value}`)
			.replaceAll("vmstat.pgmajfault", "__proto__");
	await viewer.add({ ["__proto__"]: make("1", 1), constructor: make("2", 2), hasOwnProperty: make("3", 3) });
	assert.deepEqual(await viewer.refused(), []);
	assert.equal(await viewer.status(), "3 reports · 3 parameter sets");
	assert.deepEqual(await viewer.page.locator("#reports .file").allTextContents(), [
		"__proto__",
		"constructor",
		"hasOwnProperty",
	]);
	await viewer.page.click("#same > summary");
	assert.match(await viewer.page.textContent("#same"), /__proto__1/);
	await viewer.set("chart-time");
	await viewer.page.click("#counters > summary");
	await viewer.page.getByLabel("__proto__").check();
	assert.equal((await viewer.lines()).length, 6);
	await assertHarmless(viewer);
	await viewer.end();
});

test("huge and tiny numbers are shown as they are", async () => {
	const viewer = await browser.open();
	const statistics = [
		'<statistics><latency_histogram type="read" class="all" layout="log16" unit="ns">',
		"<summary><count>18446744073709551615</count><min_ns>1e-300</min_ns>",
		"<mean_ns>1e300</mean_ns><stddev_ns>1e308</stddev_ns><max_ns>1e308</max_ns></summary>",
		'<bucket lo="0" hi="256" count="18446744073709551614"/>',
		'<bucket lo="1073741824" count="1"/></latency_histogram></statistics>',
	].join("");
	await viewer.add({
		"a.xml": report({ intervals: 2 })
			.replace(/<statistics>[^]*<\/statistics>/, statistics)
			.replace(/(<accesses_per_second>)[^<]*/g, "$19e299"),
	});
	assert.deepEqual(await viewer.refused(), []);
	assert.equal((await viewer.table("compared"))[1][2].replaceAll("\u202f", ""), "18446744073709551615");
	assert.deepEqual((await viewer.csv("save-csv")).slice(1), [
		["0", "256", "18446744073709551614"],
		["1073741824", "", "1"],
	]);
	for (const chart of ["cdf", "percentiles", "time", "heatmap", "spent", "compare"])
		await viewer.set(`chart-${chart}`);
	assert.doesNotMatch(await viewer.page.locator("#chart-place").innerHTML(), /NaN|Infinity/);
	await viewer.end();
});

test("texts of any length and direction stay in their place", async () => {
	const viewer = await browser.open({ options: { viewport: { width: 800, height: 600 } } });
	const long = "x".repeat(8000),
		turned = "\u202egnol\u202c";
	await viewer.add({
		"a.xml": report({ options: { pattern: long, shape: turned }, labels: { [long]: long }, host: turned }),
		"b.xml": report({ seed: 2, intervals: 2 }),
	});
	assert.deepEqual(await viewer.refused(), []);
	assert.equal(await viewer.page.evaluate(() => document.documentElement.scrollWidth), 800);
	await viewer.end();
});

test("many elements are cut, not shown for ever", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	const result =
		Array.from({ length: 3000 }, (_, i) => `<a${i}>1</a${i}>`).join("") +
		Array.from({ length: 100 }, () => "<thing><x>1</x></thing>").join("");
	await viewer.add({ "a.xml": report({ result }) });
	await page.locator("#details summary", { hasText: "Result" }).click();
	await page.waitForSelector("#details dl");
	assert.match(await page.textContent("#details"), /2000 more are not shown\./);
	assert.match(await page.textContent("#details"), /Not all of 100 × 1 values are shown\./);
	await viewer.end();
});

const good = report({ intervals: 2 });
/** Line of the first place where a text differs from the good one. @param {string} text */
const line = (text) =>
	text
		.slice(
			0,
			[...text].findIndex((c, i) => c !== good[i]),
		)
		.split("\n").length;
const swap = (from, to) => good.replace(from, () => to);
/** Each with its one line; the line number is that of the first change. */
const BAD = {
	"empty.xml": ["", "the file is empty"],
	"text.xml": ["once upon a time", /^1: not well-formed XML/],
	"truncated.xml": [good.slice(0, 5000), /^\d+: not well-formed XML/],
	"doctype.xml": [
		'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><pmbenchmark>&c;</pmbenchmark>',
		"a report has no document type and no entities",
	],
	"entity.xml": [swap("uniform", "&lol;"), /^\d+: not well-formed XML/],
	"utf16.xml": [Buffer.from("\ufeff<a/>", "utf16le"), "a report has no zero bytes: is it UTF-16 or no text?"],
	"latin1.xml": [Buffer.from("<a>\xe4</a>", "latin1"), "not UTF-8"],
	"root.xml": [
		"<html/>",
		"1: <html> is no report: allowed are <pmbenchmark>, <iowritebench>, <ssdworkloads>, <memtrace> and <withpressure>",
	],
	"hollow.xml": ["<memtrace/>", "1: <memtrace> has no <report>"],
	"newer.xml": [
		swap("<report_version>1.0", "<report_version>2.0"),
		"LINE: report format 2.0 is newer than this page, which reads up to 1.x: use a newer viewer",
	],
	"version.xml": [
		swap("<report_version>1.0", "<report_version>one"),
		"LINE: <report_version> is 'one': allowed are versions like 1.0",
	],
	"verdict.xml": [
		swap('status="ok"', 'status="fine"'),
		'LINE: status="fine" of <verdict>: allowed are ok, interrupted and untrustworthy',
	],
	"twice.xml": [swap("<verdict", '<verdict status="ok"/>\n<verdict'), /^\d+: a second <verdict> in one <report>$/],
	"sum.xml": [
		good.replace(/<count>(\d+)<\/count>/, "<count>7</count>"),
		/^\d+: the buckets hold \d+ in all, the <summary> says 7$/,
	],
	"number.xml": [
		good.replace(/<mean_ns>[^<]*/, "<mean_ns>nan"),
		/^\d+: <mean_ns> is 'nan': allowed are finite numbers$/,
	],
	"overflow.xml": [
		good.replace(/<max_ns>[^<]*/, "<max_ns>1e999"),
		/^\d+: <max_ns> is '1e999': allowed are finite numbers$/,
	],
	"order.xml": [good.replace(/<min_ns>[^<]*/, "<min_ns>1e12"), /^\d+: min_ns is above max_ns$/],
	"count.xml": [
		good.replace(/count="\d+"\/>/, 'count="-1"/>'),
		/^\d+: count="-1" of <bucket>: allowed are whole numbers from 0 to 2\^64-1$/,
	],
	"edge.xml": [
		good.replace(/<bucket lo="\d+" hi="\d+"/, '<bucket lo="9" hi="8"'),
		/^\d+: <bucket> ends at 8 and begins at 9: it must end above$/,
	],
	"overlap.xml": [
		good.replace(/(<bucket lo=")(\d+)(" hi="\d+" count="\d+"\/>\n<bucket lo=")(\d+)/, "$1$2$30"),
		/^\d+: <bucket> from 0 begins below the end of the one before it, \d+$/,
	],
	"open.xml": [
		good.replace(/(<bucket lo="\d+") hi="\d+"/, "$1"),
		/^\d+: a <bucket> behind the one without hi, which is the last$/,
	],
	"unit.xml": [swap('unit="ns"', 'unit="us"'), 'LINE: unit="us" of <latency_histogram>: allowed is ns'],
	"nameless.xml": [swap('<option name="mapsize">', "<option>"), /^\d+: <option> has no name$/],
	"counter.xml": [
		good.replace(/(<counter name="vmstat.pswpin" value=")\d+/, "$1many"),
		/^\d+: <counter> needs a name and a value that is a number$/,
	],
	"deep.xml": [
		`<pmbenchmark>${"<a>".repeat(70)}${"</a>".repeat(70)}</pmbenchmark>`,
		"elements are nested more than 64 deep",
	],
	"wide.xml": [`<pmbenchmark a="${"x".repeat(70_000)}"/>`, "more than 64 KiB from one tag to the next"],
};

test("bad files: one clear line each, with the line of the file; the others are shown", async () => {
	const viewer = await browser.open();
	await viewer.add({
		...Object.fromEntries(Object.entries(BAD).map(([name, [content]]) => [name, content])),
		"good.xml": good,
	});
	assert.equal(await viewer.status(), "1 report · 1 parameter set");
	const refused = await viewer.refused();
	assert.equal(refused.length, Object.keys(BAD).length);
	assert.equal(await viewer.page.textContent("#refused h2"), `${refused.length} files not shown`);
	Object.entries(BAD).forEach(([name, [content, wanted]], i) => {
		const rest = refused[i].slice(name.length + 1).trim();
		assert.ok(refused[i].startsWith(`${name}:`), refused[i]);
		assert.ok(!refused[i].includes("\n"));
		if (wanted instanceof RegExp) assert.match(rest, wanted, name);
		else
			assert.equal(
				rest,
				wanted.includes("LINE") ? wanted.replace("LINE", String(line(content))) : wanted,
				name,
			);
		if (/^\d+: (?!not)/.test(rest) && typeof content === "string" && content.length > 2000)
			assert.ok(
				Math.abs(Number(rest.split(":")[0]) - line(content)) <= 260,
				`${name}: line ${rest.split(":")[0]}, changed was ${line(content)}`,
			);
	});
	await viewer.end();
});

test("the original's histograms obey the same laws", async () => {
	const viewer = await browser.open(),
		text = read("tests/fixtures/pmbench-original/uniform.xml");
	await viewer.add({
		"sum.xml": text.replace(/<sum_count>\d+<\/sum_count>(\s*<bucket_hexes>)/, "<sum_count>1</sum_count>$1"),
		"gap.xml": text.replace("<interval_lo>9</interval_lo>", "<interval_lo>10</interval_lo>"),
		"hex.xml": text.replace('<hex index="3">', '<hex index="4">'),
	});
	assert.deepEqual(
		(await viewer.refused()).map((one) =>
			one.replace(/:\d+: (the parts hold) \d+/, ":N: $1 N").replace(/:\d+: /, ":N: "),
		),
		[
			"sum.xml:N: the parts hold N in all, <sum_count> says 1",
			"gap.xml:N: from 2^10 to 2^10 ns: allowed is from 2^9 up, to 2^32 at most",
			"hex.xml:N: <hex> 4 where 3 of 0 to 15 is due",
		],
	);
	await viewer.end();
});

test("a file of more than 64 MiB is refused without being read", async () => {
	const viewer = await browser.open();
	const path = browser.file("large.xml", "");
	const { truncateSync } = await import("node:fs");
	truncateSync(path, 2 ** 26 + 1);
	await viewer.page.setInputFiles("#files", path);
	await viewer.page.waitForSelector("#refused li");
	assert.deepEqual(await viewer.refused(), ["large.xml: larger than 64 MiB"]);
	await viewer.end();
});

test("fifty files", async () => {
	const viewer = await browser.open();
	/** @type {Record<string, string>} */
	const files = {};
	for (let i = 0; i < 50; i++)
		files[`${i}.xml`] = report({
			seed: i + 1,
			accesses: 500,
			intervals: 2,
			options: { jobs: String(1 + (i % 10)), ratio: String(i % 5) },
			host: `host${i % 25}`,
		});
	await viewer.add(files);
	assert.match(await viewer.status(), /^50 reports · \d+ chosen · \d+ parameter sets$/);
	assert.deepEqual(await viewer.refused(), []);
	assert.equal((await viewer.table("reports")).length, 51);
	const lines = (await viewer.lines()).length;
	assert.ok(lines > 1 && lines <= 12, `${lines} lines at first`);
	await viewer.set("rounds-each");
	for (const select of await viewer.page.locator(".parameter select:enabled").all())
		await select.selectOption("each");
	assert.equal(await viewer.status(), "50 reports");
	for (const chart of ["histogram", "cdf", "percentiles", "time", "spent", "compare"])
		await viewer.set(`chart-${chart}`);
	assert.equal((await viewer.table("compared")).length, 51);
	await viewer.end();
});
