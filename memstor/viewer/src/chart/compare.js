// SPDX-License-Identifier: GPL-3.0-or-later
// One number of every run, along the basis of the comparison: a dot a run, a mark at the mean, a bar over the extremes.
import { line as path } from "d3-shape";
import { drawnKinds, kindName } from "../model/lines.js";
import { metricsOf } from "../model/metrics.js";
import { domainOf, stroke } from "./chart.js";
import { formatNumber, formatUnit } from "./format.js";
import { makeFrame, plotOf } from "./frame.js";
import { colorOf, dashOf } from "./palette.js";
import { makeAxis, markNs, markNumber } from "./scales.js";
import { svg, textWidth } from "./svg.js";
import { readNumber } from "../read/numbers.js";
import { formatBytes, formatSeconds } from "../read/quantity.js";
import { branch, textIn } from "../read/tree.js";

/** @typedef {import("./chart.js").Scene} Scene */
/** @typedef {import("../model/groups.js").Group} Group */
/** @typedef {{ group: Group, column: number, values: number[], mean: number }} Point */
/** @typedef {{ label: string, color: string, dash: string, points: Point[] }} Track groups that differ in the basis only */

/**
 * @param {Scene} scene
 * @param {import("../model/metrics.js").Metric} metric
 */
function arrange({ groups, view, theme }, metric) {
	const type = view.type === "each" ? "both" : view.type;
	const kinds = metric.isLatency ? drawnKinds(groups, view.kind) : ["all"];
	const hasBasis = groups.some(({ basis }) => basis !== null);
	const columns = [
		...new Map(
			groups.map((group) => [
				hasBasis ? group.basis?.same : group.key,
				{
					text: hasBasis ? (group.basis?.text ?? "") : group.label,
					order: group.basis?.order ?? NaN,
				},
			]),
		).entries(),
	];
	/** @type {Map<string, Track>} */
	const tracks = new Map();

	for (const { group, kind } of groups.flatMap((one) => kinds.map((name) => ({ group: one, kind: name })))) {
		const name = [hasBasis ? group.rest : "", kinds.length > 1 ? kindName(kind) : ""].filter(Boolean).join(" · ");
		const index = tracks.size;
		const values = group.reports
			.map((report) => metric.value(report, type, kind))
			.filter((value) => Number.isFinite(value));
		if (values.length === 0) continue;
		const track = tracks.get(name) ?? {
			label: name,
			color: colorOf(theme, index),
			dash: dashOf(index, theme.lines.length),
			points: [],
		};
		tracks.set(name, track);
		track.points.push({
			group,
			values,
			mean: values.reduce((a, b) => a + b, 0) / values.length,
			column: columns.findIndex(([key]) => key === (hasBasis ? group.basis?.same : group.key)),
		});
	}
	return { columns: columns.map(([, column]) => column), tracks: [...tracks.values()] };
}

/** @param {Pick<import("../model/metrics.js").Metric, "unit">} metric */
export function markOf({ unit }) {
	return unit === "ns" ? markNs : unit === "bytes" ? formatBytes : unit === "seconds" ? formatSeconds : markNumber;
}

/** @param {Point} point */
function pointKey(point) {
	return JSON.stringify([point.group.key]);
}

/**
 * The basis as numbers, if all its values are, otherwise side by side.
 * @param {Scene} scene
 * @param {{ text: string, order: number }[]} columns
 * @param {number} count of tracks
 * @param {number} width
 */
function acrossOf({ view, basis }, columns, count, width) {
	const isNumeric =
		columns.length > 1 &&
		columns.every(({ order }) => Number.isFinite(order) && (!view.xLog || order > 0)) &&
		new Set(columns.map(({ order }) => order)).size === columns.length;
	const texts = columns.map(({ text }) => text);
	const axis = isNumeric ? numericAxis(columns, width, view.xLog, basis) : namedAxis(texts, width, basis);
	const stepAside = Math.min(14, width / Math.max(1, columns.length) / (count + 1));

	return {
		axis,
		isNumeric,
		place: (/** @type {Point} */ point, /** @type {number} */ n) =>
			isNumeric
				? axis.place(columns[point.column].order)
				: axis.place(point.column) + (n - (count - 1) / 2) * stepAside,
		stops: columns.map(({ order }, i) => axis.place(isNumeric ? order : i)),
	};
}

/**
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawCompare(scene) {
	const { groups, view } = scene;
	const metrics = metricsOf(groups.flatMap((group) => group.reports));
	const metric = metrics.find(({ name }) => name === view.metric) ?? metrics[0];
	const { columns, tracks } = metric ? arrange(scene, metric) : { columns: [], tracks: [] };
	const note =
		tracks.length === 0
			? "Nothing to draw: no run that is chosen has this number."
			: columns.length < 2
				? "One value only: open more reports, or choose another basis of comparison."
				: "";

	return drawTracks(scene, columns, tracks, metric, note);
}

/**
 * Measured and predicted time of each scenario of an evaluation, side by side.
 * @param {Scene} scene
 * @returns {import("./chart.js").Chart}
 */
export function drawPredicted(scene) {
	const { groups, theme } = scene;
	/** @type {Map<string, { text: string, order: number }>} */
	const columns = new Map();
	/** @type {Map<string, Track>} */
	const tracks = new Map();

	for (const group of groups) {
		for (const { scenario, name, value } of group.reports.flatMap(predictionsOf)) {
			const label = [groups.length > 1 ? group.label : "", name].filter(Boolean).join(" · ");
			const track = tracks.get(label) ?? { label, color: colorOf(theme, tracks.size), dash: "", points: [] };
			if (!columns.has(scenario)) columns.set(scenario, { text: scenario, order: NaN });
			const column = [...columns.keys()].indexOf(scenario);
			const point = track.points.find((one) => one.column === column) ?? { group, column, values: [], mean: NaN };
			if (point.values.length === 0) track.points.push(point);
			point.values.push(value);
			point.mean = point.values.reduce((a, b) => a + b, 0) / point.values.length;
			tracks.set(label, track);
		}
	}
	/** @type {import("../model/metrics.js").Metric} */
	const metric = { name: "seconds", label: "time of the scenario", unit: "seconds", isLatency: false, value: () => NaN };
	return drawTracks({ ...scene, basis: "scenario" }, [...columns.values()], [...tracks.values()], metric, "");
}

/** Measured first. @param {import("../read/report.js").Report} report */
export function predictionsOf(report) {
	/* Trees of a thousand reports are not made for nothing. */
	const tree = report.root === "iowritebench" ? report.tree : undefined;
	const scenarios = branch(tree, "result/evaluation")?.children.filter(({ name }) => name === "scenario") ?? [];
	const found = scenarios.flatMap((one) => {
		const scenario = new Map(one.attributes).get("id") ?? "";
		const models = one.children.filter(({ name }) => name === "model");
		return [
			{ scenario, name: "measured", value: textIn(one, "measured_s") },
			...models.map((model) => ({
				scenario,
				name: new Map(model.attributes).get("name") ?? "",
				value: textIn(model, "predicted_s"),
			})),
		];
	});

	return found.map((one) => ({ ...one, value: readNumber(one.value) ?? NaN })).filter(({ value }) => value > 0);
}

/**
 * @param {Scene} scene
 * @param {{ text: string, order: number }[]} columns
 * @param {Track[]} tracks
 * @param {import("../model/metrics.js").Metric | undefined} metric
 * @param {string} note
 * @returns {import("./chart.js").Chart}
 */
function drawTracks(scene, columns, tracks, metric, note) {
	const { width, height, theme, view } = scene;
	const all = tracks.flatMap(({ points }) => points.flatMap(({ values }) => values));
	const [low, high] = domainOf(all, view.yLog);
	/** @type {[number, number]} */
	const domain = view.yLog ? [low / 1.2, high * 1.2] : [low, high * 1.06];
	const wish = {
		domain,
		isLog: view.yLog,
		format: metric ? markOf(metric) : markNumber,
		label: metric?.label ?? "",
	};
	const { marks } = makeAxis({ ...wish, range: [0, 1], room: 8 });
	const plot = plotOf(
		width,
		height,
		marks.map(({ text }) => text),
	);
	const { axis: x, isNumeric, place, stops } = acrossOf(scene, columns, tracks.length, plot.width);
	const y = makeAxis({ ...wish, range: [plot.height, 0], room: plot.height / 45 });
	const frame = makeFrame({ width, height, plot, theme, x, y });

	tracks.forEach((track, n) => {
		const middles = track.points.map(
			(point) => /** @type {[number, number]} */ ([place(point, n), y.place(point.mean)]),
		);
		if (isNumeric) frame.inside.append(stroke(path()(middles) ?? "", track, track.label));
		track.points.forEach((point) => drawPoint(frame.inside, track, point, place(point, n), y.place));
	});
	const named = tracks.filter(({ label }) => label);
	return {
		svg: frame.svg,
		plot,
		x: null,
		full: [0, 1],
		stops,
		legend: named.map(({ color, dash, label }) => ({ color, dash, label, value: "" })),
		probe: (px) => (metric ? probe(columns, tracks, metric, px, place) : null),
		table: () => tableOf(columns, tracks, metric),
		note,
	};
}

/**
 * @param {{ text: string, order: number }[]} columns
 * @param {number} width
 * @param {boolean} isLog
 * @param {string} label
 */
function numericAxis(columns, width, isLog, label) {
	const orders = columns.map(({ order }) => order),
		low = Math.min(...orders),
		high = Math.max(...orders);
	const pad = isLog ? (high / low) ** 0.06 : (high - low) * 0.06;
	/** @type {[number, number]} */
	const domain = isLog ? [low / pad, high * pad] : [low - pad, high + pad];
	const axis = makeAxis({ domain, range: [0, width], isLog, room: 2, format: formatNumber, label });

	return { ...axis, marks: columns.map(({ order, text }) => ({ at: order, text, isMinor: false })) };
}

/** @param {string[]} texts @param {number} width @param {string} label */
function namedAxis(texts, width, label) {
	const room = width / Math.max(1, texts.length),
		fit = Math.max(3, Math.floor(room / textWidth("x")) - 1);
	const axis = makeAxis({
		domain: [-0.5, texts.length - 0.5],
		range: [0, width],
		isLog: false,
		room: 2,
		format: String,
		label,
	});

	return {
		...axis,
		marks: texts.map((text, at) => ({
			at,
			text: text.length > fit ? `${text.slice(0, fit - 1)}…` : text,
			isMinor: false,
		})),
	};
}

/**
 * @param {SVGElement} inside
 * @param {Track} track
 * @param {Point} point
 * @param {number} x
 * @param {(value: number) => number} up
 */
function drawPoint(inside, { color }, point, x, up) {
	const group = svg("g", {}),
		y = up(point.mean);

	group.dataset.line = pointKey(point);
	if (point.values.length > 1)
		group.append(
			svg("line", {
				x1: x,
				x2: x,
				y1: up(Math.min(...point.values)),
				y2: up(Math.max(...point.values)),
				stroke: color,
				"stroke-width": 1.4,
			}),
		);
	for (const value of point.values)
		group.append(
			svg("circle", {
				cx: x,
				cy: up(value),
				r: 3,
				fill: color,
				"fill-opacity": point.values.length > 1 ? 0.5 : 1,
			}),
		);
	if (point.values.length > 1)
		group.append(svg("line", { x1: x - 7, x2: x + 7, y1: y, y2: y, stroke: color, "stroke-width": 2.4 }));
	inside.append(group);
}

/**
 * @param {{ text: string, order: number }[]} columns
 * @param {Track[]} tracks
 * @param {import("../model/metrics.js").Metric} metric
 * @param {number} px
 * @param {(point: Point, n: number) => number} place
 */
function probe(columns, tracks, metric, px, place) {
	const points = tracks.flatMap((track, n) => track.points.map((point) => ({ track, point, x: place(point, n) })));
	const nearest = points.reduce(
		(best, one) => (Math.abs(one.x - px) < Math.abs(best.x - px) ? one : best),
		points[0],
	);

	if (!nearest) return null;
	const rows = points
		.filter(({ point }) => point.column === nearest.point.column)
		.map(({ track, point }) => {
			const text = (/** @type {number} */ value) => formatUnit(value, metric.unit);
			const many = point.values.length > 1;
			return {
				color: track.color,
				dash: track.dash,
				label: track.label || metric.label,
				value: text(point.mean),
				range: many ? `${text(Math.min(...point.values))} to ${text(Math.max(...point.values))}` : "",
				more: many ? `${point.values.length} runs` : "",
			};
		});
	return { x: nearest.x, title: columns[nearest.point.column].text, rows, dots: [] };
}

/**
 * @param {{ text: string }[]} columns
 * @param {Track[]} tracks
 * @param {import("../model/metrics.js").Metric | undefined} metric
 * @returns {import("./chart.js").Table}
 */
function tableOf(columns, tracks, metric) {
	return {
		head: ["value", "other parameters", "runs", `${metric?.label ?? ""} (mean)`, "least", "most"],
		rows: tracks.flatMap((track) =>
			track.points.map((point) => [
				columns[point.column].text,
				track.label,
				point.values.length,
				point.mean,
				Math.min(...point.values),
				Math.max(...point.values),
			]),
		),
	};
}
