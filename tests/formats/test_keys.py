"""Keys by which files are read: the same in a path, after --read, and in a list of systems."""

import pytest

from helpers.examples import ROOT
from helpers.textfiles import call
from spacy_chance_eval import read
from spacy_chance_eval.corpora.sources import parse_source
from spacy_chance_eval.formats.keys import keys

COLUMNS = "a 1 B-PER\nb 2 I-PER\nc 3 O\n\nd 4 S-LOC\n"
TAGS = "a\tB-PER\nb\tI-PER\nc\tO\n\nd\tB-LOC\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"odd": COLUMNS.replace("S-", "B-"), "p.conll": TAGS}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "systems.yml").write_text(
        "- {name: yml, path: odd, column: 2, documents: sentence, format: conll, scheme: IOB2}\n"
    )
    return tmp_path


KEYED = "odd#column=2,format=conll,documents=sentence,scheme=IOB2"
READ = ("--read", "format=conll", "--read", "documents=sentence,scheme=IOB2")


@pytest.mark.parametrize(
    "words",
    [
        ("score", "p.conll", KEYED),
        ("score", KEYED, "p.conll"),
        ("score", "odd", "p.conll#1", "--column", "2", *READ),
        ("score", "p.conll", "systems.yml", "--resamples", "0", "-o", "b.csv"),
        ("score", "p.conll", f"one={KEYED}", "--resamples", "0", "-o", "b.csv"),
        ("agree", KEYED, "p.conll", "--resamples", "0"),
        ("diff", "p.conll", KEYED),
        ("convert", KEYED, "made.jsonl"),
    ],
)
def test_a_key_is_the_same_wherever_it_stands(here, words):
    done = call(*words)
    assert done.exit_code == 0, done.stderr
    made = here / "made.jsonl"
    if made.exists():
        assert [one.layers for one in read(made).documents] == [
            {"gold": ((0, 2, "PER"),)},
            {"gold": ((0, 1, "LOC"),)},
        ]
    else:
        assert "1.00" in done.stdout or ",1.0," in done.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a#colum=2", "unknown key 'colum' (did you mean 'column'?)"),
        ("a#scheme=IOB", "unknown value of scheme 'IOB' (did you mean 'IOB2' or 'IOB1'?)"),
        ("a#column=1,layer=x", "has a column and a layer; give one of them"),
        ("a#scheme=IOB1,scheme=IOB2", "has scheme twice; give it once"),
        ("a#scheme=", "scheme must be a text or number"),
    ],
)
def test_what_is_no_key_or_value_is_an_error(text, message):
    with pytest.raises(ValueError) as error:
        parse_source(text)
    assert message in str(error.value)


def test_who_follows_a_refused_key_finds_keys(here):
    with pytest.raises(ValueError) as error:
        read("p.conll#labels=O,B-PER")
    message = str(error.value)
    assert message.startswith("p.conll: format conll has no key 'labels'; it has ")
    assert {*message.partition("it has ")[2].split(", ")} <= {*keys()}


def test_a_comma_stands_within_values_too():
    source = parse_source("x=a b/c.conll#column=1,2,labels=O,B-PER,align=tokens")
    assert (source.name, source.path, source.layer) == ("x", "a b/c.conll", "1,2")
    assert source.reading.given == {"labels": "O,B-PER", "align": "tokens"}


def test_a_file_whose_name_looks_like_keys_is_a_file(here):
    (here / "a#scheme=IOB1").write_text(TAGS)
    assert parse_source("a#scheme=IOB1").reading.given == {}


def test_every_key_says_what_it_is_and_trees_refuse_those_of_spans(here):
    listed = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for name, one in keys().items():
        assert f"| `{name}` | {one.metadata['about']} |" in listed
    (here / "t.conllu").write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    done = call("score", "t.conllu#scheme=IOB1", "t.conllu")
    assert "trees have no scheme; their keys are format, cycles" in done.stderr
    done = call("score", "t.conllu", "t.conllu", "--read", "scheme=IOB1")
    assert "--read scheme is for spans, but trees are compared" in done.stderr
    assert call("score", "t.conllu#strip_subtypes=yes", "t.conllu").exit_code == 0


def test_a_file_to_write_has_keys_of_its_own(here):
    assert call("convert", "p.conll", "a.spacy#lang=en,layer=spans:sc").exit_code == 0
    assert len(read("a.spacy").spans("spans:sc").doc) == 2 and not len(
        read("a.spacy").spans("ents").doc
    )
    assert call("convert", KEYED, "tasks.jsonl#format=prodigy").exit_code == 0
    assert '"answer": "accept"' in (here / "tasks.jsonl").read_text()
    message = call("convert", "p.conll", "b.jsonl#fromat=prodigy").stderr
    assert (
        "unknown key of a file to write 'fromat' (did you mean 'format'?); expected one of format"
        in message
    )
    message = call("convert", "p.conll", "b.jsonl#lang=en").stderr
    assert "unknown key of jsonl to write 'lang'; expected one of format, layer" in message
    (here / "two.conll").write_text("#token\tone\ttwo\na\tB-X\tB-Y\n")
    words = ("convert", "two.conll", "b.jsonl#layer=x", "--column", "all")
    assert "choose it, --layer: one, two" in call(*words).stderr
    assert call(*words, "--layer", "one").exit_code == 0
    assert read("b.jsonl").layer_names == ("x",)


def test_python_reads_keys_folders_and_lists(here):
    (here / "folder").mkdir()
    for name in ("a", "b"):
        (here / "folder" / f"{name}.conll").write_text(TAGS)
    own = read("odd", format="conll", column=2, documents="sentence", scheme="IOB2")
    assert own.documents == read(KEYED).documents == read("p.conll").documents
    assert list(read(KEYED).spans().start) == [0, 0]
    assert len(read("folder").documents) == 4 and len(read(["folder", KEYED]).documents) == 6
    two = read("odd#format=conll", columns={"one": 2, "two": 2})
    assert read("odd#format=conll", columns={"one": 2, "two": 2}, layer="two").layer_names == (
        "two",
    )
    with pytest.raises(ValueError, match="name a layer; available: one, two"):
        two.spans()
    with pytest.raises(ValueError, match="no files; name some"):
        read([])


def test_labels_are_called_otherwise_where_a_key_says_so(here):
    corpus = read("p.conll#rename=PER:Person,LOC:Person")
    assert {label for one in corpus.documents for *_, label in one.layers["gold"]} == {"Person"}
    assert call("score", "p.conll", "p.conll#rename=PER:Person").stdout != ""
    with pytest.raises(ValueError, match="rename is 'PER'; expected LABEL:NAME"):
        read("p.conll#rename=PER")
