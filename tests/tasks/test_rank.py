"""Several systems: files, folders, columns, layers on one board."""

import json
import subprocess
import sys

import pytest
import spacy
from spacy.tokens import DocBin

from helpers.cases import each_case
from helpers.textfiles import GOLD, PRED, call, conll, failed

FEW = ("--resamples", "50")


@pytest.fixture
def files(tmp_path):
    """Gold, a perfect copy and a worse prediction."""
    paths = [tmp_path / f"{name}.conll" for name in ("gold", "copy", "worse")]
    for path, tags in zip(paths, (GOLD, GOLD, PRED)):
        conll(path, tags)
    return paths


def ranked(*arguments):
    """The JSON of a board."""
    done = call("score", *arguments, *FEW, "-o", "-")
    result = json.loads(done.stdout)
    missing = [one for one in result["left_out"] if not one["optional"]]
    assert done.exit_code == (3 if missing else 0), done.stderr
    return result


def names(result, board=0):
    return [row["system"] for row in result["boards"][board]["rows"]]


def reasons(result):
    return {one["name"]: one["reason"] for one in result["left_out"]}


# --- where systems come from


def test_documents_with_equal_texts_keep_their_resamples_in_any_order(tmp_path):
    one, two = [{"start": 0, "end": 1, "label": "A"}], [{"start": 1, "end": 2, "label": "A"}]
    tokens = ["x", "y", "z", "w"]

    def write(name, rows):
        lines = (json.dumps({"tokens": tokens, "spans": row}) + "\n" for row in rows)
        (tmp_path / name).write_text("".join(lines))
        return tmp_path / name

    found = []
    for step in (1, -1):
        sides = [one] * 9, ([one, two] * 5)[:9], [*([two, one] * 5)[:7], one, one]
        paths = [
            write(n, rows[::step]) for n, rows in zip(("g.jsonl", "a.jsonl", "b.jsonl"), sides)
        ]
        found.append(ranked(*paths)["boards"])
    assert found[0] == found[1]


# --- the command


def test_each_output_is_written_by_its_ending(tmp_path, files):
    kinds = ("csv", "html", "json", "md", "svg", "tex")
    (tmp_path / "deep").mkdir()
    outputs = [one for kind in kinds for one in ("-o", tmp_path / "deep" / f"board.{kind}")]
    done = call("score", *files, *FEW, *outputs, "-o", tmp_path / "deep" / "pages")
    assert done.exit_code == 0, done.stderr
    written = sorted(path.name for path in (tmp_path / "deep").iterdir())
    assert written == [*(f"board.{kind}" for kind in kinds), "pages"]
    pages = {path.name for path in (tmp_path / "deep" / "pages").iterdir()}
    assert pages == {"index.html", "01-copy.html", "02-worse.html"}


def test_messages_in_files_are_whole_lines_without_colour(files):
    done = call("score", files[0], "no" * 60 + ".conll")
    assert done.stderr.count("\n") == 1 and "\x1b" not in done.stderr


@pytest.mark.integration
def test_a_reader_that_has_enough_is_no_error(files):
    command = [sys.executable, "-m", "spacy_chance_eval", "score", *map(str, files), *FEW]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    program.stdout.close()
    assert program.stderr.read() == ""
    assert program.wait() == 0
    program.stderr.close()


# --- systems of a list that are optional, or cannot be read


@pytest.fixture
def listed(tmp_path, files):
    """Ranks gold against a list: a good copy, and the systems that are given."""

    def rank(*rows, more=(), ranked=ranked):
        good = {"name": "good", "path": "copy.conll"}
        (tmp_path / "list.json").write_text(json.dumps({"systems": [good, *rows]}))
        return ranked(files[0], tmp_path / "list.json", *more)

    return rank


@each_case("damage", [b"Ada B-PER\nmet\n", b"\xff\xfe\xff B-PER\n", b"", b"\x1f\x8b damaged"])
def test_a_damaged_file_is_left_out(listed, tmp_path, damage):
    (tmp_path / "bad.conll").write_bytes(damage)
    result = listed({"name": "bad", "path": "bad.conll"})
    assert names(result) == ["good"] and str(tmp_path / "bad.conll") in reasons(result)["bad"]


def test_no_document_to_score_is_an_error_that_names_other_layers(tmp_path):
    for name in ("gold", "pred"):
        doc = spacy.blank("en")("Ada slept")
        doc.spans["sc"] = [doc[:1]]
        DocBin(docs=[doc]).to_disk(tmp_path / f"{name}.spacy")
    paths = (tmp_path / f"{name}.spacy" for name in ("gold", "pred"))
    message = failed("score", *paths, "-m", "span_f", "--layer", "ents")
    assert "other layers: spans:sc (--layer NAME)" in message
