"""From every reader to every writer: what the target cannot hold is dropped, counted, and no error.

Reading what was written gives the reduced corpus, whatever the pair.
"""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_chance_eval import Corpus, Document, FormatError
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats.alignment import in_tokens
from spacy_chance_eval.formats.documents import n_positions
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.formats.losses import TARGETS, reduced
from spacy_chance_eval.formats.prodigy import ATTRIBUTES
from spacy_chance_eval.formats.texts import join_words
from spacy_chance_eval.spacy_docs.docbin import entity_layer
from spacy_chance_eval.spacy_docs.docs import borders_of
from spacy_chance_eval.tasks.convert import convert_file, write_corpus

WORDS = ("Ada", "Byron", "met", "\U0001f600", "Bob", ".")
TEXT = "Ada Byron met \U0001f600 Bob."
SPACES = (True, True, True, True, False, False)
ENDINGS = {"spacy": ".spacy", "conll": ".conll"}


def rich(name, **layers):
    """A document with everything that a document can have."""
    span = (0, 2, "PER")
    return Document(
        WORDS,
        {"ann": [span, (0, 1, "GIVEN NAME"), (4, 5, "PER")], "bob": [(4, 5, "PER")], **layers},
        name=name,
        text=TEXT,
        spaces=SPACES,
        sents=(0, 1, 4),
        missing=[(3, 4)],
        missing_in={"bob": [(0, 1)]},
        unplaced={"ann": [(2, "LOC")]},
        attributes={"genre": "news", "n": 3, "none": None, "document": "x"},
        features={"ann": {span: {"sure": True, "note": "a\nb", "n": [1, {"a": None}]}}},
        categories={"ann": ["science"], "topic": []},
    )


def plain(name, spans, **fields):
    return Document(WORDS, {"spans": spans}, name=name, text=TEXT, spaces=SPACES, **fields)


CORPORA = {
    "rich": [rich("a"), rich("b/../c", ann=None), rich("b/../c", bob=None, ann=()), rich(None)],
    "repeated": [plain(None, spans) for spans in ([(0, 2, "PER")], [(0, 2, "PER")], [])],
    "unseen": [plain("a", None), plain("b", [(4, 5, "PER")]), plain("c", None)],
    "empty": [plain("a", [(0, 1, "X")]), Document((), {"spans": ()}, text=""),
              Document((), {"spans": None}, text="")],
    "odd": [Document(("Ada", "\t", "-DOCSTART-", "\x01b"), {"x y": [(0, 4, "=a b"), (1, 3, "Z"),
             (3, 4, "Token")], "b": [(0, 1, "Y")]}, name="\n", text="Ada \t no",
             attributes={"a=b": "c"})],
    "categories": [plain("a", [], categories={"spans": ["x"]}), Document(WORDS, {}, name="b",
                   categories={"spans": ["y"]})],
    "gaps": [plain("a", [(0, 2, "PER"), (1, 3, "X"), (1, 3, "Y")], missing=[(2, 5)]),
             plain("b", [], missing=[(0, 6)], attributes={"who": "me", "text": "t"})],
}  # fmt: skip
CORPORA = {name: Corpus(name, some) for name, some in CORPORA.items()}
AS_CHARACTERS = Corpus("char", [
    Document((), {"ents": [(0, 9, "PER"), (4, 12, "X")]}, name="d", text=TEXT, sents=(0, 10),
             missing=[(10, 13)], features={"ents": {(0, 9, "PER"): {"n": 1}}}),
    Document((), {"ents": None}, text=""),
], "char")  # fmt: skip
CORPORA["characters"] = AS_CHARACTERS
# rows of formats that are read, but not written, or hold what no corpus does: relations
ROWS = {
    "texts": {"id": "1", "tokens": WORDS, "ner_tags": ["B-PER", "I-PER", "O", "O", "O", "O"]},
    "gliner": {"tokenized_text": WORDS, "ner": [[0, 1, "PER"], [1, 1, "NAME"]], "split": "dev"},
    "entities": {"text": TEXT, "ents": [{"start": 0, "end": 9, "label": "PER", "kb_id": "Q1"}],
                 "spans": {"sc": [[0, 3, "X"], [0, 9, "X"]]}, "cats": {"a": 0.9, "b": 0.1}},
    "related": {"id": 1, "text": TEXT, "entities": [{"id": 1, "label": "PER", "start_offset": 0,
                "end_offset": 9}], "relations": [{"id": 1, "from_id": 1, "to_id": 1, "type": "x"}],
                "Comments": ["c"], "cats": ["science"]},
}  # fmt: skip


@pytest.fixture
def target(tmp_path):
    """A function from a format to a path for it."""
    return lambda to: tmp_path / (f"{to}-target" + ENDINGS.get(to, ".jsonl"))


def read_again(path, to, corpus):
    """The corpus of a file that was written."""
    names = {*corpus.layer_names, *corpus.category_layers}
    team = bool(names - {"spans", "categories"})
    options = {
        "conll": {"column": "all"},
        "jsonl": {"offsets": corpus.positions},
        "prodigy": {"annotator": "auto"} if team else {},
    }
    return read_corpus(path, **({} if to == "spacy" else {"format": to}), **options.get(to, {}))


def positions_in(stretches):
    """All positions in some stretches."""
    return {place for start, end in stretches for place in range(start, end)}


def content(corpus, to, main=None):
    """(name, what a format is to give back) of each document."""
    own = ATTRIBUTES if to == "prodigy" else ()
    alone = {*corpus.layer_names, *corpus.category_layers} <= {"spans", "categories"}

    def renamed(name):
        if to == "spacy":
            return "ents" if name == main else "spans:" + name.removeprefix("spans:")
        return "spans" if to == "tagged" else name

    found = []
    for one in corpus.documents:
        seen = [name for name, rows in one.layers.items() if rows is not None]
        seen.sort(key=renamed)
        chosen = {"spans" if to == "prodigy" and alone else name: rows
                  for name, rows in one.categories.items() if rows is not None}  # fmt: skip
        fields = {
            "spans": [(renamed(name), one.layers[name]) for name in seen],
            "features": [(renamed(name), one.features.get(name)) for name in seen],
            "gaps": [(renamed(name), positions_in(one.gaps(name))) for name in seen],
            "unplaced": one.unplaced,
            "sents": sorted({*one.sents} - {0}),
            "categories": sorted(chosen.values() if to == "spacy" else chosen.items()),
            "attributes": sorted((k, v) for k, v in one.attributes.items() if k not in own),
            "size": n_positions(one, corpus.positions),
            "words": one.words,
            "text": None if to in ("conll", "spacy", "tagged") else one.text or join_words(one),
        }
        found.append((one.name, fields))
    return found


def check(corpus, path, to):
    """Write a corpus, and compare what is read with what is left of it."""
    ents = entity_layer(corpus, None, False) if to == "spacy" else None
    left, lost = reduced(corpus, to, path, main=ents)
    n_docs, _ = write_corpus(corpus, path, {"format": to})
    again = read_again(path, to, left)
    assert n_docs == len(again.documents) == len(left.documents)
    assert content(again, to, "ents") == content(left, to, ents)
    return lost


PAIRS = [(name, to) for name in CORPORA for to in TARGETS]


@pytest.mark.parametrize(("name", "to"), [
    pair for pair in PAIRS if pair[0] != "characters" or not TARGETS[pair[1]].tokens
])  # fmt: skip
def test_what_is_left_of_a_corpus_is_written_and_read(target, name, to):
    check(CORPORA[name], target(to), to)


def source_of(name, folder, target):
    """(file of a format, options to read it): rows, or what is left of the rich corpus there."""
    if name in ROWS:
        path = folder / "rows.jsonl"
        path.write_text((json.dumps(ROWS[name]) + "\n") * 2)
        return path, {}
    write_corpus(CORPORA["rich"], path := target(name), {"format": name})
    options = {} if name == "spacy" else {"format": name}
    options |= {
        "conll": {"column": "all"},
        "prodigy": {"annotator": "auto"},
    }.get(name, {})
    return path, options


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", [*ROWS, *TARGETS])
def test_every_reader_goes_to_every_writer(tmp_path, target, name, to):
    source, options = source_of(name, tmp_path, target)
    goal = target(to).with_name("goal" + target(to).suffix)
    n_docs, *_ = convert_file(source, f"{goal}#format={to}", reading=Reading.of(options))
    corpus = read_corpus(source, **options)
    if TARGETS[to].tokens:
        corpus = in_tokens(corpus, borders_of("xx"))
    again = read_again(goal, to, reduced(corpus, to, goal, main="none")[0])
    assert n_docs == len(again.documents) > 0
    check(corpus, target(to).with_name("same" + target(to).suffix), to)


# files with annotation that no corpus has a place for, and the first words that are said of it
RELATED = {
    "brat": ({"a.txt": "Ada met", "a.ann": "T1\tPER 0 3\tAda\nR1\tR Arg1:T1 Arg2:T1\n"},
             "1 relation between"),
    "events": ({"a.txt": "Ada met", "a.ann": "T1\tPER 0 3\tAda\nE1\tPER:T1\n"},
               "1 annotation that is neither a span"),
    "doccano": ({"a.jsonl": json.dumps(ROWS["related"])}, "1 relation between"),
    "comments": ({"a.jsonl": json.dumps({**ROWS["related"], "relations": []})},
                 "1 annotation that is neither a span"),
    "labelstudio": ({"a.json": json.dumps([{"id": 1, "data": {"text": "Ada met"}, "annotations": [
        {"result": [{"id": "r", "from_name": "l", "type": "labels", "value":
                     {"start": 0, "end": 3, "labels": ["PER"]}},
                    {"type": "relation", "from_id": "r", "to_id": "r", "direction": "right"},
                    {"type": "textarea", "from_name": "t", "value": {"text": ["x"]}}]}]}])},
        "1 relation between spans was left out: relation (PATH:1)"),
    "pubtator": ({"a.pubtator": "1|t|Ada met\n1|a|\n1\t0\t3\tAda\tPER\tD1\n1\tCID\tD1\tD2\n"},
                 "1 relation between"),
}  # fmt: skip


@pytest.mark.parametrize("name", RELATED)
def test_annotation_that_a_reader_left_out_is_said_and_strictly_an_error(tmp_path, name):
    files, said = RELATED[name]
    (tmp_path / "in").mkdir()
    for file, text in files.items():
        (tmp_path / "in" / file).write_text(text)
    source = tmp_path / "in" / file if len(files) == 1 else tmp_path / "in"
    said = said.replace("PATH", str(source))
    with pytest.raises(FormatError, match=f"{re.escape(said)}.*leave out --strict"):
        convert_file(source, tmp_path / "a.jsonl", strict=True)
    assert not (tmp_path / "a.jsonl").exists()
    _, found, _ = convert_file(source, tmp_path / "a.jsonl")
    assert any(sentence.startswith(said) for sentence in found)


WORD = st.sampled_from(["a", "b c", "\t", "\x01", "-DOCSTART-", "# id x", "\U0001f600"])
LABEL = st.sampled_from(["X", "a b", "B-X", "Token", "=", "\x02"])
LAYER = st.sampled_from(["spans", "bob", "ents", "Token", "o p", "spans:sc"])
NAME = st.none() | st.sampled_from(["a", "b", "..", "x/y", "a.txt/b", "1", "\x01", " c ", "C"])
VALUE = st.none() | st.booleans() | st.integers() | st.sampled_from(
    ["v", "", "a\nb", " s", 0.5, float("nan"), [1], {"a": 1}, (1,), 2**70]
)  # fmt: skip
KEY = st.sampled_from(["k", "text", "label", "document", "a b", "size", "_view_id", "note"])
SAID = st.dictionaries(KEY, VALUE, max_size=2)


@st.composite
def documents(draw, positions):
    words = draw(st.lists(WORD, max_size=4))
    spaces = draw(st.none() | st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    made = "".join(word + " " * space for word, space in zip(words, spaces or [True] * 9))
    text = draw(st.sampled_from([made, "other"] + [None] * (positions == "token")))
    size = len(words) if positions == "token" else len(text)
    stretch = st.tuples(st.integers(0, size), st.integers(0, size)).filter(lambda ab: ab[0] < ab[1])
    stretches = st.lists(stretch, max_size=2) if size else st.just([])
    layers, features, unplaced, missing = {}, {}, {}, {}
    for layer in draw(st.sets(LAYER, max_size=3)):
        rows = draw(st.none() | stretches)
        layers[layer] = rows and {(*row, draw(LABEL)) for row in rows}
        features[layer] = {span: draw(SAID) for span in layers[layer] or ()}
        unplaced[layer] = draw(st.sampled_from([(), ((1, "X"),)]))
        missing[layer] = draw(stretches)
    categories = st.dictionaries(LAYER, st.none() | st.sets(st.sampled_from("xy")), max_size=2)
    return Document(
        words if positions == "token" else (), layers, draw(NAME), text=text,
        sents=draw(st.sets(st.integers(0, size - 1), max_size=2)) if size else (),
        spaces=spaces if positions == "token" else None, attributes=draw(SAID),
        missing=draw(stretches), missing_in=missing, unplaced=unplaced, features=features,
        categories=draw(st.just({}) | categories),
    )  # fmt: skip


@pytest.mark.parametrize("to", TARGETS)
@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_what_is_left_of_any_corpus_is_written_and_read(tmp_path_factory, to, data):
    both = not TARGETS[to].tokens
    positions = data.draw(st.sampled_from(["token", "char"] if both else ["token"]))
    corpus = Corpus("x", data.draw(st.lists(documents(positions), max_size=3)), positions)
    folder = tmp_path_factory.mktemp(to)
    path = folder / ("target" + ENDINGS.get(to, ".jsonl"))
    try:
        check(corpus, path, to)
    except FormatError as error:
        nobody = all(rows is None for one in corpus.documents
                     for rows in (*one.layers.values(), *one.categories.values()))  # fmt: skip
        assert nobody or "nothing is left to write" in str(error)
