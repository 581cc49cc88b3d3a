"""How systems are named: on the command line, and in lists."""

import json

import pytest

from helpers.cases import each_case, rows_in
from spacy_chance_eval.corpora.sources import (
    name_systems,
    parse_source,
    parse_systems,
    read_systems,
)
from spacy_chance_eval.formats import FormatError


def listed(tmp_path, *systems, name="systems.yml"):
    """A list of systems as a file."""
    path = tmp_path / name
    path.write_text(json.dumps({"systems": systems}))  # JSON is YAML, too
    return str(path)


@pytest.mark.parametrize(
    ("text", "path", "layer", "name"),
    [
        ("out/a.conll", "out/a.conll", None, None),
        ("out/a.conll#2", "out/a.conll", "2", None),
        ("out/a.conll#-1", "out/a.conll", "-1", None),
        ("BERT=out/a.conll", "out/a.conll", None, "BERT"),
        ("BERT large=a.conll#x", "a.conll", "x", "BERT large"),
        ("out=1/a.conll", "1/a.conll", None, "out"),
        ("runs/lr=1/a.conll", "runs/lr=1/a.conll", None, None),
        ("a.spacy#spans:sc", "a.spacy", "spans:sc", None),
        ("en_core_web_sm", "en_core_web_sm", None, None),
    ],
)
def test_a_system_is_a_path_with_a_name_and_a_layer(text, path, layer, name):
    system = parse_source(text)
    assert (system.path, system.layer, system.name) == (path, layer, name)


@pytest.mark.parametrize("file", ["x=y.conll", "a#b.conll"])
def test_what_exists_is_a_path_whatever_its_letters(tmp_path, monkeypatch, file):
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).touch()
    assert parse_source(file).path == file
    assert parse_source(f"N={file}").path == file


@pytest.mark.parametrize("text", ["", "#2", "a.conll#", "=a.conll", "N="])
def test_what_names_no_path_is_an_error(text):
    with pytest.raises(ValueError, match="cannot read the system"):
        parse_source(text)


def test_a_list_gives_name_link_and_year(tmp_path):
    row = {"name": "A", "path": "a.conll", "column": 2, "link": "https://x.org", "year": 2003}
    (system,) = read_systems(listed(tmp_path, row | {"scheme": "IOB1"}))
    assert (system.name, system.layer, system.link, system.year) == (
        "A",
        "2",
        "https://x.org",
        2003,
    )
    assert system.reading.given == {"scheme": "IOB1"}
    assert system.path == str(tmp_path / "a.conll")
    assert read_systems(listed(tmp_path, {"path": "en_core_web_sm"}))[0].path == "en_core_web_sm"


@pytest.mark.parametrize(("row", "message"), rows_in(__file__, "bad_systems.jsonl"))
def test_a_bad_entry_of_a_list_is_an_error(tmp_path, row, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_systems(listed(tmp_path, row))
    assert "systems.yml" in str(caught.value)


GONE = "candidates: capitalised\nsystems: [{path: a.conll}]"
NO_LISTS = ["", "systems: []", "systems: 3", "- : :", "{", "a: [b", GONE]
# plain values alone, whatever a stranger writes
NO_YAML = [
    "systems: [a,\n b: {\n",
    "- !!python/object/apply:os.system [id]\n",
    "- !!bool x\n",
    "- !mine x\n",
    "[" * 5_000,
    "".join(" " * i + "a:\n" for i in range(600)),
    "a: 1\na: 2\n",
    "a: 2001-99-99\n",
    "b: '\x01'\n",
    "a: " + "9" * 5000,
    "systems: [{path: a.conll, year: 0x_}]",
]


@each_case("text", [*NO_LISTS, *NO_YAML])
def test_what_is_no_list_is_an_error_of_one_short_line(tmp_path, text):
    (tmp_path / "x.yml").write_text(text)
    message = r"x\.yml(:\d+)?: no plain YAML" if text in NO_YAML else "x.yml"
    with pytest.raises(FormatError, match=message) as caught:
        read_systems(tmp_path / "x.yml")
    assert len(str(caught.value)) < 500 and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "row",
    [
        {"tokens": ["Ada"], "ner_tags": ["O"], "path": "x.conll"},
        {"text": "Ada", "predictions": []},
        ["Ada", {"entities": []}],
    ],
    ids=["tags", "entities", "spacy-2"],
)
def test_json_of_rows_is_a_system(tmp_path, row):
    (tmp_path / "crf.json").write_text(json.dumps([row]))
    (system,) = parse_systems([str(tmp_path / "crf.json")])
    assert (system.name, system.path) == ("crf", str(tmp_path / "crf.json"))


def test_a_missing_list_is_an_error(tmp_path):
    with pytest.raises(FormatError, match="no.yml"):
        parse_systems([str(tmp_path / "no.yml")])


def test_two_systems_of_one_name_are_an_error():
    with pytest.raises(ValueError, match="two systems are called 'A'"):
        parse_systems(["A=x.conll", "A=y.conll"])
    with pytest.raises(ValueError, match="two systems are called 'x'"):
        parse_systems(["x.conll", "x.conll"])


def test_a_given_name_stays_where_a_file_is_called_alike():
    assert [
        s.name for s in name_systems(parse_systems(["a=x.conll"]) + [parse_source("a.conll")])
    ] == ["a", "a.conll"]
