// SPDX-License-Identifier: GPL-3.0-or-later
import { el } from "./dom.js";

/** @type {string} put in by build.mjs */
const NOTICES = THIRD_PARTY_NOTICES;

export function about() {
	return [
		el(
			"p",
			{},
			"This page is part of memstor, free software under the GNU General Public License, version 3 or " +
				"later. It makes no connection: what you open stays in this browser.",
		),
		el("details", {}, el("summary", {}, "Licences of what it is made with"), el("pre", {}, NOTICES)),
	];
}
