import numpy as np
import pytest

from spacy_chance_eval.formats.corpus import Corpus, Document


def doc(words="a b c", spans=(), **fields):
    return Document(words.split(), {"gold": spans}, **fields)


def corpus(*documents, path="gold.x", **fields):
    return Corpus(path, documents, **fields)


TEXT = Document([], {"gold": [(0, 5, "X")]}, text="ab cd")
LOOSE = doc(spans=[(0, 1, "A")], unplaced={"gold": [(2, "B")], "other": [(1, "C")]})

# documents, and what the columns of their spans hold
COLUMNS = {
    "order": (
        [doc(spans=[(1, 2, "Y")]), doc("d", spans=[(0, 1, "X")])],
        {"labels": ("X", "Y"), "words": tuple("abcd"), "sizes": [3, 1], "label": [1, 0]},
    ),
    "not seen": ([doc(), doc(spans=None), Document(["a"], {})], {"seen": [True, False, False]}),
    "sentences": (
        [doc(sents=(0, 2)), doc("d e")],
        {"stretches": [[0, 0, 2], [0, 2, 3], [1, 0, 2]]},
    ),
    "missing tokens": (
        [doc("a b c d e f", sents=(3,), missing=[(1, 2), (4, 6)])],
        {"stretches": [[0, 0, 1], [0, 2, 3], [0, 3, 4]]},
    ),
    "all missing": ([doc(missing=[(0, 3)]), doc("a")], {"stretches": [[1, 0, 1]]}),
    "empty": ([doc(""), doc(sents=(0,))], {"stretches": [[1, 0, 3]]}),
    "unplaced": ([doc(), LOOSE], {"labels": ("A", "B"), "unplaced": [[1, 1, 2]]}),
    "names": ([doc(name="x"), doc(name="y")], {"names": ("x", "y")}),
    "names of some": ([doc(name="x"), doc()], {"names": None}),
    "characters": ([TEXT], {"sizes": [5], "words": None}),
}


@pytest.mark.parametrize(("documents", "columns"), COLUMNS.values(), ids=COLUMNS)
def test_documents_become_columns_of_spans(documents, columns):
    positions = "char" if documents == [TEXT] else "token"
    spans = corpus(*documents, positions=positions).spans("gold")
    found = [getattr(spans, name) for name in columns]
    plain = [one.tolist() if isinstance(one, np.ndarray) else one for one in found]
    assert plain == [*columns.values()]


def test_an_unknown_layer_names_those_available():
    with pytest.raises(ValueError, match="gold.x has no layer 'ents'; available: gold"):
        corpus(doc()).spans("ents")
    assert corpus(Document([], {"b": ()}), Document([], {"a": None})).layer_names == ("a", "b")
