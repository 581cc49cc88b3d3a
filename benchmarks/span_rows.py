"""Scoring, expectation, SL-ICM, bootstrap and leaderboards, on sentences of CoNLL-2003's shape."""

from functools import partial

import numpy as np

import inputs
from rows import Row, Topic
from spacy_chance_eval import Resampling, Spans, align, evaluate, leaderboard
from spacy_chance_eval.formats.tags import spans_of_tags
from spacy_chance_eval.measures import matching
from spacy_chance_eval.measures.chance.draws import drawn

SPAN_F, TOKEN_F = "span_f(chance=none)", "token_f(chance=none)"
RESAMPLES, SYSTEMS = 1000, 12
FEW = 3  # resamples of a loop: all would take hours
DRAWS = 10  # of 1,000 random annotations


def value(gold, pred, metric, **options):
    """Observed value of a metric, with all that `evaluate` says beside it."""
    return evaluate(gold, pred, [metric], **options)[metric].observed


def evaluating(metric, n_docs, **options):
    """`evaluate` on Spans."""
    return partial(value, *inputs.conll_shaped(n_docs), metric, **options)


def usual(n_docs):
    """`evaluate` with its default metrics."""
    sides = inputs.conll_shaped(n_docs)

    def work():
        evaluate(*sides)

    return work


# --- the same from the input of others


def from_tags(n_docs):
    """`evaluate` on IOB2 tags, as seqeval and nervaluate get them."""
    sides = inputs.conll_shaped(n_docs)
    sizes, tags = sides[0].sizes, list(map(inputs.tags, sides))

    def work():
        rows = [[spans_of_tags(document)[0] for document in side] for side in tags]
        return value(*(Spans.from_tuples(side, sizes, inputs.LABELS) for side in rows), SPAN_F)

    return work


def from_examples(n_docs):
    """`evaluate` on spaCy's Examples."""
    from spacy_chance_eval.spacy_docs.docs import spans_of_examples

    made = inputs.examples(*inputs.conll_shaped(n_docs))
    return lambda: value(*spans_of_examples(made, "ents"), SPAN_F)


# --- peers


def by_seqeval(n_docs):
    from seqeval.metrics import f1_score

    return partial(f1_score, *map(inputs.tags, inputs.conll_shaped(n_docs)))


def by_nervaluate(n_docs):
    from nervaluate import Evaluator

    sides, labels = list(map(inputs.tags, inputs.conll_shaped(n_docs))), list(inputs.LABELS)
    work = lambda: Evaluator(*sides, tags=labels, loader="list").evaluate()  # noqa: E731
    return lambda: work()["overall"]["strict"].f1


def by_spacy(n_docs):
    from spacy.scorer import Scorer

    made = inputs.examples(*inputs.conll_shaped(n_docs))
    return lambda: Scorer.score_spans(made, "ents")["ents_f"]


def by_sets(n_docs):
    sides = list(map(inputs.tuples, inputs.conll_shaped(n_docs)))

    def work():
        one, two = ({(i, *span) for i, rows in enumerate(side) for span in rows} for side in sides)
        return 2 * len(one & two) / (len(one) + len(two))

    return work


def by_sklearn(n_docs):
    from sklearn.metrics import f1_score

    sides = [inputs.codes(side, begins=False) for side in inputs.conll_shaped(n_docs)]
    labels = list(range(1, 1 + len(inputs.LABELS)))
    return lambda: float(f1_score(*sides, labels=labels, average="micro"))


# --- expectation


def expected(n_docs):
    """Expected matches of spans and of tokens, exactly; observed ones are counted before."""
    sides = align(*inputs.conll_shaped(n_docs))
    spans, tokens = matching.span_hits(*sides), matching.token_hits(*sides)
    model = {"placement": "disjoint", "unit": "doc"}

    def work():
        matching.expected_span_hits(*sides, spans, **model)
        matching.expected_token_hits(*sides, tokens, **model)

    return work


def expected_spans(n_docs):
    """Those of spans alone."""
    sides = align(*inputs.conll_shaped(n_docs))
    observed = matching.span_hits(*sides)
    model = {"placement": "disjoint", "unit": "doc"}

    def work():
        matching.expected_span_hits(*sides, observed, **model)

    return work


def by_drawing(n_docs):
    """The same as the mean of random annotations: near the exact one, so no value to compare."""
    sides, rng = align(*inputs.conll_shaped(n_docs)), np.random.default_rng(0)
    model = {"placement": "disjoint", "unit": "doc"}

    def work():
        drawn(matching.span_hits, *sides, **model, draws=DRAWS, rng=rng)

    return work


# --- resamples


def ranked(n_docs):
    """A leaderboard of span F."""
    gold, systems = inputs.shared_task(n_docs, SYSTEMS)

    def work():
        leaderboard(gold, systems, ["span_f"], intervals=Resampling(RESAMPLES))

    return work


def seqeval_loop(n_docs):
    """The loop that one would write around seqeval: draw sentences, score them again."""
    from seqeval.metrics import f1_score

    gold, pred = map(inputs.tags, inputs.conll_shaped(n_docs))
    rng = np.random.default_rng(0)

    def work():
        for _ in range(FEW):
            rows = rng.integers(0, n_docs, n_docs).tolist()
            f1_score([gold[i] for i in rows], [pred[i] for i in rows])

    return work


OURS = "ours"
LOOP = f"a loop that draws sentences; measured on {FEW} of {RESAMPLES:,} resamples"
TOPICS = {
    "spans": Topic(
        "span scoring",
        (
            Row(OURS, partial(evaluating, SPAN_F), remark="evaluate, on Spans; labels, documents"),
            Row("ours, from tags", from_tags, remark="the same on lists of IOB2 tags"),
            Row("ours, from Examples", from_examples, remark="the same on spaCy's Examples"),
            Row("seqeval", by_seqeval, "ours, from tags", "F of all labels only"),
            Row("nervaluate", by_nervaluate, "ours, from tags", "more: four schemas; labels"),
            Row("spaCy Scorer", by_spacy, "ours, from Examples", "score_spans; labels"),
            Row("Python sets", by_sets, OURS, "a set of tuples for each side; F only"),
        ),
        remark="precision, recall and F of equal spans, without correction for chance",
    ),
    "tokens": Topic(
        "token scoring",
        (
            Row(OURS, partial(evaluating, TOKEN_F), remark="evaluate, on Spans; labels, documents"),
            Row("scikit-learn", by_sklearn, OURS, "f1_score on arrays of labels; F only"),
        ),
        remark="precision, recall and F of tokens with equal labels",
    ),
    "expectation": Topic(
        "expectation",
        (
            Row(OURS, expected, remark="exact"),
            Row("ours, spans", expected_spans, remark="exact, of span matches only"),
            Row(
                "by drawing",
                by_drawing,
                "ours, spans",
                "the same expectation by drawing, not exact: 1,000 random annotations, measured on "
                f"{DRAWS}",
                share=DRAWS / 1000,
            ),
        ),
        remark="what chance makes of span and token matches; no other library has it",
    ),
    "slicm": Topic(
        "SL-ICM",
        (Row(OURS, partial(evaluating, "slicm_norm")),),
        remark="no other library that works beside numpy 2 has it",
    ),
    "all": Topic(
        "the usual scores",
        (Row(OURS, usual),),
        remark="span and token precision, recall and F, corrected for chance, and SL-ICM",
    ),
    "bootstrap": Topic(
        "bootstrap",
        (
            Row(
                OURS,
                partial(evaluating, SPAN_F, intervals=Resampling(RESAMPLES)),
                remark="intervals of all labels, too",
            ),
            Row("seqeval", seqeval_loop, OURS, LOOP, share=FEW / RESAMPLES),
        ),
        remark=f"{RESAMPLES:,} resamples of documents, span F of one system",
    ),
    "leaderboard": Topic(
        "leaderboard",
        (
            Row(OURS, ranked, remark="corrected for chance; labels, ranks, tests of all pairs"),
            Row(
                "seqeval",
                seqeval_loop,
                OURS,
                f"{LOOP} of one system; no chance, ranks or tests",
                share=FEW / RESAMPLES / SYSTEMS,
            ),
        ),
        remark=f"{SYSTEMS} systems, {RESAMPLES:,} resamples of documents, span F",
    ),
}
