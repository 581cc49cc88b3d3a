"""Scores and agreement of trees as tables: sentences and nodes, no majority, distances."""

import pytest

from helpers.agreements import document, metric, result, score
from helpers.scorereports import SCORE, report
from spacy_chance_eval.reports.agreement import (
    agreement_details,
    agreement_text,
    explanations,
    mark_name,
)

ROW = {"value": 0.25, "observed": -2.5, "expected": -9.0, "gold": 5, "pred": 4, "distance": 1.5}
LABELS = {"nsubj": {"value": 0.5, "observed": 0.5, "expected": None, "gold": 3, "pred": 2}}
ALPHA = SCORE | {"name": "syntax_alpha(delta=plain)", "per_label": {}, "macro": None}
LAS = SCORE | {"name": "las(ignore=none)", "expected": None, "per_label": LABELS}


def of_trees(*metrics, kind="dependency", **fields):
    """A result of agreement on trees."""
    given = [{"request": f"{one['metric']}()", **one} for one in metrics or [alpha()]]
    return result(*given, positions="tree", kind=kind, n_uneven=0, **fields)


def alpha(**fields):
    """Tables of alpha: no labels, and a sentence with its distance."""
    sentence = document("tree-1") | {"distance": 2.5}
    return metric("syntax_alpha", per_label=[], documents=[sentence], **fields)


def layer(**fields):
    """The report of trees that were scored."""
    found = {"positions": "tree", "kind": "dependency", "n_uneven": 0}
    return report({"syntax_alpha": ALPHA, "las": LAS}, **found | fields)


# agreement


@pytest.mark.parametrize(("kind", "nodes"), [("dependency", "tokens"), ("constituency", "nodes")])
def test_annotators_have_sentences_and_nodes(kind, nodes):
    text = agreement_text(of_trees(kind=kind))
    (header,) = [line for line in text.splitlines() if line.startswith("annotator  ")]
    assert header.split() == ["annotator", "sentences", nodes, "others", "shared"]
    assert mark_name(of_trees(kind=kind)) == nodes


def test_nothing_is_said_of_documents_spans_and_majorities():
    said = agreement_text(of_trees(alpha(), metric("las", corrected=False)))
    assert not any(word in said for word in ("document", "Document", "span", "majority"))


def test_an_undefined_majority_is_no_reason_to_speak_of_it():
    none = score(None, reason="trees have no majority")
    rows = [{"annotator": "ann", "others": score(0.5), "majority": none}]
    assert "no majority" not in agreement_text(of_trees(alpha(annotators=rows)))


def test_sentences_have_the_distance_of_their_trees():
    text = agreement_text(of_trees())
    assert "(distance: mean tree edit distance of the pairs)" in text
    (row,) = [line for line in text.splitlines() if line.startswith("tree-1")]
    assert row.split()[1:3] == ["2", "2.5000"]


def test_without_distances_there_is_no_column_for_them():
    assert "distance" not in agreement_text(of_trees(metric("las", corrected=False)))


def test_labels_are_shown_of_the_metrics_that_have_some():
    text = agreement_text(of_trees(alpha(), metric("las")))
    assert "labels: mean of the pairs, and the team, in 3 sentences" in text
    (header,) = [line for line in text.splitlines() if line.startswith("label ")]
    assert header.split() == ["label", "tokens", "las", "team"]


def test_without_labels_there_is_no_table_of_them():
    assert "labels: " not in agreement_text(of_trees())


def test_facts_say_what_the_trees_are():
    found = dict(agreement_details(of_trees(labels=[f"l{i}" for i in range(9)])))
    assert found["Sentences"].startswith("4: 3 seen")
    assert found["Trees"].startswith("dependency: heads of tokens")
    assert found["Labels"] == "9: l0, l1, l2, l3, l4, l5, 3 more"
    assert "Positions" not in found


def test_trees_without_labels_have_none():
    assert dict(agreement_details(of_trees(labels=[])))["Labels"] == "none"


def test_it_is_said_what_alpha_is_of():
    lines = list(explanations(of_trees(alpha(), metric("pq_alpha"), metric("las"))))
    assert sum("squared tree edit distances" in line for line in lines) == 1
    assert sum("squared distances of pq-gram profiles" in line for line in lines) == 1
    assert not any("las" in line and "D_o" in line for line in lines)


def test_alphas_of_one_distance_are_explained_together():
    other = alpha() | {"metric": "syntax_alpha(delta=norm)", "request": "syntax_alpha(delta=norm)"}
    (line,) = [line for line in explanations(of_trees(alpha(), other)) if "D_o" in line]
    assert line.startswith("syntax_alpha, syntax_alpha(delta=norm): ")


@pytest.mark.parametrize(("error", "n"), [(0.0012, 1), (0.0, 0), (None, 0)])
def test_the_standard_error_of_a_sample_of_pairs_is_told(error, n):
    made = alpha()
    made["team"] = made["team"] | {"standard_error": error}
    lines = [line for line in explanations(of_trees(made)) if "standard error" in line]
    assert len(lines) == n
    assert not n or "standard error of 0.0012" in lines[0]


def test_tables_of_trees_fit_the_width():
    names = [f"annotator {i:02}" for i in range(1, 8)]
    text = agreement_text(of_trees(alpha(names=names), names=names))
    lines = [line for line in text.splitlines() if "|" not in line]
    assert max(map(len, lines)) <= 100


# scores


def test_scores_are_of_sentences_and_tokens():
    first = layer(n_skipped=1).splitlines()[1]
    assert first == (
        "dependency trees: 2 sentences, 3 gold tokens, 4 predicted, 1 sentence skipped: not "
        "annotated by both"
    )


def test_scores_of_phrases_are_of_nodes():
    assert "3 gold nodes" in layer(kind="constituency")


def test_labels_of_scores_are_those_of_the_first_metric_that_has_some():
    table = layer().partition("las by label\n")[2].strip().splitlines()
    assert table[0].split() == ["label", "gold", "pred", "observed"]
    assert table[2].split() == ["nsubj", "3", "2", "0.5000"]
    assert "syntax_alpha by label" not in layer()


def test_scores_without_labels_have_no_table_of_them():
    text = report({"jaccard": ALPHA}, positions="tree", kind="constituency", n_uneven=0)
    assert "by label" not in text


def test_sentences_come_worst_first_with_distances():
    rows = {"good": ROW | {"value": 0.5, "distance": 0.0}, "bad": ROW}
    scores = {"syntax_alpha": ALPHA | {"per_doc": rows}, "las": LAS | {"per_doc": rows}}
    text = report(scores, positions="tree", kind="dependency", n_uneven=0)
    table = text.partition("syntax_alpha by sentence, worst first\n")[2].strip().splitlines()
    assert table[0].split()[:4] == ["sentence", "gold", "pred", "distance"]
    assert table[2].split() == ["bad", "5", "4", "1.5000", "-2.5000", "-9.0000", "0.2500"]
    assert table[3].split()[0] == "good"


def test_sentences_that_are_not_shown_are_counted():
    rows = {f"s{i}": ROW for i in range(22)}
    scores = {"syntax_alpha": ALPHA | {"per_doc": rows}}
    text = report(scores, positions="tree", kind="dependency", n_uneven=0)
    assert "(2 more sentences in the JSON output: -o FILE)" in text


def test_sentences_of_other_lengths_are_told():
    assert "1 sentence with a different number of tokens: not in attachment" in layer(n_uneven=1)
    assert "another number" not in layer(n_uneven=1, kind="constituency")


def test_hostile_names_of_sentences_and_labels_stay_text():
    labels = {"\x1b[31mred": LABELS["nsubj"]}
    rows = {"a\nb": ROW}
    scores = {"las": LAS | {"per_label": labels, "per_doc": rows}}
    text = report(scores, positions="tree", kind="dependency", n_uneven=0)
    assert "\x1b" not in text and "\\x1b[31mred" in text and "a\\nb" in text
