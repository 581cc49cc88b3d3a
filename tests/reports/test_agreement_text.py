import json

import pytest

from helpers.agreements import document, metric, result, score
from spacy_chance_eval.measures.panel import Panel
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.reports.agreement import agreement_text
from spacy_chance_eval.reports.words import number
from spacy_chance_eval.scoring.agreement import agreement
from spacy_chance_eval.scoring.intervals import Resampling

TWELVE = [f"annotator {i:02}" for i in range(12)]
SIZES = [9, 6, 5, 4]
ANN = Spans.from_tuples([[(0, 2, "PER"), (5, 6, "LOC")], [(1, 3, "LOC")], None, []], SIZES)
BOB = Spans.from_tuples([[(0, 2, "PER"), (5, 7, "LOC")], [(1, 3, "PER")], [], None], SIZES)
APART = Spans.from_tuples([None, None, [], None], SIZES)


def after(text, start):
    """The lines after the first that begins with these words, up to the next piece."""
    lines = text.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith(start))
    end = next((i for i in range(place + 2, len(lines)) if not lines[i]), len(lines))
    return [line for line in lines[place + 1 : end] if line]


def cells(text, start, row):
    """The cells of a row of the table after some words."""
    return next(line.split() for line in after(text, start) if line.startswith(row))


def one_number(first, second):
    """A pair of annotators, with a value of its own made of their names."""
    return score(int(first[-2:]) / 100 + int(second[-2:]) / 10_000, n_docs=int(second[-2:]))


# header


def test_the_header_says_what_was_compared_and_how():
    text = agreement_text(result(title="Pilot", sources=["a.jsonl", "b.jsonl"], resamples=100))
    assert text.splitlines()[1:9] == [
        "Pilot",
        "  Sources     a.jsonl, b.jsonl",
        "  Annotators  2: ann, bob",
        "  Documents   4: 3 seen by two or more annotators, 1 by one, 0 by nobody",
        "  Positions   tokens",
        "  Labels      PER",
        "  Intervals   90 % bca intervals from 100 resamples of documents, seed 5",
        "  Made by     spacy-chance-eval 1.2.3",
    ]


def test_the_header_says_that_there_are_no_intervals():
    assert "  Intervals   none: no resamples were asked for\n" in agreement_text(result())


def test_notes_stand_before_the_numbers():
    text = agreement_text(result(notes=["one document was seen by one"]))
    assert "notes\n  one document was seen by one\n" in text.partition("summary")[0]


# summary


def test_the_summary_has_mean_and_team_of_a_metric():
    row = cells(agreement_text(result()), "summary", "span_f")
    assert row == ["span_f", "0.5000", "0.3333", "0.2500", "1", "(3)", "0.1250"]


def test_the_summary_has_intervals_where_there_are_resamples():
    limits = {"mean": score(0.25, 0.5, 0.3333, limits=[0.1, 0.4]) | {"n_pairs": 1}}
    limits["team"] = score(0.125, limits=[0.0625, 0.5]) | {"definition": None}
    text = agreement_text(result(metric(**limits), resamples=100))
    row = cells(text, "summary", "span_f")
    assert row[4:6] == ["[0.1000,", "0.4000]"] and row[-2:] == ["[0.0625,", "0.5000]"]


def test_a_metric_without_a_chance_model_has_dashes_and_is_named():
    plain = metric("slicm", corrected=False, bits=True, mean=score(-1.5) | {"n_pairs": 1})
    text = agreement_text(result(plain))
    assert cells(text, "summary", "slicm")[:5] == ["slicm,", "bits", "-1.5000", "-", "-"]
    assert "\n  without a chance model: slicm\n" in text


def test_what_the_team_is_is_said_with_the_metrics():
    text = agreement_text(
        result(metric("f"), metric("g"), metric("h", team=score(0.5) | {"definition": None}))
    )
    assert "\n  team (f, g): all at once\n" in text


def test_what_an_undefined_team_would_be_is_not_said():
    team = score(None, reason="why") | {"definition": "all at once"}
    assert "all at once" not in agreement_text(result(metric(team=team)))


def test_an_undefined_team_has_a_dash_and_its_reason_beneath():
    team = score(None, reason="a coefficient of two") | {"definition": None}
    text = agreement_text(result(metric("cohen_kappa", team=team)))
    assert cells(text, "summary", "cohen_kappa")[-1] == "-"
    assert "undefined\n  cohen_kappa (team): a coefficient of two\n" in text


# pairs


def test_pairs_of_the_first_metric_come_with_the_documents_that_both_saw():
    names = ("a", "b", "c")
    given = {"ab": score(0.5283, n_docs=216), "ac": score(0.25, n_docs=7), "bc": score(1.0)}
    text = agreement_text(
        result(metric(names=names, pair=lambda one, other: given[one + other]), names=names)
    )
    assert after(text, "span_f, corrected for chance: pairs of annotators (documents that") == [
        "               b            c",
        "-   ------------   ----------",
        "a   0.5283 (216)   0.2500 (7)",
        "b                  1.0000 (3)",
    ]


def test_pairs_of_the_other_metrics_come_with_their_documents_too():
    names = ("a", "b", "c")
    text = agreement_text(result(metric(names=names), metric("kappa", names), names=names))
    assert cells(text, "kappa, corrected for chance: pairs of annotators", "a") == [
        "a",
        "0.2500",
        "(3)",
        "0.2500",
        "(3)",
    ]


def test_the_only_pair_of_another_metric_is_not_repeated():
    text = agreement_text(result(metric(), metric("kappa")))
    assert "kappa, corrected for chance: pairs" not in text


def test_pairs_of_an_asymmetric_metric_stand_in_both_orders():
    given = {"ab": score(0.5, n_docs=2), "ba": score(0.25, n_docs=2)}
    one = metric("recall", "ab", symmetric=False, pair=lambda first, second: given[first + second])
    lines = after(agreement_text(result(one, names="ab")), "recall, corrected for chance: pairs")
    assert [line.rstrip() for line in lines[2:]] == [
        "a                0.5000 (2)",
        "b   0.2500 (2)",
    ]
    assert "rows: first, as gold; columns: second" in agreement_text(result(one, names="ab"))


def test_an_undefined_pair_has_a_dash_and_its_reason():
    names = ("a", "b", "c")
    none = score(None, reason="no shared document", n_docs=0)
    one = metric(names=names, pair=lambda f, s: none if f + s == "bc" else score(0.5))
    text = agreement_text(result(one, names=names))
    assert cells(text, "span_f, corrected for chance: pairs", "b") == ["b", "-", "(0)"]
    assert "undefined\n  b and c: no shared document\n" in text


def test_a_pair_that_one_metric_cannot_score_is_told_with_the_metric():
    names = ("a", "b", "c")
    none = score(None, reason="chance alone agrees")
    other = metric("pi", names, pair=lambda f, s: none if f + s == "ab" else score(0.5))
    text = agreement_text(result(metric(names=names), other, names=names))
    assert "undefined\n  a and b (pi): chance alone agrees\n" in text


def test_twelve_annotators_are_divided_into_tables_that_fit():
    one = metric(names=TWELVE, pair=one_number)
    text = agreement_text(result(one, names=TWELVE))
    table = text.partition("pairs of annotators")[2].partition("annotators against")[0]
    for pair in one["pairs"]:
        assert f"{pair['value']:.4f} ({pair['n_docs']})" in table
    assert table.count("annotator 11") == 1 and max(map(len, text.splitlines())) <= 100


def test_a_part_of_a_matrix_has_its_own_columns_and_the_rows_that_say_something():
    text = agreement_text(result(metric(names=TWELVE, pair=one_number), names=TWELVE))
    table = text.partition("pairs of annotators")[2].partition("annotators against")[0]
    first, *_, last = [
        part.strip("\n").splitlines() for part in table.split("\n\n") if "0." in part
    ]
    assert first[0].startswith(" " * 12 + "   annotator 01   annotator 02")
    assert [line[:12] for line in first[2:]] == TWELVE[: len(first) - 2]
    assert len(first) - 2 == len(first[0].split()) // 2
    assert last[0].split()[-1] == "11" and last[-1].split()[:2] == ["annotator", "10"]
    assert last[-1].endswith("0.1011 (11)")


def test_a_long_name_is_short_above_a_column_and_whole_before_a_row():
    names = ("a" * 30 + "start", "begin" + "b" * 30 + "end")
    table = after(agreement_text(result(metric(names=names), names=names)), "span_f, corrected")
    assert table[0].split() == ["beginbbbbbb..bbbbbbbbend"]
    assert table[2].startswith(names[0])


# annotators, labels, documents


def test_each_annotator_is_set_against_the_others_and_their_majority():
    text = agreement_text(result())
    assert after(text, "span_f, corrected for chance: annotators") == [
        "annotator   documents   spans   others   shared   majority",
        "---------   ---------   -----   ------   ------   --------",
        "ann                 3       7   0.3750        3     0.6250",
        "bob                 3       7   0.3750        3     0.6250",
    ]


def test_spans_that_fit_no_tokens_have_a_column_where_there_are_any():
    plain = result()
    plain["annotators"][1]["n_unplaced"] = 2
    row = cells(agreement_text(plain), "span_f, corrected for chance: annotators", "bob")
    assert row[:4] == ["bob", "3", "7", "2"]


def test_categories_are_called_labels_and_not_spans():
    text = agreement_text(result(positions="category"))
    assert "annotator   documents   labels" in text and "label   labels" in text
    assert "  Positions   whole documents: each carries its labels\n" in text


def test_labels_have_the_mean_and_the_team_of_each_metric():
    alone = metric("kappa", team=score(None, reason="of two") | {"definition": None})
    assert after(agreement_text(result(metric(), alone)), "labels: mean") == [
        "label   spans   span_f     team    kappa",
        "-----   -----   ------   ------   ------",
        "PER         4   0.1875   0.0625   0.1875",
    ]


def test_labels_have_every_metric():
    text = agreement_text(result(*(metric(f"m{i}") for i in range(6))))
    labels = text[text.index("labels: mean") :]
    assert all(f" m{i} " in labels for i in range(6)) and "more metric" not in text


def test_documents_are_listed_for_every_metric_that_was_asked_for():
    metrics = [metric("span_f"), metric("token_f")]
    text = agreement_text(result(*metrics))
    assert [text.count(f"{name}: documents that cost") for name in ("span_f", "token_f")] == [1, 1]
    usual = [*metrics, metric("u_alpha"), metric("alpha_u")]
    assert agreement_text(result(*usual)).count(": documents that cost") == 1


def test_an_undefined_label_has_its_reason():
    none = score(None, reason="nothing was marked")
    rows = [{"label": name, "n_spans": 1, "mean": score(0.5), "team": score(0.5)} for name in "XY"]
    rows[1]["mean"] = none
    text = agreement_text(result(metric(per_label=rows)))
    assert cells(text, "labels", "Y") == ["Y", "1", "-", "0.5000"]
    assert "undefined\n  span_f, mean (Y): nothing was marked\n" in text


def test_documents_that_cost_most_are_listed_with_their_cost():
    text = agreement_text(result())
    row = cells(text, "span_f: documents that cost the team most", "doc 1")
    assert row == ["doc", "1", "2", "0.8000", "0.2000", "0.7500", "0.0312"]


def test_documents_of_a_metric_without_a_chance_model_have_no_corrected_score():
    text = agreement_text(result(metric(corrected=False)))
    row = cells(text, "span_f: documents that cost the team most", "doc 1")
    assert row == ["doc", "1", "2", "0.8000", "0.2000", "-", "0.0312"]


def test_documents_without_a_cost_are_those_on_which_pairs_agree_least():
    text = agreement_text(result(metric(documents=[document("doc 1", cost=None)])))
    assert cells(text, "span_f: documents on which the pairs agree least", "doc 1")[-1] == "-"


@pytest.mark.parametrize("worst, shown, more", [(2, 2, "(1 more document"), (None, 3, None)])
def test_the_number_of_documents_can_be_chosen(worst, shown, more):
    documents = [document(f"doc {i}") for i in range(3)]
    text = agreement_text(result(metric(documents=documents)), worst=worst)
    assert sum(line.startswith("doc ") for line in text.splitlines()) == shown
    assert more is None or more in text
    assert more or "more document" not in text


def test_signatures_stand_at_the_end_one_a_line():
    text = agreement_text(result(metric(), metric("kappa")))
    assert text.endswith("signatures, each with |docs=3\nspan_f()\nkappa()")


def test_names_from_data_cannot_steer_the_terminal():
    names = ("\x1b[31mred", "a\x1b\nb")
    one = metric(names=names, documents=[document("\x1b[2J")])
    text = agreement_text(
        result(one, names=names, labels=["\x07"], notes=["\x1b[0m"], title="\x1b]0;x")
    )
    assert "\x1b" not in text and "\x07" not in text
    assert "\\x1b[31mred" in text and "a\\x1b\\nb" in text and "\\x1b[2J" in text


def test_no_colour_codes_are_written_whatever_the_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in agreement_text(result())


def test_a_number_that_is_nearly_zero_has_no_sign():
    assert number(-1e-17) == "0.0000" and number(-0.0001) == "-0.0001"


# results as they are made


def made(annotators, metrics=("span_f", "cohen_kappa", "slicm")):
    """The agreement of a panel by some metrics, through JSON."""
    requests = {name: parse(name) for name in metrics}
    found = agreement(Panel(annotators), requests, intervals=Resampling(20))
    return json.loads(json.dumps(found))


def test_a_result_through_json_is_shown_with_its_own_numbers():
    found = made({"ann": ANN, "bob": BOB})
    text = agreement_text(found)
    team = found["metrics"][0]["team"]["value"]
    assert f"{team:.4f}" in cells(text, "summary", "span_f")
    assert "  team (span_f): sums of observed and expected" in text
    assert "  cohen_kappa (team): a coefficient of two annotators" in text


def test_one_annotator_alone_has_dashes_and_one_reason():
    text = agreement_text(made({"ann": ANN}))
    assert cells(text, "summary", "span_f") == ["span_f", *"----", "0", "(0)", "-", "-"]
    assert "pairs of annotators" not in text
    said = "span_f, cohen_kappa, slicm: agreement needs two annotators, and there is only one"
    assert f"undefined\n  {said}\n" in text


def test_annotators_without_a_shared_document_have_dashes_and_the_reason():
    text = agreement_text(made({"ann": ANN, "zoe": APART}, ["span_f", "cohen_kappa"]))
    assert cells(text, "span_f, corrected for chance: pairs", "ann") == ["ann", "-", "(0)"]
    assert "undefined\n  ann and zoe: no document that two of them saw\n" in text
