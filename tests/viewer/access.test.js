// SPDX-License-Identifier: GPL-3.0-or-later
// For everybody: by keyboard alone, with a screen reader's names and roles, light and dark, on a small screen, on paper.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, filled, read, top } from "./browser.js";
import { report } from "./reports.js";

const { source: axe } = createRequire(join(top, "memstor/viewer/package.json"))("axe-core");
/** @type {Browser} */
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

const CHARTS = ["histogram", "cdf", "percentiles", "time", "heatmap", "spent", "compare"];

function files() {
	const environment =
		'<check code="hypervisor"><measured>KVM</measured><advice>compare only with the same guests</advice></check>';
	return {
		"a.xml": report({ intervals: 6, environment }),
		"b.xml": report({ seed: 2, intervals: 6, options: { jobs: "2" }, status: "untrustworthy" }),
		"c.xml": report({
			seed: 3,
			intervals: 6,
			options: { jobs: "2", ratio: "80" },
			host: "beta",
			status: "interrupted",
		}),
		"bad.xml": "<a>",
	};
}

/** What axe finds wrong, one line a finding. @param {import("./browser.js").Viewer} viewer */
async function findings({ page }) {
	const result = await page.evaluate(() =>
		/** @type {any} */ (globalThis).axe.run(document, {
			runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
		}),
	);
	return result.violations.flatMap(({ id, help, nodes }) =>
		nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${node.failureSummary.split("\n")[1] ?? ""}`),
	);
}

for (const theme of ["light", "dark"]) {
	test(`${theme}: axe finds nothing, in any chart`, async () => {
		/* The page's policy lets no other script in; axe is one. */
		const viewer = await browser.open({ options: { colorScheme: theme, bypassCSP: true } }),
			{ page } = viewer;
		await page.evaluate(axe);
		assert.deepEqual(await findings(viewer), [], "empty");
		await viewer.add(files());
		for (const chart of CHARTS) {
			await viewer.set(`chart-${chart}`);
			if (chart === "time") await page.click("#counters > summary");
			assert.deepEqual(await findings(viewer), [], chart);
		}
		await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
		await page.waitForSelector("#details .part dl");
		assert.deepEqual(await findings(viewer), [], "all opened");
		await viewer.end();
	});
}

for (const theme of ["light", "dark"]) {
	test(`${theme}: axe finds nothing in a history`, async () => {
		const states = ["slower", "environment", "acknowledged", "taken back", "faster"];
		const change = { at: 1, size: "+10 %", interval: "", between: "a..b", date: "2026-01-02", why: "because" };
		const about = { metric: "wall", about: "kernel 6.18", unit: "ns", better: "lower", others: [], levels: [] };
		const points = [1, 2].map((day) => [`c${day}`, `2026-01-0${day}T08:00:00Z`, 4e6, 4e6, 5e6, 3]);
		const series = states.map((state) => ({ step: state, ...about, state, points, changes: [{ ...change, state }] }));
		const html = browser.file("history.html", filled([], null, { headline: "5 series", notes: ["a"], main: "main", series }));
		const viewer = await browser.open({ html, options: { colorScheme: theme, bypassCSP: true } });
		await viewer.page.evaluate(axe);
		await viewer.page.click("#history-data > summary");
		assert.deepEqual(await findings(viewer), []);
		await viewer.end();
	});
}

/** Presses Tab until the focus comes back; what it went through. @param {import("./browser.js").Viewer} viewer */
async function walk({ page }) {
	const seen = [];
	/* From the end of the page, so that the first is the first. */
	await page.focus("footer summary");
	await page.keyboard.press("Tab");
	for (let i = 0; i < 400; i++) {
		await page.keyboard.press("Tab");
		const at = await page.evaluate(() => {
			const element = document.activeElement,
				style = getComputedStyle(element),
				next = element.nextElementSibling;
			/* The outline of a segment is its label's. */
			const shown = element.matches(".radios input[type=radio]") && next ? getComputedStyle(next) : style;
			const area = element.getBoundingClientRect();
			return {
				isBody: element === document.body,
				id: element.id,
				name: element.getAttribute("name"),
				tag: element.tagName.toLowerCase(),
				text: (element.textContent ?? "").slice(0, 40),
				outline: shown.outlineStyle !== "none" && parseFloat(shown.outlineWidth) >= 2,
				isSeen: area.width > 0 && area.height > 0 && area.bottom > 0 && area.top < innerHeight,
			};
		});
		if (at.isBody) break;
		seen.push(at);
	}
	return seen;
}

test("every control is reached by Tab, seen, and has a visible focus", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add(files());
	await viewer.set("chart-time");
	await page.click("#counters > summary");
	const seen = await walk(viewer);
	for (const at of seen) {
		assert.ok(at.outline, `focus of ${at.tag} ${at.id} ${at.text} is not visible`);
		assert.ok(at.isSeen, `${at.tag} ${at.id} ${at.text} has the focus and is not on the screen`);
	}
	/* One of each group of radio buttons; the arrow keys do the rest. */
	const controls = await page.evaluate(() => {
		const groups = new Set();
		return [
			...document.querySelectorAll(
				"button:enabled, select:enabled, input:enabled:not([type=file]), summary, [tabindex='0']",
			),
		]
			.filter(
				(element) =>
					element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) &&
					!element.closest("details:not([open]) > :not(summary)"),
			)
			.filter((element) => {
				const name = element.getAttribute("type") === "radio" ? element.getAttribute("name") : null;
				return name === null || (!groups.has(name) && groups.add(name));
			}).length;
	});
	/* The link that skips the head comes on top. */
	assert.equal(seen.length, controls + 1);
	assert.equal(seen[0].text, "Skip to the charts");
	await viewer.end();
});

test("by keyboard alone: compare, switch, hide, save, close", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	const { "bad.xml": bad, ...good } = files();
	assert.ok(bad);
	await viewer.add(good);
	const key = (name) => page.keyboard.press(name),
		focused = () => page.evaluate(() => document.activeElement?.id);
	await page.focus("#chart-histogram");
	await key("ArrowRight");
	assert.equal(await focused(), "chart-cdf", "the focus stays when the page changes");
	assert.equal(await page.isChecked("#chart-cdf"), true);
	await key("ArrowRight");
	assert.equal(await focused(), "chart-percentiles");
	await page.focus("#x-axis-log");
	await key("ArrowLeft");
	assert.equal(await page.isChecked("#x-axis-linear"), true);
	await page.focus("#dimension-0-basis");
	const before = await page.textContent("#compared");
	await key("ArrowDown");
	assert.notEqual(await page.textContent("#compared"), before);
	assert.match(await focused(), /^dimension-\d-basis$/);
	await page.focus("#show-0");
	await key("Space");
	assert.equal((await viewer.lines()).length, 2);
	assert.equal(await focused(), "show-0");
	await page.focus("#chart-data > summary");
	await key("Enter");
	await page.waitForSelector("#data");
	await page.focus("#save-csv");
	const [download] = await Promise.all([page.waitForEvent("download"), key("Enter")]);
	assert.equal(download.suggestedFilename(), "memstor-percentiles.csv");
	await page.focus("#details-of-1");
	await key("Enter");
	assert.equal(await page.locator("#details-report option:checked").textContent(), "b.xml");
	assert.equal(await focused(), "details-report");
	await page.focus("#close-all");
	await key("Enter");
	assert.equal(await page.isVisible("#welcome .drop"), true);
	assert.equal(await focused(), "open-first");
	const [chooser] = await Promise.all([
		page.waitForEvent("filechooser"),
		page.focus("#open-first").then(() => key("Enter")),
	]);
	assert.equal(chooser.isMultiple(), true);
	await viewer.end();
});

test("what is not shown is announced, and can be dismissed", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "bad.xml": "<a>" });
	assert.equal(await page.getAttribute("#refused", "aria-live"), "polite");
	assert.equal(await page.getAttribute("#status", "role"), "status");
	await page.focus("#dismiss");
	await page.keyboard.press("Enter");
	assert.equal(await page.locator("#refused li").count(), 0);
	assert.equal(await page.evaluate(() => document.activeElement.id), "open-first");
	await viewer.end();
});

test("light, dark and as the system has it", async () => {
	const viewer = await browser.open({ options: { colorScheme: "dark" } }),
		{ page } = viewer;
	await viewer.add(files());
	const grounds = () =>
		page.evaluate(() =>
			[
				getComputedStyle(document.body).backgroundColor,
				document.querySelector("#chart-place svg rect:not(clipPath rect)").getAttribute("fill"),
			].join(),
		);
	const dark = await grounds();
	assert.equal(dark, "rgb(18, 20, 23),#191c20");
	await viewer.set("theme-light");
	const light = await grounds();
	assert.equal(light, "rgb(245, 246, 247),#ffffff");
	await page.emulateMedia({ colorScheme: "light" });
	await viewer.set("theme-dark");
	assert.equal(await grounds(), dark);
	await page.reload();
	assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "the choice is kept");
	await viewer.set("theme-system");
	assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(245, 246, 247)");
	await page.emulateMedia({ colorScheme: "dark" });
	assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(18, 20, 23)");
	viewer.requests.length = 1;
	await viewer.end();
});

for (const width of [320, 768, 1024, 1920]) {
	test(`${width} px wide: nothing is cut off, nothing scrolls sideways but tables`, async () => {
		const viewer = await browser.open({ options: { viewport: { width, height: 700 } } }),
			{ page } = viewer;
		const cutOff = () =>
			page.evaluate(() => {
				const edge = document.documentElement.clientWidth;
				return [...document.querySelectorAll("body *")]
					.filter((element) => {
						const area = element.getBoundingClientRect();
						return (
							area.width > 0 &&
							area.right > edge + 1 &&
							!element.closest(".scroll, .hidden, .counter-list, clipPath, #chart-place svg g")
						);
					})
					.map((element) => `${element.tagName} ${element.id} ${element.className}`);
			});
		assert.deepEqual(await cutOff(), []);
		await viewer.add(files());
		for (const chart of CHARTS) {
			await viewer.set(`chart-${chart}`);
			if (chart === "time") await page.click("#counters > summary");
			assert.deepEqual(await cutOff(), [], chart);
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, chart);
			assert.ok(Number(await page.getAttribute("#chart-place > svg", "width")) <= width);
		}
		await viewer.end();
	});
}

test("the chart follows the window's size", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	await viewer.add({ "a.xml": report() });
	const width = () => page.getAttribute("#chart-place > svg", "width").then(Number);
	const before = await width();
	await page.setViewportSize({ width: 600, height: 700 });
	await page.waitForFunction(
		(old) => Number(document.querySelector("#chart-place > svg").getAttribute("width")) < old - 100,
		before,
	);
	await viewer.end();
});

test("on paper: light, without controls, tables whole", async () => {
	const viewer = await browser.open({ options: { colorScheme: "dark" } }),
		{ page } = viewer;
	await viewer.add(files());
	await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
	await page.emulateMedia({ media: "print" });
	assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
	assert.equal(await page.locator("#chart-place svg > rect").getAttribute("fill"), "#ffffff");
	for (const id of ["#actions", "#sidebar", "#chart-settings", "#save-csv"])
		assert.equal(await page.isVisible(id), false, id);
	for (const id of ["#chart-place", "#compared", "#reports", "#warnings"])
		assert.equal(await page.isVisible(id), true, id);
	assert.equal(
		await page.locator("#reports").evaluate((table) => getComputedStyle(table.parentElement).overflowX),
		"visible",
	);
	assert.ok((await page.pdf()).length > 20_000);
	await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
	await page.emulateMedia({ media: "screen" });
	assert.equal(await page.locator("#chart-place svg > rect").getAttribute("fill"), "#191c20");
	await viewer.end();
});

test("the page's policy forbids the network, markup from texts, and foreign scripts", async () => {
	const viewer = await browser.open(),
		{ page } = viewer;
	const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(
		read("memstor/viewer/viewer.html"),
	)[1];
	assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; /);
	assert.doesNotMatch(policy, /unsafe|http|\*/);
	const tried = await page.evaluate(async () => {
		const tries = {
			fetch: () => fetch("https://example.org/"),
			inner: () => (document.createElement("div")["inner" + "HTML"] = "<b>x</b>"),
			parser: () => new DOMParser().parseFromString("<a/>", "text/html"),
			script: () => {
				const script = document.createElement("script");
				script.text = "globalThis.ran = true";
				document.body.append(script);
			},
		};
		const result = {};
		for (const [name, run] of Object.entries(tries))
			result[name] = await Promise.resolve()
				.then(run)
				.then(
					() => "done",
					() => "refused",
				);
		return result;
	});
	assert.deepEqual(tried, { fetch: "refused", inner: "refused", parser: "refused", script: "refused" });
	await page.context().close();
});
