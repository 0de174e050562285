// SPDX-License-Identifier: GPL-3.0-or-later
// The form of the page's sources, and what they may not do; one line a finding, "FILE:LINE: text". Types are checked
// by tsc.
//   node lint.mjs FILE...      files relative to the repository's root
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";

const COLUMNS_MAX = 132,
	FUNCTION_MAX = 60,
	FILE_MAX = 400;
/** Words by which a text of a report could become markup or code, or the page could reach a network. */
const FORBIDDEN = [
	/\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|srcdoc)\b/,
	/\bdocument\.write\b/,
	/\beval\s*\(|\bnew Function\b|\bimport\s*\(/,
	/\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|Worker)\b\s*\(/,
	/setAttribute\(\s*"(style|on\w+)"/,
];
let found = 0;

function finding(file, line, text) {
	console.log(`${file}:${line}: ${text}`);
	found++;
}

/** Functions begin at the left edge, methods one tab further; both end with a brace in their own column. */
function checkFunctions(file, lines) {
	let begin = 0,
		indent = "";

	lines.forEach((line, i) => {
		if (
			begin === 0 &&
			/^\t?(export )?(async )?(function )?[a-z]\w*\(.*\) \{$/i.test(line) &&
			!/^\t(if|for|while|switch)\b/.test(line)
		) {
			begin = i + 1;
			indent = line.startsWith("\t") ? "\t" : "";
		} else if (begin > 0 && line === `${indent}}`) {
			if (i - begin > FUNCTION_MAX)
				finding(file, begin, `function of ${i - begin} lines, allowed are ${FUNCTION_MAX}`);
			begin = 0;
		}
	});
}

function checkFile(file) {
	const text = readFileSync(file, "utf8"),
		lines = text.split("\n");
	const isPage = file.startsWith("memstor/viewer/src/");

	if (spawnSync(process.execPath, ["--check", file], { stdio: "inherit" }).status !== 0)
		finding(file, 1, "not JavaScript");
	if (!lines[0].includes("SPDX-License-Identifier: GPL-3.0-or-later"))
		finding(file, 1, "no SPDX-License-Identifier line");
	if (lines.length > FILE_MAX) finding(file, FILE_MAX, `file of ${lines.length} lines, allowed are ${FILE_MAX}`);
	lines.forEach((line, i) => {
		const columns = line.replace(/\t/g, "    ").length;
		if (columns > COLUMNS_MAX) finding(file, i + 1, `line of ${columns} columns, allowed are ${COLUMNS_MAX}`);
		if (isPage && !/^\s*\*|\/\*\*.*@/.test(line) && FORBIDDEN.some((word) => word.test(line)))
			finding(file, i + 1, "forbidden word (lint.mjs says why)");
		if (isPage && /\bDOMParser\b/.test(line) && !file.endsWith("/read/xml.js"))
			finding(file, i + 1, "DOMParser outside read/xml.js");
	});
	checkFunctions(file, lines);
}

process.argv.slice(2).forEach(checkFile);
process.exitCode = found > 0 ? 1 : 0;
