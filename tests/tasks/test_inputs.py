"""What people have of annotation gives the same numbers in every form; what is none says why."""

import re

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from helpers.cases import each_case
from spacy_chance_eval import (
    Resampling,
    Spans,
    agree,
    diff,
    evaluate,
    leaderboard,
    read,
    report,
    side_by_side,
)
from spacy_chance_eval.scoring.statistics import headline

VOCAB = spacy.blank("en").vocab
WORDS = [["Ada", "Lovelace", "met", "Bob", "."], ["In", "Oslo", "."]]
ROWS = {
    "gold": [[(0, 2, "PER"), (3, 4, "PER")], [(1, 2, "LOC")]],
    "pred": [[(0, 2, "PER")], [(0, 2, "LOC")]],
}
SIZES = [5, 3]
FEW = Resampling(20)


def tags(rows, begin="B", inside="I", last="I", single="B"):
    made = [["O"] * size for size in SIZES]
    for doc, spans in enumerate(rows):
        for start, end, label in spans:
            inner = [inside] * (end - start - 2)
            prefixes = [begin, *inner, last] if end - start > 1 else [single]
            made[doc][start:end] = [f"{prefix}-{label}" for prefix in prefixes]
    return made


def dicts(rows):
    return [[{"start": s, "end": e, "label": label} for s, e, label in doc] for doc in rows]


def docs(rows, group=None):
    made = []
    for words, spans in zip(WORDS, rows):
        doc = Doc(VOCAB, words=words)
        found = [Span(doc, *span) for span in spans]
        if group:
            doc.spans[group] = found
        else:
            doc.set_ents(found)
        made.append(doc)
    return made


# how annotation is given, and what else has to be said
FORMS = {
    "Spans": (lambda rows: Spans.from_tuples(rows, SIZES), {}),
    "IOB2": (tags, {}),
    "IOB1": (lambda rows: tags(rows, begin="I", single="I"), {}),
    "BIOES": (lambda rows: tags(rows, last="E", single="S"), {}),
    "BILUO": (lambda rows: tags(rows, last="L", single="U"), {}),
    "tuples": (lambda rows: rows, {"sizes": SIZES}),
    "dicts": (dicts, {"sizes": SIZES}),
    "Docs": (docs, {}),
    "groups": (lambda rows: docs(rows, "sc"), {"layer": "spans:sc"}),
}
EXPECTED = evaluate(*(Spans.from_tuples(rows, SIZES) for rows in ROWS.values()))


def given(form):
    made, settings = FORMS[form]
    return {name: made(rows) for name, rows in ROWS.items()}, settings


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_ranked_alike(form):
    sides, settings = given(form)
    systems = {"one": sides["pred"], "two": sides["gold"]}
    board = leaderboard(sides["gold"], systems, ["span_f"], intervals=FEW, **settings)
    scores = {row["system"]: row["corrected"] for row in board["boards"][0]["rows"]}
    assert scores == {"one": EXPECTED["span_f"].headline, "two": 1.0}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_agrees_alike(form):
    sides, settings = given(form)
    result = agree(sides, ["span_f"], intervals=FEW, **settings)
    assert headline(result["span_f"]["mean"]) == EXPECTED["span_f"].headline


@pytest.mark.parametrize("form", FORMS)
def test_every_form_differs_alike(form):
    sides, settings = given(form)
    found = diff(sides["gold"], sides["pred"], **settings)
    assert found.counts.sum(axis=0).tolist() == [1, 1, 0, 1, 0]


def test_tokens_that_are_not_annotated_are_those_of_files(tmp_path):
    gold = [["B-PER", "I-PER", "-", "B-LOC"], ["-", "-"], ["O", "B-PER"]]
    pred = [["-", "B-PER", "-", "B-LOC"], ["B-PER", "O"], ["-", "-"]]
    sides = []
    for rows in (gold, pred):
        path = tmp_path / f"{len(sides)}.conll"
        path.write_text("\n".join("".join(f"x {tag}\n" for tag in row) for row in rows))
        sides.append(read(path))
    pair = side_by_side(*sides)
    expected = evaluate(*pair.aligned())["span_f"]
    assert evaluate(gold, pred)["span_f"].per_label == expected.per_label
    assert diff(gold, pred).counts.tolist() == diff(pair).counts.tolist()
    board, *_ = leaderboard(gold, {"one": pred}, ["span_f"], intervals=FEW)["boards"]
    assert board["rows"][0]["corrected"] == expected.headline
    annotators = [[side.spans(side.layer_names[0]) for side in sides], [gold, pred]]
    one, two = (agree(both, ["span_f"], intervals=FEW)["span_f"]["mean"] for both in annotators)
    assert one == two


def test_examples_are_scored_as_spans_are():
    pairs = zip(docs(ROWS["pred"]), docs(ROWS["gold"]))
    examples = [Example(pred, gold) for pred, gold in pairs]
    assert evaluate(examples)["span_f"].headline == EXPECTED["span_f"].headline
    assert report(examples)["micro avg"]["corrected"] == EXPECTED["span_f"].headline
    assert diff(examples).counts.sum() == 3


def examples(rows, gold=ROWS["gold"]):
    return [Example(pred, reference) for pred, reference in zip(docs(rows), docs(gold))]


EXAMPLES = {"one": examples(ROWS["pred"]), "two": examples(ROWS["gold"])}


@each_case("given", [EXAMPLES["one"], list(EXAMPLES.values()), EXAMPLES])
def test_examples_agree_with_the_call_that_is_advised(given):
    with pytest.raises(ValueError, match="gold, pred = Spans.from_examples"):
        agree(given)
    found = agree(Spans.from_examples(EXAMPLES["one"]))["span_f"]["mean"]
    assert headline(found) == EXPECTED["span_f"].headline


@each_case(
    "pred, settings",
    [
        (ROWS["pred"], {}),  # lengths are known from gold
        (docs(ROWS["pred"]), {"sizes": SIZES}),
        (docs(ROWS["pred"], "ruler"), {"layer": "ents", "pred_layer": "spans:ruler"}),
    ],
)
def test_a_prediction_may_have_another_form_or_layer(pred, settings):
    scores = evaluate(docs(ROWS["gold"]), pred, **settings)
    assert scores["span_f"].headline == EXPECTED["span_f"].headline


def test_a_document_without_tags_is_as_long_as_others_say():
    sides = {"anna": tags(ROWS["gold"]), "ben": [tags(ROWS["gold"])[0], None]}
    result = agree(sides, ["span_f"], intervals=FEW)
    assert result["span_f"]["mean"]["n_docs"] == 1


def test_improper_tags_of_a_prediction_are_read_as_conlleval_does_and_signatures_say_so():
    gold, pred = [["B-PER", "O"]] * 2, [["I-PER", "O"], ["B-PER", "O"]]
    score = evaluate(gold, pred, ["span_f"])["span_f"]
    assert score.observed == 1
    assert "|repair=conlleval|" in score.signature


GOLD, PRED = tags(ROWS["gold"]), tags(ROWS["pred"])


SIDES = {
    "tags": (GOLD, PRED),
    "tuples": (ROWS["gold"], ROWS["pred"]),
    "Docs": (docs(ROWS["gold"]), docs(ROWS["pred"])),
    "Spans": (Spans.from_tags(GOLD), Spans.from_tags(PRED)),
}


@pytest.mark.parametrize("form", SIDES)
def test_annotators_that_are_two_arguments_agree_with_the_calls_that_are_advised(form):
    anna, ben = SIDES[form]
    with pytest.raises(ValueError, match="several annotators are one argument") as error:
        agree(anna, ben)
    calls = re.findall(r"agree\(.*?\)", str(error.value))
    assert len(calls) == 2
    for call in calls:
        call = f"{call[:-1]}, sizes={SIZES}, intervals=FEW)"
        assert eval(call, {"agree": agree, "anna": anna, "ben": ben, "FEW": FEW})


@pytest.mark.parametrize("call", [evaluate, report, diff])
def test_docs_with_other_tokens_are_scored_as_examples_with_the_call_that_is_advised(call):
    gold = [Doc(VOCAB, words=["In", "Oslo"], ents=["O", "B-LOC"])]
    pred = [Doc(VOCAB, ["In", "Os", "lo"], [True, False, True], ents=["O", "B-LOC", "I-LOC"])]
    with pytest.raises(ValueError, match="token 2 is 'Oslo'.*, or Examples") as error:
        call(gold, pred)
    advised = str(error.value).partition("same text: ")[2]
    names = {call.__name__: call, "Example": Example, "gold": gold, "pred": pred}
    assert eval(advised, names)


def test_a_board_warns_of_systems_that_are_not_on_it():
    board = leaderboard(GOLD, {"all": PRED, "short": PRED[:1]}, ["span_f"], intervals=FEW)
    assert board["warnings"][-1] == "On no board, as `left_out` explains: short."
