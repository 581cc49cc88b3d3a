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
from spacy_chance_eval.scoring.statistics import headline
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


def test_undefined_scores_are_null_in_json(tmp_path):
    layer = scored(*(conll(tmp_path / f"{side}.conll", ["O"] * 7) for side in "ab"))
    assert headline(layer["scores"]["span_f"]) is None
    assert headline(layer["scores"]["slicm_norm"]) is None


def test_spacy_files_are_scored_like_their_source(tmp_path):
    source, target = sample.path("dev.jsonl"), tmp_path / "dev.spacy"
    assert call("convert", source, f"{target}#lang=en").exit_code == 0
    for layer, group in (("spans", "ents"), ("sc", "spans:sc")):
        found = scored(f"{source}#{layer}", f"{target}#{group}", "--chance", "none")
        assert headline(found["scores"]["span_f"]) == 1.0


def test_convert_says_how_many_documents_it_wrote(tmp_path):
    done = call("convert", sample.path("dev.jsonl"), tmp_path / "dev.spacy")
    assert "dev.spacy: 6 documents" in " ".join(done.stdout.split())
    assert (tmp_path / "dev.spacy").is_file()


def test_convert_can_choose_the_entities(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", SPANS, layers={"x": [[0, 1, "B"]]})
    assert call("convert", path, f"{tmp_path / 'a.spacy'}#ents=x").exit_code == 0
    layer = scored(tmp_path / "a.spacy", tmp_path / "a.spacy")
    assert list(layer["scores"]["span_f"]["per_label"]) == ["B"]


def test_what_cannot_be_converted_is_one_message(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", [(0, 99, "A")])
    assert "a.jsonl:1" in failed("convert", path, tmp_path / "a.spacy")
    assert not (tmp_path / "a.spacy").exists()


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


def test_a_layer_that_is_not_there_cannot_become_the_entities(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", SPANS)
    assert "'nope'" in failed("convert", path, f"{tmp_path / 'a.spacy'}#ents=nope")


def test_characters_that_fit_no_tokens_are_said_to_be_left_out(tmp_path):
    row = '{"text": "Ada slept", "tokens": ["Ada", "slept"], "spans": [[0, 3, "A"], [0, 5, "A"]]}'
    (tmp_path / "a.jsonl").write_text(row + "\n")
    options = ("--read", "offsets=char", "--read", "misaligned=unplaced")
    done = call("convert", tmp_path / "a.jsonl", tmp_path / "a.spacy", *options)
    assert done.exit_code == 0
    assert "dropped: 1 unplaced span" in done.stdout


def test_a_column_can_be_converted(tmp_path):
    (tmp_path / "a.conll").write_text("Ada B-PER O\nslept O O\n")
    done = call("convert", tmp_path / "a.conll", tmp_path / "a.spacy", "--column", "1")
    assert done.exit_code == 0
    found = read_docbin(tmp_path / "a.spacy").documents[0].layers["ents"]
    assert found == ((0, 1, "PER"),)
