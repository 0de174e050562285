# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor merge: sums, numbers, sources, clocks and verdicts of merged reports, laws of the order, and
refusals."""

import random
import re

import pytest
from conftest import ROOT
from damage import damaged
from lxml import etree

from memstor import merge, report, validate
from memstor.error import Problem

GOLDEN = ROOT / "tests/golden/pmbench-report.xml"
ORIGINAL = ROOT / "tests/fixtures/pmbench-original"
SSD = ROOT / "tests/fixtures/ssd/run.xml"
CELLS = ROOT / "tests/fixtures/iowrite/run.xml"
APART = (
    "memstor: warning: the parts ran all together for 0 % of the time, less than 95 %: rates are means over "
    "the time in which any ran, not sums\n"
)
RUN = GOLDEN.read_text(encoding="utf-8")


@pytest.fixture
def run_of(tmp_path):
    """A run like the golden one, with a uuid of its own and the verdict ok, or another report's."""

    def make(name, number, *changes, text=RUN):
        text = re.sub("<uuid>[0-9a-f]{8}", f"<uuid>{number:08x}", text)
        text = re.sub('\n *<reason code="[^\n]*', "", text.replace('status="untrustworthy"', 'status="ok"'))
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


@pytest.fixture
def merged(memstor, tmp_path):
    """The merged report, which is valid, and what was said; status is what the program ends with."""

    def make(*arguments, status=0, name="merged.xml"):
        ended, out, err = memstor("merge", "-o", tmp_path / name, *arguments)
        assert (ended, out) == (status, "")
        assert validate.validate(str(tmp_path / name)).findings == []
        return report.read_file(str(tmp_path / name)), err

    return make


def texts(of, path):
    return [report.text_of(node) for node in of.report.iterfind(path)]


def test_sums_and_sources(run_of, merged):
    both, err = merged(run_of("a.xml", 1), run_of("b.xml", 2))
    one = report.read_file(str(GOLDEN))
    assert err == ""
    assert both.values["accesses"].value == 2 * one.values["accesses"].value
    # Side by side each adds to the rate; the time is that of the longest.
    assert both.values["accesses_per_second"].value == 2 * one.values["accesses_per_second"].value
    assert both.values["run_s"].value == one.values["run_s"].value
    assert [node.get("thread_num") for node in both.report.iterfind("result/result_thread")] == [
        "1",
        "2",
        "3",
        "4",
    ]
    assert texts(both, "result/result_thread/thread_details/process") == ["0", "0", "1", "1"]
    assert [text.rpartition("/")[2] for text in texts(both, "parts/part/file")] == ["a.xml", "b.xml"]
    assert texts(both, "parts/part/first_thread") == ["1", "3"]
    for h in one.histograms:
        twice = both.histogram(h.type, h.of_class, h.layout)
        assert twice.counts.tolist() == [2 * count for count in h.counts.tolist()]
        assert (twice.min, twice.max) == (h.min, h.max) or not h.count
        assert twice.mean == pytest.approx(h.mean, rel=1e-15, nan_ok=True)


def test_one_run_keeps_its_numbers(run_of, merged):
    one, _ = merged(run_of("a.xml", 1))
    alone = report.read_file(str(GOLDEN))
    expected = {name: pytest.approx(value.value, rel=1e-14) for name, value in alone.values.items()}
    assert {name: value.value for name, value in one.values.items()} == expected
    for h in alone.histograms:
        assert str(one.histogram(h.type, h.of_class, h.layout)) == str(h)


def test_grouping_does_not_matter(run_of, merged, tmp_path):
    runs = [run_of(f"{i}.xml", i, (">34359738368<", f">{34359738368}<")) for i in (1, 2, 3)]
    merged(*runs[:2], name="two.xml")
    grouped, _ = merged(tmp_path / "two.xml", runs[2], name="grouped.xml")
    at_once, _ = merged(*runs, name="once.xml")
    assert etree.tostring(grouped.root) == etree.tostring(at_once.root)
    turned, _ = merged(*runs[::-1], name="turned.xml")
    assert turned.uuid == at_once.uuid and turned.values == at_once.values


def test_parts_have_what_differs_from_the_first_however_they_are_grouped(run_of, merged, tmp_path):
    runs = [
        run_of("0.xml", 0),
        run_of("1.xml", 1, (">8192MiB<", ">1GiB<"), ("<cores>4<", "<cores>5<")),
        run_of("2.xml", 2, ('<option name="duration">', '<option name="other">')),
    ]
    for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
        own = [runs[i] for i in order]
        at_once, _ = merged("--allow-different", *own, name="once.xml")
        merged("--allow-different", *own[1:], name="two.xml")
        grouped, _ = merged("--allow-different", own[0], tmp_path / "two.xml", name="grouped.xml")
        parts = [part_texts(of) for of in (at_once, grouped)]
        assert parts[0] == parts[1]
        known = [merge.load(str(path)).document for path in own]
        known = [merge.part_of(etree.fromstring(one).find("report/parts/part"), "").texts for one in known]
        assert parts[0] == known
    other = at_once.report.findall("parts/part")[1]
    assert {node.get("name") for node in other.iterfind("options/option")} == {"duration", "label"}
    assert not other.findall("facts/fact")


def test_histograms_that_are_left_out_stay_left_out(run_of, merged, tmp_path):
    def without(classes):
        pattern = f'<latency_histogram type="write" class="({classes})".*?</latency_histogram>'
        return re.sub(pattern, "", RUN, flags=re.S)

    # The first two have none in common, so that their sum looks like that of reads alone.
    one, other = without("all|minor|major"), without("hit")
    for third in (RUN, without("hit|minor|major")):
        runs = [run_of(f"{i}.xml", i, text=text) for i, text in enumerate((one, other, third))]
        merged(*runs[:2], name="two.xml")
        grouped, _ = merged(tmp_path / "two.xml", runs[2], name="grouped.xml")
        at_once, _ = merged(*runs, name="once.xml")
        sums = [of.report.find("statistics") for of in (grouped, at_once)]
        assert etree.tostring(sums[0]) == etree.tostring(sums[1])
        assert {h.type for h in grouped.histograms} == {"read"}


def test_a_report_that_is_refused_changes_nothing(run_of, tmp_path, memstor):
    first, again = run_of("0.xml", 0), run_of("2.xml", 2)
    memstor("merge", "-o", tmp_path / "two.xml", run_of("1.xml", 1), run_of("0b.xml", 0))
    sums = merge.Merge(True)
    sums.add(merge.load(str(first)))
    with pytest.raises(Problem, match="would count twice"):
        sums.add(merge.load(str(tmp_path / "two.xml")))
    sums.add(merge.load(str(again)))
    expected = merge.Merge(True)
    for path in (first, again):
        expected.add(merge.load(str(path)))
    assert merge.document(sums.report()) == merge.document(expected.report())


def part_texts(of):
    """Of each part of a merged report, in order: options, labels, facts."""
    nodes = of.report.findall("parts/part")
    first = merge.part_of(nodes[0], "")
    return [first.texts, *(merge.part_of(node, "", first).texts for node in nodes[1:])]


def test_runs_one_after_another(run_of, merged):
    later = run_of(
        "later.xml",
        4,
        ("2026-11-20T09", "2026-11-20T19"),
        (">1000</monotonic_start", ">36000000001000</monotonic_start"),
        (">7210000001000<", ">43210000001000<"),
    )
    both, err = merged(run_of("a.xml", 1), later)
    assert err == APART
    assert both.values["accesses_per_second"].value == 5369828.7 and both.values["run_s"].value == 14400
    signature = both.report.find("signature")
    assert report.text_of(signature, "monotonic_start_ns") == "1000"
    assert report.text_of(signature, "monotonic_end_ns") == "43210000001000"


def test_clocks_of_two_boots(run_of, merged):
    boot = re.search("<boot_id>(.*)</boot_id>", RUN)[1]
    # Booted two hours later, so that its clock, which began with the boot, says less for the same time.
    other = run_of("b.xml", 2, (boot, "another"), ("2026-11-20T09", "2026-11-20T10"))
    both, err = merged(run_of("a.xml", 1), other)
    assert "for 33.4 % of the time" in err
    assert report.text_of(both.report, "signature/host/boot_id") == ""
    assert report.text_of(both.report, "signature/monotonic_end_ns") == str(7210000001000 + 3600 * 10**9)


def test_other_options_are_refused_unless_allowed(run_of, merged, memstor, tmp_path):
    runs = run_of("a.xml", 1), run_of("b.xml", 2, (">8192MiB<", ">1GiB<"), ("<cores>4<", "<cores>5<"))
    status, out, err = memstor("merge", "-o", tmp_path / "no.xml", *runs)
    assert (status, out) == (2, "") and not (tmp_path / "no.xml").exists()
    assert err == (
        f"memstor: {runs[1]}: other options than in {runs[0]}: --mapsize is '1GiB', not '8192MiB': "
        "--allow-different merges them anyway\n"
    )
    both, err = merged("--allow-different", *runs)
    assert "mapsize" not in both.options
    assert err.endswith("the parts differ in --mapsize, cores: see <difference> of each <part>\n")
    differences = {node.get("name"): node.text for node in both.report.iterfind("parts/part/difference")}
    assert differences == {"--mapsize": "1GiB", "cores": "5"}


def test_the_worst_verdict_is_that_of_all(run_of, merged):
    cut = run_of(
        "cut.xml",
        3,
        ('status="ok"', 'status="interrupted"'),
        ("</params>", "</params><interrupted>1</interrupted>"),
    )
    both, err = merged(run_of("a.xml", 1), cut, status=4)
    assert err == "memstor: warning: the merged report is interrupted: its verdict says why\n"
    assert both.status == "interrupted" and both.reasons[0].measured == f"part 1 ({cut}): it was interrupted"
    both, _ = merged(cut, GOLDEN, status=4)
    assert both.status == "untrustworthy" and {reason.code for reason in both.reasons} > {"interrupted"}


@pytest.mark.parametrize(
    "path", [SSD, CELLS, ORIGINAL / "uniform.xml", ROOT / "tests/fixtures/memtrace/skew.xml"]
)
def test_reports_of_every_tool(run_of, merged, tmp_path, path):
    text = path.read_text(encoding="utf-8")
    runs = [run_of(f"{i}.xml", i, text=text) for i in (1, 2)]
    both, _ = merged(*runs)
    one = report.read_file(str(path))
    for h in one.histograms:
        twice = both.histogram(h.type, h.of_class)
        assert twice is None or twice.count == 2 * h.count
    # Of what is ranked in a recording nothing can be added.
    assert both.tool == one.tool and (list(both.subjects) == list(one.subjects) or one.tool == "memtrace")
    third = run_of("third.xml", 3, text=text)
    grouped, _ = merged(tmp_path / "merged.xml", third, name="grouped.xml")
    at_once, _ = merged(*runs, third, name="once.xml")
    assert (grouped.uuid, texts(grouped, "parts/part/uuid")) == (
        at_once.uuid,
        texts(at_once, "parts/part/uuid"),
    )
    assert [h.counts.tolist() for h in grouped.histograms] == [h.counts.tolist() for h in at_once.histograms]


def test_originals_become_an_original(merged):
    both, _ = merged("--allow-different", ORIGINAL / "uniform.xml", ORIGINAL / "uniform-swap.xml")
    assert report.text_of(both.report, "signature/pmbench_info/version_xmloutput") == "0.1"
    assert both.report.find("statistics/latency_histogram") is None
    assert sum(h.count for h in both.histograms) == 20020000 + 300000


def test_cells_with_other_values_are_added(run_of, merged):
    text = CELLS.read_text(encoding="utf-8")
    seconds = re.search("<run_s>(.*)</run_s>", text)[1]
    slower = run_of("b.xml", 2, (f"<run_s>{seconds}<", f"<run_s>{3 * float(seconds)!r}<"), text=text)
    both, _ = merged(run_of("a.xml", 1, text=text), slower)
    one = next(iter(report.read_file(str(CELLS)).subjects.values())).values
    cell = next(iter(both.subjects.values())).values
    assert cell["operations"].value == 2 * one["operations"].value
    assert cell["run_s"].value == pytest.approx(4 * float(seconds))
    assert cell["operations_per_second"].value == pytest.approx(one["operations_per_second"].value / 2)


def test_cells_that_one_run_has_are_named(run_of, merged):
    text = CELLS.read_text(encoding="utf-8")
    first = re.search('<cell id="([^"]*)"', text)[1]
    other = run_of("b.xml", 2, (f'"{first}"', f'"{first}x"'), text=text)
    both, err = merged(run_of("a.xml", 1, text=text), other)
    assert first not in both.subjects and "left out, for not all files have them: histograms" in err
    omitted = {node.get("name"): node.text for node in both.report.iterfind("parts/omission")}
    assert omitted["cells"] == "the parts have different ones"


def test_refusals(run_of, memstor, tmp_path):
    a, b = run_of("a.xml", 1), run_of("b.xml", 2)
    again = run_of("again.xml", 1)
    memstor("merge", "-o", tmp_path / "m.xml", a, b)
    large = run_of("large.xml", 5, ('count="34359738368"', f'count="{2**64 - 1}"'))
    for arguments, why in (
        ((a, again), f"{again}: the run 00000001-"),
        ((tmp_path / "m.xml", b), f"{b}: the run 00000002-"),
        ((a, SSD), f"{SSD}: <ssdworkloads>, but <pmbenchmark> in {a}"),
        ((a, tmp_path / "none.xml"), f"{tmp_path}/none.xml: No such file"),
        ((a, large), f"{large}:"),
        ((run_of("no.xml", 6, ("<uuid>", "<uid>"), ("</uuid>", "</uid>")),), "no <uuid>"),
    ):
        status, out, err = memstor("merge", "-o", tmp_path / "no-report.xml", *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1) and why in err
    (tmp_path / "notes").write_text("mine")
    assert memstor("merge", "-o", tmp_path / "notes", a, b)[0] == 3
    assert (tmp_path / "notes").read_text() == "mine" and not (tmp_path / "no-report.xml").exists()


def test_counts_beyond_64_bits_are_refused(run_of, memstor, tmp_path):
    text = (ORIGINAL / "uniform.xml").read_text(encoding="utf-8")
    counts = re.sub(
        r"<sum_count>\d+</sum_count>\s*</histo_bucket>",
        f"<sum_count>{2**63}</sum_count></histo_bucket>",
        text,
        1,
    )
    runs = [run_of(f"{i}.xml", i, text=counts) for i in (1, 2)]
    status, _, err = memstor("merge", *runs)
    assert status == 2 and "counts of a histogram are more than 2^64-1" in err
    many = [run_of(f"{i}.xml", i, ("<accesses>38662772240<", f"<accesses>{2**63}<")) for i in (3, 4)]
    status, _, err = memstor("merge", *many)
    assert status == 2 and "the accesses of all are more than 2^64-1" in err


def test_walls():
    assert merge.wall_ns("1970-01-01T00:00:01.000000002Z") == 1000000002
    for text in ("", "2026-13-01T00:00:00.000000000Z", "1969-12-31T00:00:00.000000000Z"):
        assert merge.wall_ns(text) < 0


def test_damaged_reports_are_merged_or_refused_in_one_line(run_of, memstor, tmp_path):
    draw, statuses = random.Random(27), set()
    good = {
        path: run_of(f"{path.stem}.xml", 1, text=path.read_text(encoding="utf-8"))
        for path in (GOLDEN, SSD, CELLS)
    }
    for _ in range(50):
        path = draw.choice(list(good))
        bad = tmp_path / "bad.xml"
        bad.write_bytes(damaged(draw, path.read_bytes()))
        status, out, err = memstor("merge", "--allow-different", good[path], bad)
        statuses.add(status)
        if status == 2:
            assert out == "" and err.count("\n") == 1
        else:
            assert status in (0, 4) and etree.fromstring(out.encode()).find("report/parts") is not None
    assert 2 in statuses and statuses & {0, 4}


def test_what_must_be_there_is_the_first_part_s(run_of, merged):
    """Two patterns have no phase in common, but a report needs one."""
    other = run_of(
        "b.xml",
        2,
        ("<pattern>uniform</pattern>", "<pattern>linear</pattern>"),
        ("<pattern>zipf<", "<pattern>pareto<"),
    )
    both, _ = merged("--allow-different", run_of("a.xml", 1), other)
    assert texts(both, "result/phases/phase/pattern") == ["uniform", "zipf"]
    omitted = {node.get("name"): node.text for node in both.report.iterfind("parts/omission")}
    assert "not all files have it" in {
        why for name, why in omitted.items() if name.startswith("phase linear")
    }


def test_what_would_not_be_valid_is_refused(memstor, run_of, tmp_path):
    # Fewer files would not help: this one has no phase.
    text = re.sub("<phases>.*</phases>", "<phases/>", RUN, flags=re.DOTALL)
    status, out, err = memstor("merge", run_of("a.xml", 1, text=text), "-o", tmp_path / "merged.xml")
    assert (status, out, err.count("\n")) == (2, "", 1) and not (tmp_path / "merged.xml").exists()
    assert "would not be valid: Element 'phases'" in err and "fewer" not in err
