import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_chance_eval.formats import read_file
from spacy_chance_eval.formats.conll_bytes import DOCSTART, FACT
from spacy_chance_eval.formats.conll_out import write_conll
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.keys import Reading


def read_conll(path, **keys):
    return read_file(path, Reading.of({"format": "conll", **keys}))


@pytest.fixture
def reading(tmp_path):
    def read(text, **options):
        path = tmp_path / "a.conll"
        path.write_text(text, encoding="utf-8")
        return read_conll(path, columns="all", **options)

    return read


def layers(corpus):
    return [document.layers for document in corpus.documents]


def test_two_columns_with_one_name_are_an_error(reading):
    with pytest.raises(FormatError, match="two columns are called 'ada'"):
        reading("#token\tada\tada\na\tB-X\tO\n")


def test_other_words_for_columns_are_an_error(tmp_path):
    (tmp_path / "x").write_text("a O\n")
    with pytest.raises(ValueError, match="unknown value of columns 'each'; expected one of all"):
        read_conll(tmp_path / "x", columns="each")


def test_a_span_does_not_go_on_behind_a_hyphen(reading):
    assert layers(reading("a B-X\nb -\nc I-X\n")) == [{"1": ((0, 1, "X"), (2, 3, "X"))}]


TEXTS = st.text("aBi d#-_=\xa0é.\u2028", min_size=1, max_size=4)
WORDS = TEXTS.filter(
    lambda word: word.split()[:1] != [DOCSTART] and not FACT.match(word + "\tO")
)  # fmt: skip
NAMES = TEXTS.filter(lambda name: name == name.strip(" ") and name[0] != "=" and name.strip())


@st.composite
def documents(draw, single):
    number = st.lists(
        st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=1 if single else 3
    )
    sentences = draw(number)
    starts = [0, *itertools.accumulate(map(len, sentences))]
    size, found, missing = starts[-1], {}, {}
    for layer in ("ada", "-bob", "é 1"):
        missing[layer] = draw(st.sets(st.integers(0, size - 1))) if draw(st.booleans()) else set()
        found[layer] = spans = []
        for start, end in itertools.pairwise(starts):
            cuts = sorted(draw(st.sets(st.integers(start, end))))
            pieces = [pair for pair in itertools.pairwise(cuts) if draw(st.booleans())]
            spans += [(*pair, draw(st.sampled_from(["X", "a-b c", "-"])))
                      for pair in pieces if not missing[layer] & {*range(*pair)}]  # fmt: skip
        if draw(st.integers(0, 4)) == 4 or len(missing[layer]) == size:
            found[layer], missing[layer] = None, set()
    stretches = {name: joined(positions) for name, positions in missing.items()}
    name = draw(st.none() | NAMES)
    return Document(sum(sentences, []), found, name, starts[:-1], missing_in=stretches)


def joined(positions):
    """Positions as stretches that do not touch."""
    return [
        (start, next(t for t in itertools.count(start) if t not in positions))
        for start in positions
        if start - 1 not in positions
    ]


@pytest.mark.parametrize("single", [True, False], ids=["sentences", "documents"])
@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_write_then_read_is_the_identity(tmp_path, single, data):
    found = data.draw(st.lists(documents(single), max_size=3))
    found.append(Document("a", dict.fromkeys(("ada", "-bob", "é 1"), ()), sents=[0]))
    corpus = Corpus("x", found)
    write_conll(tmp_path / "x", corpus)
    assert read_conll(tmp_path / "x", columns="all") == corpus
