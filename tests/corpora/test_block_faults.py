"""Files that are cut off, missing or change: named, and nothing is written; or left out."""

import json
import os
import re

import pytest

from helpers.blocks import assert_alike, in_blocks, made, many_blocks, score, two_folders
from helpers.textfiles import call, failed
from spacy_chance_eval.corpora import passes
from spacy_chance_eval.corpora.jobs import Job
from spacy_chance_eval.corpora.passes import Workers
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.runs.files import read_run

pytestmark = pytest.mark.integration

SKIP = Workers(skip_bad=True)


@pytest.fixture(autouse=True)
def large():
    """Files count as large, and have blocks of two or three documents."""
    with many_blocks(strict=False):
        yield


@pytest.fixture
def both(tmp_path):
    """Folders of gold and predictions, with four files each."""
    return two_folders(tmp_path, made(21), 4, 4)


def cut(path, share=0.5):
    """Cut a file off; the path as text."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return str(path)


def cut_line(gold, pred):
    return cut(pred / "part-2.jsonl", 0.9)


def cut_gzip(gold, pred):
    return cut(gold / "part-1.jsonl.gz")


def emptied(gold, pred):
    return cut(pred / "part-0.jsonl", 0)


def missing(gold, pred):
    (pred / "part-3.jsonl.gz").unlink()
    return str(gold / "part-3.jsonl.gz")


def longer(gold, pred):
    """A prediction with one document too many."""
    path = pred / "part-0.jsonl"
    path.write_text(path.read_text() + path.read_text().splitlines()[-1].replace('"d', '"e') + "\n")
    return str(path)


FAULTS = [cut_line, cut_gzip, emptied, missing]


def numbers_of(path):
    """The number in the name of a file."""
    return re.search(r"part-(\d)", path)[1]


def without(both, number):
    """Remove the files with this number of gold and of the prediction."""
    for side in both:
        for path in side.glob(f"part-{number}*"):
            path.unlink()


def check_left_out(found, both, bad):
    """A result has to be that of the other files, but for saying what was left out."""
    (left_out,) = found.pop("left_out")
    assert any(numbers_of(path) == numbers_of(bad) for path in left_out["files"])
    assert left_out["reason"]
    without(both, numbers_of(bad))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "LARGE", 10**9)
        expected = score(*both)
    expected.pop("left_out")
    for one in found["layers"][0]["scores"].values():
        assert "|left_out=1/4|" in one["signature"]
        one["signature"] = one["signature"].replace("|left_out=1/4", "")
    assert_alike(found, expected)


# --- files that cannot be read


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_bad_file_is_named_and_nothing_is_written(fault, both, tmp_path):
    bad = fault(*both)
    (tmp_path / "old.json").write_text("old")
    before = sorted(tmp_path.rglob("*"))
    assert bad in failed("score", *both, "-o", tmp_path / "old.json")
    for name in ("new.run", "board"):  # which take the texts of all documents
        message = failed("score", *both, "-o", tmp_path / "old.json", "-o", tmp_path / name)
        assert bad in message or f"{both[1]}: there is no document" in message
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "old.json").read_text() == "old"


def test_a_file_of_other_documents_than_its_partner_is_left_out(both):
    bad = longer(*both)
    found = in_blocks(*both, workers=SKIP)
    assert "other documents than its partner" in found["left_out"][0]["reason"]
    check_left_out(found, both, bad)


def test_a_bad_docbin_is_left_out(both, tmp_path):
    pytest.importorskip("spacy")
    from spacy_chance_eval.tasks.convert import write_corpus

    (tmp_path / "bin").mkdir()
    binary = [tmp_path / "bin" / side.name for side in both]
    for source, target in zip(both, binary):
        target.mkdir()
        for path in source.iterdir():
            file = target / f"{path.name.split('.')[0]}.spacy"
            write_corpus(read_corpus(path), file, {"format": "spacy", "lang": "en"})
    bad = binary[1] / "part-2.spacy"
    bad.write_bytes(b"")
    assert str(bad) in failed("score", *binary)
    check_left_out(in_blocks(*binary, workers=SKIP), binary, str(bad))


def test_the_commands_say_what_they_left_out(tmp_path):
    both = two_folders(tmp_path, made(21, more=False), 4, 4)
    bad = cut_line(*both)
    done = call("score", *both, "--read", "skip_bad=yes", "-o", tmp_path / "a.json")
    assert done.exit_code == 0, done.stderr
    assert "Left out, and in no number:" in done.stdout
    assert json.loads((tmp_path / "a.json").read_text())["left_out"][0]["files"][1] == bad
    done = call("score", *both, "--read", "skip_bad=yes", "-o", tmp_path / "a.run")
    assert done.exit_code == 0 and "Left out, and in no number:" in done.stdout
    assert read_run(tmp_path / "a.run").facts["left_out"] == "1/4"
    done = call("score", *both, "--read", "skip_bad=yes", "--resamples", "20", "-o", "-")
    assert done.exit_code == 0, done.stderr
    assert bad in json.loads(done.stdout)["left_out"][0]["files"]


def test_if_all_files_are_bad_that_is_an_error(both):
    for path in both[1].iterdir():
        cut(path)
    message = failed("score", *both, "--read", "skip_bad=yes")
    assert "nothing can be read" in message and "part-" in message


# --- files that change


def touched(path):
    """Change the time of a file."""
    facts = os.stat(path)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns + 10**9))


@pytest.fixture
def meanwhile(monkeypatch):
    """Do something once, before some part of the work."""

    def set_up(name, function):
        plain_work, todo = getattr(Job, name), [function]

        def work(*arguments, **options):
            while todo:
                todo.pop()()
            return plain_work(*arguments, **options)

        monkeypatch.setattr(Job, name, work)

    return set_up


def with_new_labels(path):
    """Write a file anew with other labels."""
    path.write_text(path.read_text().replace("LOC", "NEW").replace("PER", "NEWER"))


def with_another_document(path):
    text = path.read_text()
    path.write_text(text + text.splitlines()[-1].replace('"d', '"e') + "\n")


def broken(path):
    path.write_text(path.read_text()[:-9])


CHANGES = [touched, with_new_labels, with_another_document, broken, os.remove]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("when", ["survey", "count"])
@pytest.mark.parametrize("kept", [0, 10**9])
def test_a_file_that_changes_is_named(kept, when, change, both, meanwhile):
    path = both[1] / "part-2.jsonl"
    meanwhile(when, lambda: change(path))
    with pytest.raises(FormatError, match="changed while it was read") as caught:
        in_blocks(*both, kept=kept)
    assert caught.value.path == str(path)


def test_a_run_is_not_written_if_a_file_changes(both, tmp_path, meanwhile):
    (tmp_path / "new").mkdir()
    meanwhile("count", lambda: touched(both[0] / "part-0.jsonl"))
    assert "part-0.jsonl: changed while it was read" in failed(
        "score", *both, "-o", f"{tmp_path}/new/a.run#text=no"
    )
    assert list((tmp_path / "new").iterdir()) == []


def test_a_file_that_is_bad_in_the_second_pass_only_is_left_out_of_both(both, monkeypatch):
    bad, plain_count = both[1] / "part-1.jsonl.gz", Job.count

    def count(self, survey, sources, batch, kept):
        if batch.number == 1:
            raise FormatError("cannot be read", bad)
        return plain_count(self, survey, sources, batch, kept)

    monkeypatch.setattr(Job, "count", count)
    check_left_out(in_blocks(*both, workers=SKIP), both, str(bad))
