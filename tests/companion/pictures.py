# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of memstor plot as tests look at them."""

import csv
import io
from functools import cache

import numpy as np
from conftest import ROOT
from lxml import etree

from memstor import cli, plot

GOLDEN = ROOT / "tests/golden/pmbench-report.xml"
FIXTURES = ROOT / "tests/fixtures"
ORIGINAL = FIXTURES / "pmbench-original"
SWAP, UNIFORM = ORIGINAL / "uniform-swap.xml", ORIGINAL / "uniform.xml"
IOWRITE, SSD, MEMTRACE = FIXTURES / "iowrite", FIXTURES / "ssd", FIXTURES / "memtrace"
PLOT = next(command for command in cli.COMMANDS if command.name == "plot")

SAMPLES = {
    "histogram": GOLDEN,
    "cdf": SWAP,
    "percentile": SWAP,
    "series": GOLDEN,
    "heatmap": GOLDEN,
    "bars": GOLDEN,
    "prediction": IOWRITE / "evaluate.xml",
    "errors": IOWRITE / "evaluate.xml",
    "cost": IOWRITE / "run.xml",
    "interference": SSD / "run.xml",
    "lba": SSD / "fig11.xml",
    "tail": SSD / "fig9.xml",
    "ratios": SSD / "fig6.xml",
    "slowest": SSD / "fig4.xml",
    "segments": SSD / "sim-fig4.xml",
    "collections": SSD / "sim-fig5.xml",
    "gantt": SSD / "sim-fig8.xml",
    "copies": SSD / "sim-fig10.xml",
    "attribution": SSD / "sim-attribution.xml",
    "counters": SSD / "sim-counters.xml",
    "window": SSD / "sim-window.xml",
    "bandwidth": SSD / "sim-bandwidth.xml",
    "access-pattern": MEMTRACE / "pattern.xml",
    "access-count": MEMTRACE / "count.xml",
    "hot-set": MEMTRACE / "hotset.xml",
    "miss-ratio": MEMTRACE / "missratio.xml",
    "popularity": MEMTRACE / "skew.xml",
    "reuse-distance": MEMTRACE / "reuse.xml",
    "stride": MEMTRACE / "stride.xml",
    "accessed-volume": MEMTRACE / "partition.xml",
}


@cache
def draw(*arguments):
    """The picture, its file, and the rows of --keep-data; arguments without -o: an SVG."""
    words = [str(argument) for argument in arguments]
    words += [] if "-o" in words else ["-o", "unwritten.svg"]
    options = cli.parser_of(PLOT).parse(words)
    picture, made = plot.make(options)
    return picture, made, list(csv.DictReader(io.StringIO(picture.data())))


def sample(kind):
    return draw(kind, SAMPLES[kind])


def column(rows, name, **where):
    """The numbers of a column, where others are as given."""
    chosen = [row for row in rows if all(row.get(key) == value for key, value in where.items())]
    return np.array([float(row[name]) for row in chosen if row.get(name)])


def texts_of(picture):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    FigureCanvasAgg(picture.figure)
    picture.figure.draw_without_rendering()
    renderer = picture.figure.canvas.get_renderer()
    for text in picture.figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent(renderer)
            if box.width:
                yield text, box


def check_texts(picture):
    """No text is cut by the picture's end, and none covers another one."""
    page, before = picture.figure.bbox, []
    for text, box in texts_of(picture):
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside, f"{text.get_text()!r} is cut: {box} of {page}"
        if text.get_rotation() % 90:
            continue
        for other, taken in before:
            wide = min(box.x1, taken.x1) - max(box.x0, taken.x0)
            high = min(box.y1, taken.y1) - max(box.y0, taken.y0)
            assert wide < 2 or high < 3, f"{text.get_text()!r} covers {other.get_text()!r}"
        before.append((text, box))


def svg_texts(made):
    root = etree.fromstring(made)
    return ["".join(node.itertext()).strip() for node in root.iter("{*}text")]
