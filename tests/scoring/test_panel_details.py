"""Details of panels that single mistakes would change without any other test noticing."""

import pytest

from spacy_chance_eval import Corpus, Document, Resampling, Spans, agree, evaluate
from spacy_chance_eval.formats.merging import AnnotatorLayer, merge_annotators
from spacy_chance_eval.scoring.statistics import headline

NONE = Resampling(0)


def spans(*documents, size=10, **fields):
    return Spans.from_tuples(list(documents), [size] * len(documents), ["X"], **fields)


ONE, TWO = [(0, 2, "X")], [(5, 6, "X")]


@pytest.mark.parametrize("of", ["token"])
def test_text_that_neither_of_a_pair_saw_is_no_text_of_theirs(of):
    sides = {"a": spans(ONE, None), "b": spans(TWO, None)}
    others = {"c": spans(None, ONE), "d": spans(None, ONE)}
    metric = f"false_positives(of={of})"
    (alone,) = evaluate(sides["a"], sides["b"], [metric]).values()
    pair = agree(sides | others, [metric], intervals=NONE)[metric]["pairs"][0]
    assert (pair["first"], pair["second"]) == ("a", "b")
    assert headline(pair) == alone.headline == 100.0


def test_spans_without_a_place_count_in_seen_documents_only():
    loose = [(0, 0, 3), (1, 0, 3)]
    found = agree({"a": spans(ONE, None, unplaced=loose), "b": spans(ONE, ONE)}, intervals=NONE)
    assert found.result["annotators"][0]["n_unplaced"] == 1
    assert any(note.startswith("1 span does not fit") for note in found.result["notes"])


def test_few_clusters_among_the_shared_documents_are_warned_of():
    documents = [ONE] * 60
    alone = [None] * 50
    sides = {"a": spans(*documents), "b": spans(*documents[:10], *alone)}
    clusters = [f"article {i}" for i in range(60)]
    found = agree(sides, ["span_f"], clusters=clusters, unit="article")
    assert any("rest on 10 article" in note for note in found.result["notes"])


def test_of_documents_that_cost_alike_the_worse_comes_first():
    rows = agree({"a": spans(ONE, ONE, ONE), "b": spans(TWO, ONE, TWO)}, ["u_alpha"])
    values = [headline(row) for row in rows["u_alpha"]["documents"]]
    costs = [row["cost"] for row in rows["u_alpha"]["documents"]]
    assert costs == sorted(costs, reverse=True)
    assert values[0] == min(values)


def document(name, *found):
    return Document(("Ada", "met", "Bob"), {"spans": found}, name=name)


def test_files_with_other_names_are_matched_by_place_if_their_words_agree():
    first = Corpus("a", [document("x", (0, 1, "P")), document("y")])
    second = Corpus("b", [document("x", (2, 3, "P")), document("y")])
    corpus = merge_annotators(
        [AnnotatorLayer("a", first, "spans"), AnnotatorLayer("b", second, "spans")]
    )
    assert corpus.documents[0].layers == {"a": ((0, 1, "P"),), "b": ((2, 3, "P"),)}


def test_intervals_that_leave_out_many_resamples_say_so():
    first, second = [(0, 2, "X"), (4, 5, "X")], [(0, 2, "X"), (7, 8, "X")]
    empty = [[]] * 19
    found = agree({"a": spans(first, *empty), "b": spans(second, *empty)}, ["span_f"])
    (note,) = [note for note in found.result["notes"] if "undefined" in note]
    assert note.startswith("span_f is undefined in 3")  # (19 / 20) ** 20 is .36
    steady = agree({"a": spans(*[first] * 20), "b": spans(*[second] * 20)}, ["span_f"])
    assert not [note for note in steady.result["notes"] if "undefined" in note]
