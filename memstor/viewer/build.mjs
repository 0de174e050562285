// SPDX-License-Identifier: GPL-3.0-or-later
// Makes viewer.html, and THIRD-PARTY, from src/, style.css, page.html and what package-lock.json names. The same
// input gives the same bytes. Names and lines are kept, so that what is committed can be read and compared.
//   node build.mjs            writes both
//   node build.mjs --check    exits 1 when what is committed differs
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const read = (/** @type {string} */ name) => readFileSync(join(here, name), "utf8");
const hash = (/** @type {string} */ text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const options = {
	absWorkingDir: here,
	entryPoints: ["src/main.js"],
	bundle: true,
	format: "iife",
	target: ["es2022"],
	charset: "utf8",
	legalComments: "none",
	write: false,
	metafile: true,
	define: { THIRD_PARTY_NOTICES: '""' },
};

/** The packages whose code is in the bundle. */
function packagesOf(metafile) {
	const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
	const names = inputs
		.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
		.map(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);

	return [...new Set(names.filter(Boolean))].sort();
}

function noticeOf(name) {
	const folder = join("node_modules", name),
		{ version, license, homepage } = JSON.parse(read(join(folder, "package.json")));
	const file = readdirSync(join(here, folder)).find((one) => /^licen[cs]e/i.test(one));

	if (!file) throw new Error(`${name} has no licence file`);
	return `${name} ${version} (${license})\n${homepage}\n\n${read(join(folder, file)).trim()}\n`;
}

/** Like String.replace, but the text stands for itself, and the mark must be there once. */
function put(page, mark, text) {
	const parts = page.split(mark);

	if (parts.length !== 2) throw new Error(`page.html must have ${mark} once`);
	return parts.join(text);
}

const first = await build(options);
const notices = packagesOf(first.metafile).map(noticeOf).join("\n----\n\n");
const thirdParty = `viewer.html holds code of these packages; memstor's own is under GPL-3.0-or-later.\n\n${notices}`;
const bundle = await build({ ...options, define: { THIRD_PARTY_NOTICES: JSON.stringify(notices) } });
const script = `\n${bundle.outputFiles[0].text}`,
	style = `\n${read("style.css")}`;
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
	throw new Error("script or style would end before its end");
const policy = [
	"default-src 'none'",
	`script-src ${hash(script)}`,
	`style-src ${hash(style)}`,
	"img-src data:",
	"base-uri 'none'",
	"form-action 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types memstor-xml",
].join("; ");
const page = put(put(put(read("page.html"), "%POLICY%", policy), "%STYLE%", style), "%SCRIPT%", script);
if (page.split('id="memstor-reports">[]</script>').length !== 2)
	throw new Error("the place for reports must be there once");

let stale = false;
for (const [name, text] of [
	["viewer.html", page],
	["THIRD-PARTY", thirdParty],
]) {
	if (existsSync(join(here, name)) && read(name) === text) continue;
	stale = true;
	if (!process.argv.includes("--check")) writeFileSync(join(here, name), text);
	else
		console.error(
			`memstor/viewer/${name} is not what its sources make: run 'npm ci && npm run build' in memstor/viewer`,
		);
}
process.exitCode = stale && process.argv.includes("--check") ? 1 : 0;
