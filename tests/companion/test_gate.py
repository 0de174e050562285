# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/ci.md, the action for GitHub and the template for GitLab: their lines run as a runner runs them."""

import re

import junitparser
import pytest
import yaml
from conftest import ROOT

DOC = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
ACTION = yaml.safe_load((ROOT / "ci/github/action.yml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text(encoding="utf-8"))[".memstor"]


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", DOC, re.M | re.S)


@pytest.fixture
def job(tmp_path, shell):
    """A folder with the suite of docs/ci.md and builds of two commits; build(LEVEL) makes new."""

    def build(level, side="new"):
        for name in ("sort-it", "search-it"):
            (tmp_path / side).mkdir(exist_ok=True)
            program = tmp_path / side / name
            text = f"#!/bin/sh\nrun=${{PWD##*/}}\necho $(({level} + {level} * (run * 37 % 100) / 5000)) us\n"
            program.write_text(text, encoding="utf-8")
            program.chmod(0o755)

    (tmp_path / "perf.toml").write_text(blocks("toml")[0], encoding="utf-8")
    build(10000, "base")
    return build


def test_the_blocks_of_the_page_run_in_order(job, shell):
    job(10000)
    shell("git init -q -b main && git commit -q --allow-empty -m x")
    done = [shell(block) for block in blocks("sh")[:-1]]
    # One commit is too little for history check.
    assert [one.returncode for one in done] == [0, 0, 4], [one.stdout for one in done]
    assert "10 reports added" in done[2].stdout


@pytest.mark.parametrize("level, status", [(10000, 0), (12000, 1)])
def test_the_action_for_github(job, shell, tmp_path, level, status):
    """With inputs as GitHub puts them into variables; its bash has -e and pipefail."""
    job(level)
    given = {
        "suite": "./perf.toml",
        "base": "base",
        "new": "new",
        "gates": "metric.time<+5%\n\nmetric.time<20000\n",
    }
    inputs = {name: of.get("default") for name, of in ACTION["inputs"].items()} | given
    runner = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    runner |= {"GITHUB_SHA": "0" * 40, "GITHUB_ACTIONS": "true"}
    assert {of["default"] for of in ACTION["inputs"].values() if not of.get("required")} == {
        "30",
        "memstor-results",
    }
    for number, step in enumerate(ACTION["runs"]["steps"]):
        env = {
            name: inputs[re.fullmatch(r"\$\{\{ inputs\.(.*) \}\}", text)[1]]
            for name, text in step["env"].items()
        }
        (tmp_path / "step").write_text(step["run"], encoding="utf-8")
        done = shell("bash --noprofile --norc -e -o pipefail step", **runner, **env)
        assert done.returncode == (status if number else 0), done.stdout
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"status={status}\n"
    assert "metric.time" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert ("::error" in done.stdout) == bool(status)
    assert junitparser.JUnitXml.fromfile(str(tmp_path / "memstor-results/junit.xml")).failures == 2 * status


@pytest.mark.parametrize("level, status", [(10000, 0), (12000, 1)])
def test_the_template_for_gitlab(job, shell, tmp_path, level, status):
    """Its lines are one script of a shell that ends at the first error."""
    job(level)
    script = "set -e\n" + "\n".join(GITLAB["script"])
    done = shell(script, CI_COMMIT_SHA="0" * 40, CI="true", **GITLAB["variables"])
    assert done.returncode == status, done.stdout
    report = GITLAB["artifacts"]["reports"]["junit"]
    assert junitparser.JUnitXml.fromfile(str(tmp_path / report)).failures == 2 * status
    assert GITLAB["allow_failure"] == {"exit_codes": 4}


def test_the_block_with_git_bisect(shell, tmp_path):
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone/perf.toml").write_text(blocks("toml")[0], encoding="utf-8")
    shell("git init -q -b main; echo sort-it >.gitignore", tmp_path / "clone")
    for number, level in enumerate((10000, 10100, 12000, 12100)):
        text = f"all:\n\tprintf '#!/bin/sh\\necho {level} us\\n' >sort-it; chmod +x sort-it\n"
        (tmp_path / "clone/Makefile").write_text(text, encoding="utf-8")
        shell(f"git add . && git commit -q -m {number} && git tag v1.{number}", tmp_path / "clone")
    done = shell(blocks("sh")[-1], tmp_path / "clone")
    culprit = shell("git rev-parse v1.2", tmp_path / "clone").stdout.strip()
    assert done.returncode == 0 and f"{culprit} is the first bad commit" in done.stdout, done.stdout


@pytest.mark.parametrize("status", range(6))
def test_a_job_goes_on_to_the_gate_if_there_are_results(shell, status):
    """Of 1, a failed gate, and 4, an inconclusive one."""
    jenkins = re.search(r"^sh '''(.*?)'''", blocks("groovy")[0], re.M | re.S)[1]
    stub = f"set -e; memstor() {{ return {status}; }}\n"
    for line in (jenkins, ACTION["runs"]["steps"][0]["run"], GITLAB["script"][0]):
        assert (shell(stub + line).returncode == 0) == (status in (0, 1, 4))
