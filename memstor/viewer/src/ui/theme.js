// SPDX-License-Identifier: GPL-3.0-or-later
// Light or dark: as the system has it, until a person chooses. Paper is light.
import { DARK, LIGHT } from "../chart/palette.js";

const KEY = "memstor-theme";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
let isPrinting = false;

/** Storage may be forbidden to a page from a file. @returns {string} "system" "light" "dark" */
export function chosenTheme() {
	return document.documentElement.dataset.theme ?? "system";
}

/** @returns {import("../chart/palette.js").Theme} */
export function theme() {
	const chosen = chosenTheme();

	if (isPrinting) return LIGHT;
	return chosen === "dark" || (chosen === "system" && dark.matches) ? DARK : LIGHT;
}

/** @param {string} name */
export function chooseTheme(name) {
	if (name === "system") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = name;
	try {
		localStorage.setItem(KEY, name);
	} catch {
		/* The choice lasts as long as the page. */
	}
}

/** @param {() => void} changed */
export function startTheme(changed) {
	let kept = null;

	try {
		kept = localStorage.getItem(KEY);
	} catch {
		/* As if nothing was kept. */
	}
	if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
	dark.addEventListener("change", changed);
	for (const [event, value] of /** @type {const} */ ([
		["beforeprint", true],
		["afterprint", false],
	])) {
		window.addEventListener(event, () => {
			isPrinting = value;
			changed();
		});
	}
}
