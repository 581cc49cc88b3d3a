"""Duplicate spans, and second answers of an annotator: `duplicates` of every reader."""

import json

import pytest

from helpers.blocks import many_blocks
from helpers.cases import each_case
from spacy_chance_eval import read
from spacy_chance_eval.corpora.compared import Compared
from spacy_chance_eval.corpora.jobs import Asked, Job
from spacy_chance_eval.corpora.pairs import find_pair
from spacy_chance_eval.corpora.passes import Workers, count_sources
from spacy_chance_eval.corpora.sources import Annotator
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.formats.notes import ANSWERS, APART, COUNTED, MERGED
from spacy_chance_eval.measures.spans import Copy
from spacy_chance_eval.metrics.request import request
from spacy_chance_eval.tasks.score import score_files

TEXT = "Ada met Rex"
ADA = (0, 3, "PER")


def jsonl(path, *features, **more):
    """A row with the span PER [0, 3) for each of some features."""
    spans = [{"start": 0, "end": 3, "label": "PER", "features": said} for said in features]
    return written(path / "a.jsonl", {"text": TEXT, "spans": spans} | more)


def written(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def gate(path, *features):
    found = [
        {"id": i, "type": "PER", "start": 0, "end": 3, "features": said}
        for i, said in enumerate(features)
    ]
    sets = {"ann": {"name": "ann", "annotations": found}}
    (path / "a.bdocjs").write_text(
        json.dumps({"text": TEXT, "offset_type": "p", "annotation_sets": sets, "features": {}})
    )
    return path / "a.bdocjs"


def docbin(path, *features):
    import spacy
    from spacy.tokens import DocBin, Span

    doc = spacy.blank("en")(TEXT)
    doc.spans["sc"] = [Span(doc, 0, 1, "PER") for _ in features]
    DocBin([], docs=[doc]).to_disk(path / "a.spacy")
    return path / "a.spacy"


SAME = {"start": 0, "end": 3, "label": "PER"}
OFFSETS = {"start_offset": 0, "end_offset": 3, "label": "PER"}
KINDS = "aba"
FILES = {  # the name of a file, its content, and options: one span three times, of these kinds
    "jsonl": (
        "a.jsonl", {"text": TEXT, "spans": [SAME | {"features": {"kind": k}} for k in KINDS]},
        {"offsets": "char"},
    ),
    "doccano": (
        "a.jsonl", {"text": TEXT, "entities": [OFFSETS | {"kind": k} for k in KINDS],
                    "Comments": []}, {"format": "doccano"},
    ),
    "prodigy": (
        "a.jsonl", {"text": TEXT, "spans": [SAME | {"kind": k} for k in KINDS], "_input_hash": 1},
        {"format": "prodigy"},
    ),
    "brat": (
        "a.ann",
        [f"T{i}\tPER 0 3\tAda\nA{i}\tkind T{i} {k}" for i, k in enumerate(KINDS, 1)], {},
    ),
    "csv": (
        "a.csv",
        ["document,annotator,start,end,label,size,kind", *(f"a,A,0,3,PER,11,{k}" for k in KINDS)],
        {"offsets": "char"},
    ),
}  # fmt: skip
A, B = {"kind": "a"}, {"kind": "b"}
COUNTED_AS = {  # what counts beside the first, and the notes
    "merge": ((Copy(B),), {MERGED: 1, APART: 1}),
    "last": ((), {MERGED: 2}),
    "keep": ((Copy(B, True), Copy(A, True)), {COUNTED: 2}),
}


@pytest.mark.parametrize("how", COUNTED_AS)
@pytest.mark.parametrize("name", FILES)
def test_a_span_that_is_there_again_counts_as_asked_for(tmp_path, name, how):
    file, content, options = FILES[name]
    text = json.dumps(content) if isinstance(content, dict) else "\n".join(content)
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / file).write_text(text)
    corpus = read(tmp_path / file, **options, duplicates=how)
    (document,) = corpus.documents
    (layer,) = (name for name, spans in document.layers.items() if spans)
    copies, counts = COUNTED_AS[how]
    assert (document.layers[layer], document.features[layer]) == ((ADA,), {ADA: A})
    assert document.copies.get(layer, {}) == ({ADA: copies} if copies else {})
    assert corpus.notes.counts == counts


@pytest.mark.parametrize("how", ["merge", "keep"])
def test_spans_of_docs_are_there_again(tmp_path, how):
    corpus = read(docbin(tmp_path, {}, {}), duplicates=how)
    assert corpus.documents[0].layers["spans:sc"] == ((0, 1, "PER"),)
    assert corpus.notes.counts == {MERGED if how == "merge" else COUNTED: 1}


def test_spans_that_fit_no_tokens_are_one_too(tmp_path):
    twice = [{"start": 1, "end": 3, "label": "PER"}] * 2
    row = {"tokens": ["Ada", "met"], "text": "Ada met", "spans": twice}
    path = written(tmp_path / "a.jsonl", row)
    how = {"offsets": "char", "misaligned": "unplaced"}
    corpus = read(path, **how)
    assert corpus.documents[0].unplaced == {"spans": ((1, "PER"),)}
    assert corpus.notes.sentences() == [
        f"1 duplicate span was read once: PER that fits no tokens ({path}:1)"
    ]


def test_what_is_said_of_a_copy_goes_with_its_span_to_the_tokens(tmp_path):
    tokens = [{"text": "Ada", "start": 0, "end": 3}, {"text": "met", "start": 4, "end": 7}]
    spans = [{"start": 4, "end": 7, "label": "X", "features": {"n": n}} for n in (1, 2)]
    path = written(tmp_path / "a.jsonl", {"text": "Ada met", "tokens": tokens, "spans": spans})
    (document,) = read(path, offsets="char").documents
    assert document.features == {"spans": {(1, 2, "X"): {"n": 1}}}
    assert document.copies == {"spans": {(1, 2, "X"): (Copy({"n": 2}),)}}


# --- answers


def answer(spans=(), session="ann", time=None, **more):
    task = {"text": TEXT, "_input_hash": 1, "_task_hash": 2, "_session_id": session}
    task["spans"] = [{"start": s, "end": e, "label": "X"} for s, e in spans]
    return task | ({} if time is None else {"_timestamp": time}) | more


NONE, ONE = answer(), answer([(0, 3)])
REJECTED, IGNORED = (NONE | {"answer": how} for how in ("reject", "ignore"))
OTHER = ":2: a second, other answer.*--read duplicates=last"
# rows, value of duplicates, spans of the answer that counts, or an error
ANSWERED = {
    "alike": ([ONE, ONE], "merge", 1),
    "rejected twice": ([REJECTED, REJECTED], "merge", None),
    "two others": ([ONE, NONE], "merge", OTHER),
    "accepted and rejected": ([ONE, REJECTED], "merge", OTHER),
    "rejected and accepted": ([REJECTED, ONE], "merge", OTHER),
    "the last of two": ([ONE, NONE], "last", 0),
    "the latest": ([answer([(0, 3)], time=1), answer(time=2)], "last", 0),
    "the latest is first": ([answer(time=2), answer([(0, 3)], time=1)], "last", 0),
    "the last is a rejection": ([ONE, REJECTED], "last", None),
    "the last is no rejection": ([REJECTED, ONE], "last", 1),
    "the last is ignored": ([ONE, IGNORED], "last", None),
    "the last is not ignored": ([IGNORED, ONE], "last", 1),
}


@pytest.mark.parametrize("field", [{}, {"annotator": "auto"}], ids=["file", "field"])
@pytest.mark.parametrize(("rows", "how", "found"), ANSWERED.values(), ids=ANSWERED)
def test_of_two_answers_of_an_annotator_one_counts(tmp_path, rows, how, found, field):
    path, options = written(tmp_path / "a.jsonl", *rows), {"duplicates": how, **field}
    if isinstance(found, str):
        with pytest.raises(FormatError, match=found):
            read(path, format="prodigy", **options)
        return
    corpus = read(path, format="prodigy", **options)
    (spans,) = corpus.documents[0].layers.values()
    assert (spans if spans is None else len(spans)) == found
    assert corpus.notes.counts == {ANSWERS: 1} and corpus.notes.places[ANSWERS][0].line in (1, 2)


@each_case(
    "times, session", [((1, 1), "ann"), ((1, None), "ann"), ((1, 2), None)]
)  # the same time, one time only, nobody
def test_other_answers_of_which_none_is_known_to_be_the_last_are_an_error(tmp_path, times, session):
    rows = (answer(s, session, t) for s, t in zip(([(0, 3)], []), times))
    with pytest.raises(FormatError, match=":2: a second, other answer"):
        read(written(tmp_path / "a.jsonl", *rows), format="prodigy")


# --- counts


def counted(*paths, workers=None, **options):
    names = ("gold", "pred")
    sources, *_ = find_pair(*map(str, paths), Reading.of(options))
    find = lambda number, *_: [Annotator(names[number], number, "spans")]  # noqa: E731
    job = Job(Asked({"gate_f": request("gate_f")}), Compared(find))
    return count_sources(sources, job, workers)


def rows_with_duplicates(n_docs):
    for number in range(n_docs):
        spans = [[0, 1, "X"]] * (1 + number % 3) + [[1, 2, "Y"]]
        yield {"id": f"d{number}", "tokens": ["a", "b", "c"], "spans": spans}


def two_files(path, n_docs=13):
    rows = list(rows_with_duplicates(n_docs))
    return written(path / "gold.jsonl", *rows), written(path / "pred.jsonl", *rows)


@pytest.mark.parametrize("how", ["merge", "keep"])
def test_one_block_and_many_have_the_same_notes_and_numbers(how, tmp_path):
    files = two_files(tmp_path)
    reading = Reading(duplicates=how)

    def results():
        found = score_files(*files, metrics={"f": request("gate_f")}, reading=reading)
        return counted(*files, duplicates=how).notes, found["layers"]

    notes, layers = results()
    with many_blocks():
        assert results() == (notes, layers)
    assert notes.count(MERGED if how == "merge" else COUNTED) == 24


@pytest.mark.integration
def test_processes_have_the_same_notes(tmp_path):
    files = two_files(tmp_path, 300)
    assert counted(*files, workers=Workers(n_process=2)).notes == counted(*files).notes


def scored(path, features="none", **options):
    """(correct, partial, missing, spurious) of GATE's measures for key and response."""
    from helpers.gate_corpora import counts

    key, response = (read(one, **options) for one in path)
    sides = (corpus.spans(corpus.layer_names[0]) for corpus in (key, response))
    return counts(*sides, features=features)


def test_a_key_twice_and_a_response_once_are_one_correct_and_one_missing_in_gate(tmp_path):
    (tmp_path / "key").mkdir()
    files = gate(tmp_path / "key", {}, {}), gate(tmp_path, {})
    assert scored(files) == (1, 0, 1, 0)
    assert scored(files, duplicates="merge") == (1, 0, 0, 0)
    assert read(files[0]).notes.counts == {COUNTED: 1}


@pytest.mark.parametrize(
    "features, how, expected",
    [
        ("none", "merge", (1, 0, 0, 0)),
        ("kind", "merge", (1, 0, 1, 0)),
        ("other", "merge", (1, 0, 0, 0)),
        ("none", "keep", (1, 0, 1, 0)),
        ("kind", "last", (0, 0, 1, 1)),
    ],
)
def test_spans_with_other_features_count_where_features_do(features, how, expected, tmp_path):
    (tmp_path / "key").mkdir()
    files = jsonl(tmp_path / "key", {"kind": "a"}, {"kind": "b"}), jsonl(tmp_path, {"kind": "a"})
    assert scored(files, features, offsets="char", duplicates=how) == expected
