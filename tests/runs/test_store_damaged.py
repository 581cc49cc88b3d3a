"""Files that are no runs, or damaged ones: refused, most of them before they are read."""

import json
import pickle

import numpy as np
import pytest

from helpers.cases import each_case
from runs.test_store import run_of
from spacy_chance_eval import FormatError
from spacy_chance_eval.runs.files import read_run, write_run


@pytest.fixture
def path(tmp_path):
    """A file of a run."""
    write_run(tmp_path / "a.run", run_of(annotations="text"))
    return tmp_path / "a.run"


def changed(path, change, **arrays):
    """The file with another header, and with other arrays."""
    with np.load(path) as stored:
        members = dict(stored)
    header = json.loads(members["run"].tobytes())
    members["run"] = np.frombuffer(json.dumps(change(header) or header).encode(), np.uint8)
    with open(path, "wb") as file:
        np.savez(file, **members | arrays)
    return path


def message(path):
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


NO_RUNS = [None, b"", b"PK\x03\x04", b"text", pickle.dumps([1])]


@each_case("content", NO_RUNS)
def test_what_is_no_run_is_an_error(tmp_path, content):
    said = "no such file" if content is None else "not a run written by `score`"
    if content is not None:
        (tmp_path / "a.npz").write_bytes(content)
    assert said in message(tmp_path / "a.npz")
    assert "no such file" in message(tmp_path)


@pytest.mark.parametrize("version", [7, "1", None])
def test_an_unknown_version_says_what_to_do(path, version):
    said = message(changed(path, lambda header: header | {"format_version": version}))
    assert f"format version {version!r}" in said and "update it, or save the run again" in said


@pytest.mark.parametrize("chance", ["candidates", "candidates-overlapping"])
def test_a_chance_model_that_is_gone_is_to_be_replaced(path, chance):
    kept = changed(path, lambda h: h["metrics"][0]["parameters"].update(chance=chance))
    said = message(kept)
    assert f"chance is '{chance}'" in said and "with another metric or chance model" in said
    assert "damaged" not in said


def test_a_file_cut_off_anywhere_is_an_error(path):
    whole = path.read_bytes()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        assert message(path)


@pytest.mark.integration
def test_a_file_with_any_wrong_byte_is_an_error_or_the_same(path):
    whole, run = path.read_bytes(), read_run(path)
    for place in range(0, len(whole), 41):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x15]) + whole[place + 1 :])
        try:
            assert read_run(path).counts.labels == run.counts.labels
        except FormatError:
            pass


def test_pickles_are_not_loaded(path):
    found = changed(path, lambda h: None, **{"0": np.array([{"a": 1}], object)})
    assert "damaged" in message(found)


def statistics(header):
    return header["metrics"][0]["observed"]


TAMPERED = {
    "no labels": lambda h: h.pop("labels") and None,
    "labels that are numbers": lambda h: h.update(labels=list(range(len(h["labels"])))),
    "a list": lambda h: [h],
    "another metric": lambda h: h["metrics"][0].update(metric="cohen_kappa"),
    "an unknown metric": lambda h: h["metrics"][0].update(metric="__class__"),
    "a wrong beta": lambda h: h["metrics"][0]["parameters"].update(beta="x"),
    "a beta of text": lambda h: h["metrics"][0]["parameters"].update(beta="2.0"),
    "a parameter less": lambda h: h["metrics"][0]["parameters"].pop("beta") and None,
    "a parameter more": lambda h: h["metrics"][0]["parameters"].update(x=1),
    "an array that is not there": lambda h: statistics(h).update(gold=999),
    "another kind": lambda h: statistics(h).update(kind="Pairings"),
    "no kind": lambda h: statistics(h).pop("kind") and None,
    "facts that are none": lambda h: h.update(facts=[]),
    "one source": lambda h: h.update(sources=["x"]),
    "a text for sources": lambda h: h.update(sources="xy"),
    "empty annotations": lambda h: h.update(annotations={}),
    "a title that is none": lambda h: h.update(title=[1]),
    "spans outside": lambda h: h["annotations"]["gold"].update(doc=h["annotations"]["gold"]["end"]),
    "fewer words": lambda h: h["annotations"]["words"].pop() and None,
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_parts_that_do_not_fit_each_other_are_an_error(path, change):
    assert message(changed(path, change))


def test_deeply_nested_headers_are_an_error(path):
    deep = np.frombuffer(b"[" * 100_000 + b"]" * 100_000, np.uint8)
    assert "damaged" in message(changed(path, lambda h: None, run=deep))
