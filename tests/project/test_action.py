"""The action for GitHub: its steps run in bash as a runner runs them, with a `gh` of ours."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import srsly

from helpers.examples import ROOT, blocks, page
from helpers.textfiles import GOLD, PRED, conll

ACTION = srsly.read_yaml(ROOT / "action.yml")
STEPS = ACTION["runs"]["steps"]
DOCUMENTS = 8
BAD = ["O", "O", "B-LOC", "O", "O", "O", "O"]
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
OPTIONS = "--documents=sentence"
MARKER = "<!-- spacy-chance-eval: Scores -->"

# lists, writes and changes the comments of comments.json; of jq it knows what the action asks for
GH = """#!{python}
import json, os, sys
from pathlib import Path

store, words = Path({folder!r}) / "comments.json", sys.argv[1:]
comments = json.loads(store.read_text())
assert words.pop(0) == "api" and os.environ["GH_TOKEN"] == "secret"
if os.environ.get("GH_FAILS"):
    sys.exit("gh: Resource not accessible by integration (HTTP 403)")
if "--paginate" in words:
    assert words[1] == "repos/ann/names/issues/7/comments" and words[2] == "--jq"
    wanted = '.[] | select(.user.type == "Bot" and (.body | startswith($ENV.MARKER))) | .id'
    assert words[3] == wanted, words[3]
    for one in comments:
        if one["user"]["type"] == "Bot" and one["body"].startswith(os.environ["MARKER"]):
            print(one["id"])
else:
    flag, method, where, field, body, silent = words
    assert (flag, field, silent) == ("--method", "-F", "--silent") and body[:6] == "body=@"
    text = Path(body[6:]).read_text()
    if method == "POST":
        assert where == "repos/ann/names/issues/7/comments"
        comments.append({{"id": 100 + len(comments), "user": {{"type": "Bot"}}, "body": text}})
    else:
        start, _, number = where.rpartition("/")
        assert (method, start) == ("PATCH", "repos/ann/names/issues/comments")
        (own,) = [one for one in comments if one["id"] == int(number)]
        own["body"] = text
    store.write_text(json.dumps(comments))
"""


class Runner:
    """A folder in which the steps run; `log` is their output, `outputs` those of the action."""

    def __init__(self, folder):
        self.folder, self.log, self.outputs = folder, "", {}
        for name in ("bin", "temp", "work"):
            (folder / name).mkdir()
        gh = folder / "bin" / "gh"
        gh.write_text(GH.format(python=sys.executable, folder=str(folder)))
        gh.chmod(0o755)
        self.comments = []
        for name, tags in (("gold", GOLD), ("old", PRED), ("new", BAD)):
            path = conll(folder / "work" / f"{name}.conll", tags)
            path.write_text((path.read_text() + "\n") * DOCUMENTS)

    @property
    def comments(self):
        return json.loads((self.folder / "comments.json").read_text())

    @comments.setter
    def comments(self, rows):
        (self.folder / "comments.json").write_text(json.dumps(rows))

    @property
    def summary(self):
        return (self.folder / "summary").read_text()

    def run(self, number=7, only=None, fails="", **given):
        """The exit code of the action, after its steps ran up to the first that fails."""
        known = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        inputs = {**known, **{name.replace("_", "-"): value for name, value in given.items()}}
        assert inputs.keys() == known.keys()
        self.values = {f"inputs.{name}": value for name, value in inputs.items()}
        self.values["github.token"] = "secret"
        self.values["github.event.pull_request"] = "an object" if number else ""
        self.values["github.event.pull_request.number"] = str(number or "")
        self.log = ""
        (self.folder / "summary").write_text("")
        for step in STEPS:
            if "run" in step and step["name"] != "Install" and self.wanted(step):
                code = self.step(step, {"GH_FAILS": fails})
                if code:
                    return code
        for name, one in ACTION["outputs"].items():
            self.outputs[name] = self.filled(one["value"])
        return 0

    def wanted(self, step):
        """Whether the condition of a step holds."""
        for term in step.get("if", "'' == ''").split(" && "):
            name, sign, value = re.fullmatch(r"([\w.'-]+)(?: (==|!=) '(.*)')?", term).groups()
            found = self.values.get(name, "") if name != "''" else ""
            if not (found if sign is None else (found == value) == (sign == "==")):
                return False
        return True

    def filled(self, text):
        """A text with the values of its expressions."""
        return EXPRESSION.sub(lambda found: self.values.get(found[1], ""), text)

    def step(self, step, more):
        """The exit code of one step, with the options that runners give to bash."""
        assert step["shell"] == "bash"
        script, output = self.folder / "script.sh", self.folder / "output"
        script.write_text(step["run"])
        output.write_text("")
        programs = os.pathsep.join(
            [str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
        )
        env = {
            **os.environ,
            **more,
            **{name: self.filled(value) for name, value in step.get("env", {}).items()},
            "PATH": programs,
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_REPOSITORY": "ann/names",
            "GITHUB_RUN_ID": "9",
            "GITHUB_SERVER_URL": "https://github.com",
            "RUNNER_TEMP": str(self.folder / "temp"),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder / "work",
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.log += done.stdout
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


SAME = {"gold": "gold.conll", "predictions": "old.conll", "options": OPTIONS}
WORSE = {**SAME, "predictions": "new.conll"}
AGAINST = {"baseline_predictions": "old.conll", "metrics": "span_f\ntoken_f(encoding=BIO)"}


@pytest.mark.integration
def test_a_comment_is_written_once_and_then_changed(runner):
    theirs = {"id": 5, "user": {"type": "User"}, "body": MARKER}
    runner.comments = [theirs]
    assert runner.run(**SAME, **AGAINST, comment="true") == 0, runner.log
    first, own = runner.comments
    assert first == theirs and own["body"].startswith(f"{MARKER}\n## Scores\n\n### ")
    assert "`token_f" in own["body"]
    assert "https://github.com/ann/names/actions/runs/9" in own["body"]
    saved = runner.outputs["run"]
    assert runner.run(**WORSE, baseline=saved, metrics="span_f", comment="true") == 3, runner.log
    first, changed = runner.comments
    assert first == theirs and changed["id"] == own["id"] and "> Failed: " in changed["body"]
    given = {"baseline": saved, "metrics": "span_f", "title": "Other"}
    assert runner.run(**SAME, **given, comment="true") == 0, runner.log
    assert len(runner.comments) == 3


@pytest.mark.integration
def test_outputs_and_the_summary_are_those_of_the_comparison(runner):
    assert runner.run(**WORSE, **AGAINST, fail_if_worse="false") == 0, runner.log
    outputs = runner.outputs
    metric = srsly.read_json(outputs["json"])["metrics"][0]
    assert metric["metric"] == "span_f" and metric["total"]["verdict"] == "worse"
    assert float(outputs["score"]) == pytest.approx(metric["total"]["new"]["corrected"])
    difference = metric["total"]["corrected"]["difference"]
    assert float(outputs["difference"]) == pytest.approx(difference) and difference < 0
    assert outputs["passed"] == "true"
    assert Path(outputs["report"]).read_text() == runner.summary != ""
    assert Path(outputs["run"]).is_file() and runner.comments == []


@pytest.mark.integration
@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (WORSE, 3, "corrected span_f is worse"),
        ({**WORSE, "fail_if_worse": "false", "threshold": ".5"}, 3, "below 0.5"),
        ({**SAME, "threshold": ".5"}, 0, ""),
        ({**WORSE, "predictions": "--help"}, 1, "--help: no such file"),
        ({**SAME, "metrics": "span_g"}, 2, "span_g"),
        ({**SAME, "predictions": "none.conll"}, 1, "none.conll"),
    ],
    ids=["worse", "threshold", "good", "option", "metric", "file"],
)
def test_the_exit_code_says_what_happened(runner, given, code, said):
    assert runner.run(**{**AGAINST, **given}, comment="true") == code, runner.log
    assert said in runner.log and "Traceback" not in runner.log
    assert len(runner.comments) == (code in (0, 3))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"baseline_predictions": ""}, "set baseline or baseline-predictions"),
        ({"baseline": "gold.conll"}, "baseline and baseline-predictions are both given"),
        ({"baseline": "none.run", "baseline_predictions": ""}, "there is no baseline 'none.run'"),
        ({"threshold": "60%"}, "threshold is '60%'; expected a number"),
        ({"fail_if_worse": "yes"}, "fail-if-worse is 'yes'; expected true or false"),
        ({"comment": "yes"}, "comment is 'yes'; expected true or false"),
    ],
    ids=["none", "both", "missing", "threshold", "worse", "comment"],
)
def test_inputs_are_checked_first(runner, given, said):
    assert STEPS[0]["name"] == "Check the inputs"
    assert runner.run(**{**SAME, **AGAINST, **given}) == 2
    assert runner.log.startswith("::error::") and said in runner.log
    assert list((runner.folder / "temp").iterdir()) == []


def commands_of(log):
    """The commands of workflows that a runner would find in a log."""
    token, found = None, []
    for line in log.splitlines():
        if token is None and line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif token is None and line.lstrip().startswith("::"):
            found.append(line)
        elif line == f"::{token}::":
            token = None
    assert token is None
    return found


@pytest.mark.integration
def test_labels_are_no_commands(runner):
    work = runner.folder / "work"
    for name in ("old", "new"):
        path = work / f"{name}.conll"
        path.write_text(path.read_text().replace("-LOC", "-::error::owned", 1))
    assert runner.run(**WORSE, **AGAINST, fail_if_worse="false") == 0
    assert re.search("^::error::owned", runner.log, re.MULTILINE), runner.log  # else no test
    assert commands_of(runner.log) == []
    assert runner.run(**{**WORSE, "gold": "none.conll"}, **AGAINST) == 1
    assert commands_of(runner.log) == []
    assert runner.run(**WORSE, **AGAINST, threshold="1") == 3
    (command,) = commands_of(runner.log)
    assert command.startswith("::error::") and "span_f" in command


@pytest.mark.integration
def test_without_a_pull_request_or_a_permission_there_is_no_comment(runner):
    assert runner.run(**SAME, **AGAINST, comment="true", number=None) == 0
    assert runner.run(**SAME, **AGAINST, comment="true", fails="403") == 0, runner.log
    found = re.findall(
        "^::warning::no comment could be written: gh: Resource .*$", runner.log, re.M
    )
    assert len(found) == 1 and found[0].endswith(
        "(HTTP 403); permissions need pull-requests: write"
    )
    assert runner.comments == []


@pytest.mark.integration
def test_no_input_is_run_by_the_shell(runner):
    evil = "$(touch evil)`touch evil`\"; touch evil; '"
    names = {"gold": evil, "predictions": f"x{evil}"}
    for name, source in zip(names.values(), ("gold", "old")):
        (runner.folder / "work" / f"{source}.conll").rename(runner.folder / "work" / name)
    options = f"{OPTIONS}\n--format=conll"
    given = {"options": options, "title": evil, "baseline_predictions": names["predictions"]}
    assert runner.run(**names, **given, metrics="span_f", comment="true") == 0, runner.log
    (comment,) = runner.comments
    assert f"## {evil}" in comment["body"]
    assert runner.run(**names, **given, metrics=evil) == 2, runner.log
    assert list(runner.folder.rglob("evil")) == []


def test_a_long_report_leaves_its_details_out(runner):
    (step,) = [one for one in STEPS if one["name"].startswith("Comment")]
    report = runner.folder / "temp" / "report.md"
    report.write_text("### short\n\n<details>\n" + "long\n" * 13_000 + "</details>\n")
    runner.values = {
        "github.token": "secret",
        "github.event.pull_request.number": "7",
        "steps.compare.outputs.report": str(report),
        "inputs.title": "Scores",
    }
    assert runner.step(step, {}) == 0, runner.log
    (comment,) = runner.comments
    assert "### short" in comment["body"] and len(comment["body"]) < 300
    assert "too long for a comment" in comment["body"]


@pytest.mark.parametrize("package", ["", "spacy-chance-eval[parquet]==0.1"])
def test_pip_installs_the_action_or_what_is_named(runner, package):
    (step,) = [one for one in STEPS if one["name"] == "Install"]
    python = runner.folder / "bin" / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    runner.values = {"inputs.package": package}
    assert runner.step(step, {}) == 0
    assert runner.log.split() == ["-m", "pip", "install", "--quiet", package or str(ROOT)]


# --- what the file says


def test_scripts_have_no_expressions():
    """An input in a script would be run by the shell; in the environment it is a value."""
    assert [step["name"] for step in STEPS if "${{" in step.get("run", "")] == []


def test_the_workflow_of_the_page_gives_what_the_action_takes():
    _, text = blocks(page("docs/tools.md"), "yaml")
    workflow = srsly.yaml_loads(text)
    (job,) = workflow["jobs"].values()
    (given,) = [step["with"] for step in job["steps"] if "spacy-chance-eval" in step["uses"]]
    assert given.keys() <= ACTION["inputs"].keys() and given["comment"] is True
    required = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert required <= given.keys()
    # of contents to check out; GitHub's name for comments on pull requests
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
