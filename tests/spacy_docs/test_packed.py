"""`.spacy` files read without Docs give the documents that their Docs give."""

import dataclasses
import random
from itertools import islice

import numpy as np
import pytest
import spacy
import srsly
from spacy.attrs import ENT_IOB, HEAD
from spacy.tokens import Doc, DocBin, Span

from helpers.cases import later
from spacy_chance_eval.formats import READERS, FormatError
from spacy_chance_eval.formats.documents import DocumentTable
from spacy_chance_eval.formats.files import Excerpt
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.spacy_docs import docbin, read_docbin
from spacy_chance_eval.spacy_docs.packed import OddDocsError, unpacked

WORDS = ("Ada", "Byron", "slept", "ORG", "VERB", ".", "東京", "\n", " ", "a b")
LABELS = ("PER", "LOC", "Ort")
FILES = range(40)  # seeds of random files
NLP = spacy.blank("xx")
SUBSETS = (["ENT_IOB", "ENT_TYPE"], ["HEAD", "DEP"], ["SENT_START"], ["ENT_IOB"], ["TAG"])


@pytest.fixture
def careful(monkeypatch):
    """A function that reads by way of Docs."""

    def refuse(*given):
        raise OddDocsError

    def read_carefully(*given):
        with monkeypatch.context() as patch:
            patch.setattr(docbin, "table_of_docbin", refuse)
            return outcome(*given)

    return read_carefully


def outcome(call, path, role):
    """The corpora that a function reads, in values that can be compared, or its error."""
    try:
        corpora = list(call(path, role))
    except FormatError as error:
        return str(error)
    return [
        [
            {one.name: getattr(document, one.name) for one in dataclasses.fields(document)}
            for document in corpus.documents
        ]
        for corpus in corpora
    ]


def whole(path, role):
    """The corpus of a file, in a list."""
    return [read_docbin(path, Reading(role=role))]


def in_blocks(path, role, n_docs=3):
    """The corpora of a file that is read so many documents at a time."""
    blocks = READERS["spacy"].blocks
    layers, documents = blocks.open(path, Reading(role=role))
    while raw := list(islice(documents, n_docs)):
        content = blocks.join([one.content for one in raw])
        yield blocks.read(Excerpt(path, content), layers, Reading(role=role))


def random_tree(draw, n):
    """(heads, relations) of a tree over n tokens, or of several; not always projective."""
    order = draw.sample(range(n), n)
    heads = list(range(n))
    for place, token in enumerate(order):
        if place and draw.random() < 0.9:
            near = min(order[:place], key=lambda other: abs(other - token))
            heads[token] = near if draw.random() < 0.9 else draw.choice(order[:place])
    return heads, [draw.choice(["nsubj", "obj", "ROOT", "dep"]) for _ in heads]


def random_stretch(draw, n):
    start = draw.randrange(n)
    return start, draw.randint(start + 1, n), draw.choice(LABELS)


def random_doc(draw):
    n = draw.choice([0, 1, 1, 2, 5, 9])
    heads, deps = random_tree(draw, n) if draw.random() < 0.4 else (None, None)
    doc = Doc(
        NLP.vocab,
        words=draw.choices(WORDS, k=n),
        spaces=None if draw.random() < 0.2 else [draw.random() < 0.8 for _ in range(n)],
        heads=heads,
        deps=deps,
        morphs=draw.choices(["", "_", "Number=Sing"], k=n) if draw.random() < 0.5 else None,
    )
    if heads is None and draw.random() < 0.5:
        for token in doc:
            token.is_sent_start = draw.choice([True, False, False, None])
    if draw.random() < 0.7:
        ents = [Span(doc, *random_stretch(draw, n)) for _ in range(draw.randrange(3) if n else 0)]
        places = [draw.randrange(n)] if n and draw.random() < 0.5 else []
        missing = [Span(doc, place, place + 1) for place in places]
        try:
            doc.set_ents(ents, missing=missing, default=draw.choice(["outside", "missing"]))
        except ValueError:  # they overlap
            pass
    for name in draw.sample(["sc", "a", "東"], draw.randrange(3)):
        spans = [Span(doc, *random_stretch(draw, n)) for _ in range(draw.randrange(4) if n else 0)]
        repeats = spans[:1] if draw.random() < 0.05 else []
        doc.spans[name] = list({(one.start, one.end, one.label): one for one in spans}.values())
        doc.spans[name].extend(repeats)
    if doc.spans and draw.random() < 0.3:
        doc.spans["again"] = doc.spans[next(iter(doc.spans))]
    if draw.random() < 0.5:
        doc.user_data["name"] = draw.choice(["d", 5, None])
    if draw.random() < 0.3:
        doc.user_data |= {"source": "web", "n": 5, ("a", "b"): 1, "list": [1], "x": np.float32(1)}
    if draw.random() < 0.2:
        doc.cats = {"a": 0.7, "b": draw.random()}
    return doc


def random_file(path, seed):
    """Write a file; what is in it, and whether it is damaged, depends on the seed."""
    draw = random.Random(seed)
    attrs = draw.choice([None, None, None, *SUBSETS])
    given = {} if attrs is None else {"attrs": attrs}
    docs = [random_doc(draw) for _ in range(draw.randrange(1, 12))]
    made = DocBin(store_user_data=draw.random() < 0.8, docs=docs, **given)
    if seed % 4 == 0 and (some := [one for one in made.tokens if len(one)]):
        _damage(draw, made, draw.choice(some))
    made.to_disk(path)


def _damage(draw, made, tokens):
    """Write something into a DocBin that is wrong, or that spaCy does not write itself."""
    place = draw.randrange(len(tokens))
    kind = draw.randrange(6)
    if kind == 0:
        tokens[place, draw.randrange(tokens.shape[1])] = draw.choice([5, 2**63, 12345])
    elif kind == 1 and ENT_IOB in made.attrs:
        tokens[place, made.attrs.index(ENT_IOB)] = 1
    elif kind == 2 and HEAD in made.attrs:
        tokens[place, made.attrs.index(HEAD)] = 7
    elif kind == 3:
        made.user_data[:1] = [draw.choice([b"", b"\x05", b"\x80\x80", b"\xc1"])]
    elif kind == 4:
        made.span_groups[0] = draw.choice([b"\x05", b"\x80\x80", b"\x81"])
    else:
        made.cats[0] = draw.choice([{"a": "b"}, [], [1], {"a": None}])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("files", [FILES[:6], *later(FILES[6:])], ids=["some", "others"])
@pytest.mark.parametrize("read", [whole, in_blocks])
@pytest.mark.parametrize("role", ["gold", "pred"])
def test_columns_are_what_docs_say(tmp_path, careful, read, role, files):
    path = tmp_path / "a.spacy"
    for seed in files:
        random_file(path, seed)
        assert outcome(read, path, role) == careful(read, path, role), seed


@pytest.mark.filterwarnings("ignore")
def test_most_random_files_need_no_docs_and_some_are_damaged(tmp_path, monkeypatch):
    kinds, made, read_docs = [], [], docbin.read_docs
    monkeypatch.setattr(
        docbin, "read_docs", lambda *some, **more: made.append(1) or read_docs(*some, **more)
    )
    for seed in FILES:
        random_file(tmp_path / "a.spacy", seed)
        made.clear()
        try:
            assert isinstance(read_docbin(tmp_path / "a.spacy").documents, DocumentTable)
        except FormatError:
            kinds.append("error")
        else:
            kinds.append("docs" if made else "table")
    assert kinds.count("table") > 20 and kinds.count("docs") > 1 and kinds.count("error") > 1


@pytest.mark.parametrize("key", ["name", "attrs", "spans"])
def test_a_span_group_without_a_key_is_damaged(tmp_path, key):
    doc = NLP("a b")
    doc.spans["sc"] = [Span(doc, 0, 1, "X")]
    made = DocBin(docs=[doc])
    group = srsly.msgpack_loads(doc.spans["sc"].to_bytes())
    del group[key]
    made.span_groups = [srsly.msgpack_dumps([srsly.msgpack_dumps(group)])]
    made.to_disk(tmp_path / "a.spacy")
    with pytest.raises(FormatError, match="damaged"):
        read_docbin(tmp_path / "a.spacy")


def test_docs_with_morphology_and_trees_need_no_docs(tmp_path):
    doc = Doc(NLP.vocab, words=["Ada", "slept"], heads=[1, 1], deps=["nsubj", "ROOT"])
    for token, morph in zip(doc, ("_", "Tense=Past")):
        token.set_morph(morph)
    DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    assert isinstance(read_docbin(tmp_path / "a.spacy").documents, DocumentTable)


def test_several_files_are_one_corpus_in_which_predictions_have_all_layers(tmp_path, careful):
    for name in ("one", "two"):
        doc = Doc(NLP.vocab, words=["Ada"])
        doc.spans[name] = [Span(doc, 0, 1, label="PER")]
        DocBin(docs=[doc]).to_disk(tmp_path / f"{name}.spacy")
    found = outcome(whole, tmp_path, "pred")
    assert found == careful(whole, tmp_path, "pred")
    assert [*found[0][0]["layers"].values()] == [(), ((0, 1, "PER"),), ()]


@pytest.mark.parametrize("head", [b"\xdd", b"\xdf"], ids=["list", "map"])
def test_more_values_than_bytes_are_refused_before_memory_is_asked_for(head):
    with pytest.raises(OddDocsError) as refused:
        list(unpacked([head + b"\xff\xff\xff\xf0\x01"]))
    assert "exceeds" in str(refused.value.__cause__)
