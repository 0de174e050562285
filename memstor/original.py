# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the original pmbench's format, which this pmbench also writes (docs/report.md)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from lxml.etree import _Element as Element

from memstor import schema

if TYPE_CHECKING:
    from memstor.histogram import Histogram
    from memstor.report import Report

PARTS = 16


def _text(node: Element | None, path: str) -> str:
    found = None if node is None else node.find(path)
    return "" if found is None else (found.text or "").strip()


def options(report: Element) -> dict[str, str]:
    """As pmbench --replay reads them, so that reports of the original and of this pmbench are compared by
    what was done: its zipf drew from pareto, its shape means something for four patterns only, and its rdtscp
    had no fence."""
    params = report.find("signature/params")
    pattern, timer, shape = _text(params, "pattern"), _text(params, "tsops"), _text(params, "shape")
    is_pareto = pattern in ("pareto", "zipf")
    found = {
        name: _text(params, name)
        for name in ("duration", "mapsize", "setsize", "delay", "jobs", "offset", "ratio", "access")
    }
    found |= {name: "yes" for name in ("initialize", "quiet", "cold") if _text(params, name) == "1"}
    found["pattern"] = "pareto" if is_pareto else pattern
    if pattern in ("linear", "normal"):
        found["shape"] = shape.split(".")[0]
    elif is_pareto:
        found["shape"] = shape
    found["timestamp"] = "rdtscp-unfenced" if timer == "rdtscp" else timer
    return {name: text for name, text in found.items() if text}


def _count(report: Report, node: Element, path: str) -> int:
    found = node.find(path)
    if found is None:
        raise report.refuse(node, f"<{node.tag}> has no <{path}>")
    return report.count_of(found)


def histogram(report: Report, node: Element) -> Histogram:
    """24 buckets whose edges are powers of two in ns, 15 of them divided into 16 equal parts."""
    rows: list[tuple[float, float, int]] = []  # begin, end, count
    due = 0
    if node.get("type") is None:
        raise report.refuse(node, "<histogram> has no type")
    for bucket in node.iterfind("histo_bucket"):
        interval, hexes = bucket.find("bucket_interval"), bucket.find("bucket_hexes")
        if interval is None:
            raise report.refuse(bucket, "<histo_bucket> has no <bucket_interval>")
        begin, end = _count(report, interval, "interval_lo"), _count(report, interval, "interval_hi")
        total = _count(report, bucket, "sum_count")
        if begin != due or end <= begin or end > 32:
            raise report.refuse(
                interval, f"from 2^{begin} to 2^{end} ns: allowed is from 2^{due} up, to 2^32 at most"
            )
        due = end
        low, high = 0.0 if begin == 0 else 2.0**begin, math.inf if end == 32 else 2.0**end
        if hexes is None or end == 32:
            rows.append((low, high, total))
            continue
        parts, width = hexes.findall("hex"), (high - low) / PARTS
        for i, part in enumerate(parts):
            index = report.count_of(part, "index")
            if index != i or i >= PARTS:
                raise report.refuse(part, f"<hex> {index} where {i} of 0 to 15 is due")
            rows.append((low + width * i, low + width * (i + 1), report.count_of(part)))
        said = sum(count for _, _, count in rows[len(rows) - len(parts) :])
        if said != total:
            raise report.refuse(hexes, f"the parts hold {said} in all, <sum_count> says {total}")
    edges = np.array([row[:2] for row in rows], dtype=np.float64).reshape(-1, 2)
    counts = np.array([row[2] for row in rows], dtype=np.uint64)
    return report.make_histogram(node, [node.get("type") or "", "all", "original"], edges, counts)


def field_of(name: str) -> schema.Field | None:
    """The row of a name of values() in a report of this pmbench."""
    for path in ("report/result/totals", "report/result/result_thread/thread_details"):
        record = schema.record_at("pmbenchmark", path)
        if record and name in record.fields and record.fields[name].type:
            return record.fields[name]
    return None


def values(report: Report) -> dict[str, float]:
    """Sums over the threads of pmbench, by the names that its totals have; of this pmbench their means only,
    which it writes in ns and unrounded, the original in us with four decimals."""
    number, threads = report.number_at, []
    for thread in report.report.iterfind("result/result_thread"):
        accesses, details = number(thread, "result_details/details_samples"), thread.find("thread_details")
        if details is not None:
            latency, net = number(details, "latency_ns"), number(details, "net_ns")
        else:
            latency = number(thread, "result_details/details_latency/latency_us") * 1e3
            net = number(thread, "result_netavg/netavg_us") * 1e3
        if accesses > 0:
            threads.append((accesses, latency, net))
    total, found = sum((accesses for accesses, _, _ in threads), 0.0), {}
    if report.is_original:
        found = {
            "accesses": total,
            "accesses_per_second": sum((1e9 / of[1] if of[1] else math.inf for of in threads), 0.0),
            "map_bytes": number(report.report, "signature/params/mapsize") * 2.0**20,
            "set_bytes": number(report.report, "signature/params/setsize") * 2.0**20,
        }
    if total:
        found["latency_ns"] = sum(accesses * latency for accesses, latency, _ in threads) / total
        found["net_ns"] = sum(accesses * net for accesses, _, net in threads) / total
    return {name: value for name, value in found.items() if math.isfinite(value)}
