// SPDX-License-Identifier: GPL-3.0-or-later
// A headless Chromium with the committed page in it, as a person has it: from a file, without a network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const top = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const require = createRequire(join(top, "memstor/viewer/package.json"));
const { chromium } = require("playwright-core");
const VIEWER = join(top, "memstor/viewer/viewer.html");

/** @param {string} path of the repository */
export function read(path) {
	return readFileSync(join(top, path), "utf8");
}

const PYTHON = process.env.PYTHON ?? "/usr/bin/python3";
/** Of a test that calls memstor html. */
export const needsHtml = {
	skip: spawnSync(PYTHON, ["-c", "import lxml, numpy, scipy"]).status === 0 ? false : "needs memstor's Python packages",
};

/** Calls memstor html in a folder. @param {string} folder @param {...string} args */
export function html(folder, ...args) {
	const made = spawnSync(PYTHON, ["-m", "memstor", "html", ...args], {
		encoding: "utf8",
		cwd: folder,
		env: { ...process.env, PYTHONPATH: top },
	});

	assert.equal(made.status, 0, made.stderr);
}

/**
 * The viewer as memstor html fills it.
 * @param {object[]} reports
 * @param {object | null} [summary]
 * @param {object | null} [history]
 */
export function filled(reports, summary = null, history = null) {
	const put = (/** @type {string} */ page, /** @type {string} */ id, /** @type {string} */ empty, /** @type {unknown} */ data) =>
		page.replace(`id="memstor-${id}">${empty}<`, () => {
			return `id="memstor-${id}">${JSON.stringify(data).replaceAll("<", "\\u003c")}<`;
		});

	const page = put(read("memstor/viewer/viewer.html"), "summary", "null", summary);
	return put(put(page, "history", "null", history), "reports", "[]", reports);
}

/** The same for all tests of a file; closed by close(). */
export class Browser {
	static async start() {
		const self = new Browser();
		self.folder = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "memstor-viewer."));
		self.chromium = await chromium.launch({
			executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
			/* Its sandbox needs what containers and root do not have; the only page is ours. */
			args: ["--no-sandbox", "--force-color-profile=srgb"],
		});
		return self;
	}

	async close() {
		await this.chromium.close();
		rmSync(this.folder, { recursive: true });
	}

	/** @param {string} name @param {string | Buffer} content @returns {string} path */
	file(name, content) {
		const path = join(this.folder, name);
		writeFileSync(path, content);
		return path;
	}

	/**
	 * @param {{ html?: string, options?: object }} [wish] html: another page than the empty viewer
	 * @returns {Promise<Viewer>}
	 */
	async open({ html, options = {} } = {}) {
		const context = await this.chromium.newContext({
			viewport: { width: 1280, height: 900 },
			acceptDownloads: true,
			...options,
		});
		const page = await context.newPage(),
			viewer = new Viewer(this, page);
		page.setDefaultTimeout(15_000);
		page.on("request", (request) => viewer.requests.push(request.url()));
		page.on("pageerror", (error) => viewer.errors.push(String(error)));
		page.on("console", (message) => message.type() === "error" && viewer.errors.push(message.text()));
		await page.goto(pathToFileURL(html ?? VIEWER).href);
		return viewer;
	}
}

export class Viewer {
	constructor(browser, page) {
		this.browser = browser;
		this.page = page;
		/** @type {string[]} */
		this.requests = [];
		/** @type {string[]} */
		this.errors = [];
	}

	/** @param {Record<string, string | Buffer>} files by name */
	async add(files) {
		const before = await this.status();
		await this.page.setInputFiles(
			"#files",
			Object.entries(files).map(([name, content]) => ({
				name,
				mimeType: "text/xml",
				buffer: Buffer.from(content),
			})),
		);
		await this.page.waitForFunction((old) => {
			const now = document.querySelector("#status")?.textContent ?? "";
			return !now.startsWith("Reading") && (now !== old || document.querySelector("#refused li"));
		}, before);
	}

	/** Files of the repository. @param {...string} paths */
	async addPaths(...paths) {
		await this.page.setInputFiles(
			"#files",
			paths.map((path) => join(top, path)),
		);
		await this.page.waitForFunction(() =>
			/^\d+ report/.test(document.querySelector("#status")?.textContent ?? ""),
		);
	}

	/** As a drag from a file manager ends. @param {Record<string, string>} files by name */
	async drop(files) {
		const transfer = await this.page.evaluateHandle((all) => {
			const data = new DataTransfer();
			for (const [name, text] of all) data.items.add(new File([text], name, { type: "text/xml" }));
			return data;
		}, Object.entries(files));
		await this.page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
		await this.page.dispatchEvent("body", "drop", { dataTransfer: transfer });
		await this.page.waitForFunction(() =>
			/^\d+ report/.test(document.querySelector("#status")?.textContent ?? ""),
		);
	}

	/** @param {string} id of a radio button or check box @param {boolean} [isOn] */
	async set(id, isOn = true) {
		await this.page.locator(`#${id}`).setChecked(isOn, { force: true });
	}

	status() {
		return this.page.textContent("#status");
	}

	/** The lines that say what is not shown. */
	refused() {
		return this.page.locator("#refused li").allTextContents();
	}

	/** @param {string} id of a table @returns {Promise<string[][]>} texts, the head first */
	table(id) {
		return this.page
			.locator(`#${id} tr`)
			.evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
	}

	/** Lines of the chart, by their colour. */
	lines() {
		return this.page
			.locator("#chart-place path[data-line]:not([fill-opacity])")
			.evaluateAll((paths) => paths.map((path) => path.getAttribute("d") ?? ""));
	}

	/** Texts of the chart: marks and names of the axes. */
	chartTexts() {
		return this.page.locator("#chart-place svg text").allTextContents();
	}

	/** What a click on a button saves. @param {string} id @returns {Promise<{ name: string, bytes: Buffer }>} */
	async download(id) {
		const [download] = await Promise.all([this.page.waitForEvent("download"), this.page.click(`#${id}`)]);
		return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
	}

	/** @param {string} id @returns {Promise<string[][]>} */
	async csv(id) {
		return parseCsv((await this.download(id)).bytes.toString("utf8"));
	}

	/** Nothing was fetched but the page itself, and nothing went wrong. */
	async end() {
		assert.deepEqual(
			this.requests.filter((url) => !url.startsWith("data:") && !url.startsWith("blob:")).length,
			1,
			this.requests.join("\n"),
		);
		/* Chromium puts a style of its own into the document that describes an error of XML. */
		assert.deepEqual(
			this.errors.filter((text) => !/^Applying inline style violates/.test(text)),
			[],
		);
		await this.page.context().close();
	}
}

/** @param {string} text */
export function parseCsv(text) {
	/** @type {string[][]} */
	const rows = [[]];
	let rest = text;

	while (rest !== "") {
		const quoted = /^"((?:[^"]|"")*)"/.exec(rest),
			plain = /^[^,\r\n]*/.exec(rest);
		const raw = quoted ? quoted[0] : plain[0];
		rows[rows.length - 1].push(quoted ? quoted[1].replaceAll('""', '"') : raw);
		rest = rest.slice(raw.length);
		if (rest.startsWith("\r\n")) rows.push([]);
		rest = rest.replace(/^(,|\r\n)/, "");
	}
	return rows.filter((row) => row.length > 0);
}
