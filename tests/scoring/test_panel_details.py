"""Details of panels that single mistakes would change without any other test noticing."""

from itertools import combinations

import numpy as np
import pytest

from helpers.cases import later
from helpers.paneltables import near, some_team, tables
from spacy_chance_eval import Corpus, Document, Resampling, Spans, agree
from spacy_chance_eval.formats.merging import AnnotatorLayer, merge_annotators
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.scoring.counts import count_panel, merge_counts
from spacy_chance_eval.scoring.statistics import headline

NONE = Resampling(0)


def spans(*documents, size=10, **fields):
    return Spans.from_tuples(list(documents), [size] * len(documents), ["X"], **fields)


ONE, TWO = [(0, 2, "X")], [(5, 6, "X")]


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
    assert any("worth 10.0 of equal size" in note for note in found.result["notes"])


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


# --- documents of pairs, and confusion matrices


@pytest.mark.parametrize("metric", ["span_f", *later("span_recall", "percent_agreement")])
def test_macro_averages_are_means_over_the_documents(metric):
    team = some_team()
    found, alone = tables(team, metric), [tables(team.part([d]), metric) for d in range(8)]
    by_pair = [{(r["first"], r["second"]): headline(r) for r in one["pairs"]} for one in alone]
    every, of_annotator = [], {}
    for row in found["pairs"]:
        pair = row["first"], row["second"]
        values = [one[pair] for one in by_pair if pair in one]
        assert [*row["per_doc"].values()] == [near(value) for value in values]
        values = [value for value in values if value is not None]
        assert row["macro_docs"] == pytest.approx(np.mean(values))
        every += values
        for name in pair if found["symmetric"] else pair[1:]:
            of_annotator.setdefault(name, []).extend(values)
    assert found["mean"]["macro_docs"] == pytest.approx(np.mean(every))
    for row in found["annotators"]:
        expected = np.mean(of_annotator[row["annotator"]])
        assert row["others"]["macro_docs"] == pytest.approx(expected)
    whole = [headline(one["team"]) for one in alone]
    assert found["team"]["macro_docs"] == pytest.approx(
        np.mean([x for x in whole if x is not None])
    )


def test_confusions_are_those_of_a_loop_and_those_of_blocks_add_up():
    team, request = some_team(n_docs=9), parse("percent_agreement")
    expected = {}
    for i, j in combinations(range(3), 2):
        one, two = (team.works[name] for name in ("ann", "bob", "cyd")[i : j + 1 : j - i])
        matrix = expected["pair", i, j] = {}
        for mine, other in zip(one, two):
            if mine and other:
                mine, other = ({span[:2]: span[2] for span in work.spans} for work in (mine, other))
                for place in mine.keys() | other.keys():
                    labels = (side.get(place, "(no label)") for side in (mine, other))
                    row = matrix.setdefault(next(labels), {})
                    label = next(labels)
                    row[label] = row.get(label, 0) + 1
    whole = count_panel(team.panel(), [request])
    parts = [count_panel(team.part(docs).panel(), [request]) for docs in ([0, 1], [*range(2, 9)])]
    assert dict(whole.confusions) == dict(merge_counts(parts).confusions) == expected
