"""The commands of `spacy-chance-eval`: what they print, write and import."""

import json
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from helpers.cases import each_case
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, call, conll, failed, jsonl, score, scored
from spacy_chance_eval import CATALOG, FormatError, read, sample
from spacy_chance_eval.cli.command import Command
from spacy_chance_eval.spacy_docs.docbin import read_docbin

NESTED = [(0, 3, "A"), (1, 2, "A")]

NO_SPACY = """
import sys
from spacy_chance_eval.cli import app
try:
    app({arguments}, standalone_mode=False)
finally:
    print(sorted(name for name in sys.modules if name.split(".")[0] in ("spacy", "thinc")))
"""


@pytest.fixture
def files(tmp_path):
    """Gold and prediction as CoNLL."""
    return conll(tmp_path / "gold.conll", GOLD), conll(tmp_path / "pred.conll", PRED)


def test_the_json_holds_everything(files, tmp_path):
    score(*files, "-o", tmp_path / "x.json")
    result = json.loads((tmp_path / "x.json").read_text())
    assert (result["gold"], result["pred"]) == tuple(map(str, files))
    row = result["layers"][0]["scores"]["span_f"]
    assert {"observed", "expected", "corrected", "macro", "per_label", "signature"} <= row.keys()
    assert row["per_label"]["PER"]["gold"] == 2


def test_the_signature_names_every_parameter_the_data_and_the_version(files):
    parts = scored(*files)["scores"]["span_f"]["signature"].split("|")
    assert parts[0] == "span_f(beta=1.0,chance=disjoint,unit=sentence)"
    keys = [part.partition("=")[0] for part in parts[1:]]
    assert keys == ["positions", "docs", "gold", "repair", "v"]


def test_the_json_is_written(files, tmp_path):
    score(*files, "-o", tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text())["layers"]


def test_an_old_file_stays_if_scoring_fails(files, tmp_path):
    (tmp_path / "x.json").write_text("old")
    failed("score", *files, "--unit", "word", "-o", tmp_path / "x.json")
    assert (tmp_path / "x.json").read_text() == "old"


def test_output_that_cannot_be_written_is_one_message(files, tmp_path):
    (tmp_path / "folder").mkdir()
    done = call("score", *files, "-o", tmp_path / "folder" / ("x" * 300 + ".json"))
    assert done.exit_code == 1
    assert "folder" in done.stderr and "Traceback" not in done.stderr
    assert not list((tmp_path / "folder").rglob("*.json"))


def test_json_on_standard_output_stands_alone(files):
    done = call("score", *files, "-o", "-")
    assert json.loads(done.stdout)["gold"] == str(files[0])
    assert "micro avg" in done.stderr


def test_spans_that_overlap_become_a_group_unless_strictly(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", NESTED)
    message = failed("convert", path, tmp_path / "a.spacy", "--strict")
    assert "1 overlapping span" in message and not (tmp_path / "a.spacy").exists()
    done = call("convert", path, tmp_path / "a.spacy")
    assert "spans overlap: they are the span group 'spans'" in done.stdout
    assert read_docbin(tmp_path / "a.spacy").documents[0].layers["spans:spans"] == tuple(NESTED)


def test_metrics_lists_the_catalog():
    printed = call("metrics").stdout
    for metric in CATALOG.values():
        assert f"{metric.name}(" in printed and metric.paper in printed


def test_the_sample_needs_no_spacy_to_be_read():
    assert len(read(sample.path("test.jsonl")).documents) == 64


@each_case("command", [(), ("score",), ("convert",), ("metrics",)])
def test_every_command_has_help(command):
    done = call(*command, "--help")
    assert done.exit_code == 0
    assert "Usage" in done.stdout


@pytest.mark.integration
def test_the_module_is_the_program():
    run = subprocess.run(
        [sys.executable, "-m", "spacy_chance_eval", "metrics"], capture_output=True, text=True
    )
    assert run.returncode == 0
    assert "span_f(" in run.stdout


@pytest.mark.integration
@pytest.mark.parametrize("suffix", ["conll", "jsonl"])
def test_text_files_are_scored_without_spacy(tmp_path, suffix):
    paths = [tmp_path / f"{side}.{suffix}" for side in ("gold", "pred")]
    for path, tags, spans in zip(paths, (GOLD, PRED), (SPANS, FOUND)):
        conll(path, tags) if suffix == "conll" else jsonl(path, spans)
    code = NO_SPACY.format(arguments=["score", *map(str, paths)])
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "micro avg" in run.stdout
    assert run.stdout.splitlines()[-1] == "[]"


@pytest.mark.integration
@pytest.mark.parametrize("module", ["spacy_chance_eval", "spacy_chance_eval.cli"])
def test_importing_does_not_import_spacy(module):
    code = f"import sys, {module}; print([n for n in ('spacy', 'thinc') if n in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "[]\n"), run.stderr


def call_raising(error):
    """What becomes of a command that raises an error."""
    app = typer.Typer()

    @app.command(cls=Command)
    def fail():
        raise error

    return CliRunner().invoke(app)


@pytest.mark.parametrize("error", [ValueError, OSError, ImportError, FormatError])
def test_bad_input_ends_with_exit_code_1(error):
    done = call_raising(error("what is wrong"))
    assert (done.exit_code, done.stderr) == (1, "\u2718 what is wrong\n")


def test_a_mistake_of_ours_is_not_hidden():
    assert isinstance(call_raising(ZeroDivisionError()).exception, ZeroDivisionError)


def test_a_column_can_be_converted(tmp_path):
    (tmp_path / "a.conll").write_text("Ada B-PER O\nslept O O\n")
    done = call("convert", tmp_path / "a.conll", tmp_path / "a.spacy", "--column", "1")
    assert done.exit_code == 0
    found = read_docbin(tmp_path / "a.spacy").documents[0].layers["ents"]
    assert found == ((0, 1, "PER"),)
