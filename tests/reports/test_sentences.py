"""Every sentence that a report begins with, one beside the other: what was said of which result.

The sentences are in `snapshots/sentences.txt`, under the names of their cases.
"""

from collections import Counter

import pytest

from helpers import boards, comparisons
from helpers.agreements import metric, result, score
from helpers.cases import each_case
from helpers.differing import EQUAL, FEW, MANY, OSLO, PER, REX, compare
from helpers.explaining import corpus_pair, labelled, one_document
from helpers.sentences import board, change, comparison, trees, verdict_of_boards
from helpers.snapshots import compare_with_snapshot
from helpers.strategies import random_pair
from spacy_chance_eval.analysis.diff import diff, summary
from spacy_chance_eval.analysis.explain import Model, explain_corpus, explain_document
from spacy_chance_eval.corpora.pairs import CorpusPair, side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports.agreement import agreement_verdict, heading, least_pair, pair_verdict
from spacy_chance_eval.reports.compare import compare_report, compare_verdict
from spacy_chance_eval.reports.diff import diff_verdict, pair_reason
from spacy_chance_eval.reports.explain import explain_verdict
from spacy_chance_eval.reports.leaderboard import errors_verdict
from spacy_chance_eval.reports.tree_pages import tree_pair_verdict, tree_verdict
from spacy_chance_eval.reports.words import brief

# --- agreement

THREE = ("ann", "bob", "cem")


def mean(value, limits=None, **fields):
    return score(value, limits=limits, **fields) | {"n_pairs": 1}


def agreed(*metrics, **fields):
    return agreement_verdict(result(*metrics, **fields))


def labels(**values):
    """Rows of labels with these scores, each marked as often as the others."""
    return [
        {"label": label, "n_spans": 40, "mean": score(value, reason="why"), "team": score(value)}
        for label, value in values.items()
    ]


def rare_third(**values):
    rows = labels(**values)
    rows[2]["n_spans"] = 9
    return metric(per_label=rows)


def among_three(values, width=None, **fields):
    """A metric of the pairs ann bob, ann cem, bob cem, with intervals of a half-width."""
    by_pair = dict(zip((("ann", "bob"), ("ann", "cem"), ("bob", "cem")), values))
    rows = {"mean": mean(0.7123, [0.6444, 0.7666]), "per_label": []} | fields
    one = metric(names=THREE, pair=lambda *pair: score(by_pair[pair]), **rows)
    for row in one["pairs"] if width else ():
        row |= {"low": row["corrected"] - width, "high": row["corrected"] + width}
    return one


def many_spans(one, names=THREE, n_spans=30):
    """A result whose annotators have marked so many spans."""
    found = result(one, names=names)
    for annotator in found["annotators"]:
        annotator["n_spans"] = n_spans
    return found


def no_pair(**fields):
    return metric(**fields) | {"pairs": []}


NOTHING_MARKED = metric(mean=mean(None, reason="nothing marked"))
SHARE = metric("percent_agreement", mean=mean(0.64), is_corrected=False)
NEAR_1 = {"mean": mean(0.9912), "per_label": labels(A=0.991, B=0.99)}
AGREEMENT = {
    "above chance": lambda: agreed(metric(mean=mean(0.7123, [0.6444, 0.7666]))),
    "full": lambda: agreed(metric(mean=mean(1.0))),
    "without interval": lambda: agreed(metric(mean=mean(0.2))),
    "interval with 0": lambda: agreed(metric(mean=mean(0.2, [-0.1, 0.5]))),
    "equal to chance": lambda: agreed(metric(mean=mean(0.001))),
    "below, not significantly": lambda: agreed(metric(mean=mean(-0.1, [-0.3, 0.1]))),
    "below chance": lambda: agreed(metric(mean=mean(-0.3, [-0.4, -0.2]))),
    "not corrected": lambda: agreed(metric(mean=mean(0.9), is_corrected=False)),
    "less is better": lambda: agreed(
        metric(mean=mean(0.2), higher_is_better=False, is_corrected=False)
    ),
    "bits": lambda: agreed(metric(mean=mean(-31.5), bits=True)),
    "labels": lambda: agreed(metric(per_label=labels(A=0.9, B=0.4, C=None))),
    "labels that tie": lambda: agreed(metric(per_label=labels(A=0.9, B=0.0, C=0.0, D=0.9))),
    "labels at chance": lambda: agreed(metric(per_label=labels(A=0.0, B=-0.33))),
    "labels below chance": lambda: agreed(metric(per_label=labels(A=-0.1, B=-0.33))),
    "labels without agreement": lambda: agreed(
        metric(per_label=labels(A=0.0, B=-0.2), is_corrected=False)
    ),
    "no labels": lambda: agreed(metric(per_label=labels())),
    "one label": lambda: agreed(metric(per_label=labels(PER=0.5))),
    "one defined label": lambda: agreed(metric(per_label=labels(PER=0.5, LOC=None))),
    "equal labels": lambda: agreed(metric(per_label=labels(PER=0.5, LOC=0.5))),
    "rare label": lambda: agreed(rare_third(A=0.9, B=0.4, C=0.1)),
    "rare label, no agreement": lambda: agreed(rare_third(A=-0.1, B=-0.4, C=0.9)),
    "three": lambda: agreement_verdict(
        many_spans(among_three((0.8, 0.75, 0.58), 0.05, per_label=labels(P=0.88, L=0.5, M=0.31)))
    ),
    "three, no labels": lambda: agreement_verdict(
        many_spans(among_three((0.8, 0.75, 0.58), 0.05, per_label=[]))
    ),
    "three near 1": lambda: agreement_verdict(
        many_spans(among_three((0.995, 0.994, 0.9872), 0.001, **NEAR_1))
    ),
    "one document": lambda: agreed(metric(mean=mean(0.5)), n_shared=1),
    "undefined": lambda: agreed(NOTHING_MARKED),
    "first undefined": lambda: agreed(NOTHING_MARKED, metric("token_f", mean=mean(0.5))),
    "corrected before others": lambda: agreed(
        SHARE, metric("a", mean=mean(0.3)), metric("k", mean=mean(0.28))
    ),
    "not corrected before undefined": lambda: agreed(
        SHARE, metric("a", mean=mean(None, reason="one label"))
    ),
    "one annotator": lambda: agreed(
        metric(names=("ann",), mean=mean(None, reason="there is only one")), names=("ann",)
    ),
    "team": lambda: agreed(
        no_pair(names=THREE, team=score(0.5) | {"definition": "all"}, per_label=[]),
        names=THREE,
        pairs=False,
    ),
    "no metric": lambda: agreement_verdict({**result(), "metrics": []}),
    "pair": lambda: pair_verdict(
        result(among_three((0.8, 0.75, 0.58)), names=THREE), ("bob", "cem"), 2
    ),
    "pair of an order": lambda: asymmetric("ab"),
    "pair of the other order": lambda: asymmetric("ba"),
    "pair, less is better": lambda: asymmetric("ab", higher_is_better=False),
    "pair, one order undefined": lambda: asymmetric("ab", 0, higher_is_better=False),
    "pair undefined": lambda: asymmetric("ab", 0, 1, n=1),
}


def asymmetric(names, *undefined, n=0, **fields):
    """The verdict on a pair by a metric that differs by the order, .5 and .25."""
    values = {"ab": score(0.5), "ba": score(0.25)}
    one = metric("recall", names="ab", symmetric=False, pair=lambda f, s: values[f + s]) | fields
    for i in undefined:
        one["pairs"][i] |= score(None, reason="nothing marked")
    return pair_verdict(result(one, names="ab"), names, n)


# --- trees

COUNTS = {"head": 1, "relation": 5, "head and relation": 2}
CONFUSED = {("nmod", "obl"): 2, ("obl", "nmod"): 1, ("obj", "obl"): 2}
NONE = dict.fromkeys(COUNTS, 0)


def row(first="ann", second="bob", *, n_docs=1000, n_differing=388, counts=COUNTS, confused=()):
    """A pair of annotators as a row of the index."""
    found = {"first": first, "second": second, "n_docs": n_docs, "n_differing": n_differing}
    return found | {"counts": counts, "confused": Counter(confused)}


def no_trees():
    found = trees()
    found["metrics"][0]["mean"] = score(None, reason="no sentence is shared") | {"n_pairs": 1}
    return tree_verdict(found, [])


def kinds(*counts):
    return tree_verdict(trees(), [row(counts=dict(zip(COUNTS, counts)))])


BRACKETS = row(counts={"only the first": 3, "only the second": 1})
TREES = {
    "two": lambda: tree_verdict(trees(), [row(confused=CONFUSED)]),
    "pair": lambda: tree_pair_verdict(trees(), row(confused=CONFUSED)),
    "just below 1": lambda: tree_verdict(trees(0.9979), []),
    "three": lambda: tree_verdict(
        trees(names=THREE), [row(), row("ann", "cem", counts=COUNTS | {"head": 20})]
    ),
    "one token": lambda: kinds(0, 1, 0),
    "one kind": lambda: kinds(3, 0, 0),
    "kinds that tie": lambda: kinds(2, 2, 2),
    "one token of two": lambda: kinds(1, 1, 0),
    "each confused once": lambda: tree_verdict(
        trees(), [row(confused={("a", "b"): 1, ("c", "d"): 1})]
    ),
    "confused equally often": lambda: tree_verdict(
        trees(), [row(confused={("a", "b"): 2, ("c", "d"): 1, ("d", "c"): 1})]
    ),
    "identical": lambda: tree_verdict(trees(1.0), [row(n_differing=0, counts=NONE)]),
    "one identical": lambda: tree_verdict(trees(1.0), [row(n_docs=1, n_differing=0, counts=NONE)]),
    "other tokens": lambda: tree_verdict(trees(), [row(n_differing=1, counts=NONE)]),
    "brackets": lambda: tree_verdict(trees(), [BRACKETS]),
    "brackets of several pairs": lambda: tree_verdict(trees(), [BRACKETS, BRACKETS]),
    "undefined": no_trees,
    "index alone": lambda: tree_verdict(trees(), ()),
}

# --- differences

MISSING = [PER, REX, OSLO], [PER]


def differ(*documents, names=("gold", "bert"), **settings):
    return diff_verdict(summary(compare(*documents, **settings)) | {"names": names})


def categories():
    corpora = [
        Corpus(name, [Document((), {}, text="x", categories={"c": row}) for row in rows])
        for name, rows in (("g", (["a"], ["b"])), ("p", (["a"], ["c"])))
    ]
    both = CorpusPair(corpora[0], "c", corpora[1], "c", ("g", "p"), categories=True)
    return diff_verdict(summary(diff(both)))


def reasons(gold, pred, said=({}, {}), **settings):
    """Why the spans of each pair of a document differ."""
    sides = [
        Corpus(name, [Document("a b c d e f".split(), {"x": spans}, "d", features={"x": one})])
        for name, spans, one in zip("gp", (gold, pred), said)
    ]
    found = diff(side_by_side(*sides), equal=True, **settings)
    pairs = found.document(0)["pairs"]
    return "; ".join(pair_reason(pair, ("gold", "bert")) for pair in pairs)


SPAN = (0, 1, "A")
DIFF = {
    "some found": lambda: differ(FEW, MANY, FEW),
    "most of a label": lambda: differ(MISSING, MISSING, FEW),
    "some of a label": lambda: differ(MISSING),
    "all of a label": lambda: differ(*[([OSLO, PER], [PER])] * 2),
    "one spurious": lambda: differ(([PER], [PER, REX])),
    "one of another label": lambda: differ(([REX], [(2, 4, "LOC")])),
    "equal": lambda: differ(EQUAL),
    "no gold": lambda: differ(([], [PER])),
    "no prediction": lambda: differ(([PER, REX], [])),
    "nothing": lambda: differ(([], [])),
    "a label chosen": lambda: differ(MANY, labels=["DATE"]),
    "its own score": lambda: differ(FEW, MANY, labels=["PER"]),
    "other names": lambda: differ(FEW, names=("anna\n", "<b>")),
    "categories": categories,
    "correct": lambda: reasons([(1, 3, "A")], [(1, 3, "A")]),
    "shorter, another label": lambda: reasons([(3, 5, "LOC")], [(3, 4, "ORG")]),
    "longer": lambda: reasons([(1, 3, "A")], [(0, 3, "A")]),
    "later": lambda: reasons([(1, 3, "A")], [(2, 6, "A")]),
    "earlier": lambda: reasons([(1, 4, "A")], [(0, 2, "A")]),
    "wrong label": lambda: reasons([(1, 3, "A")], [(1, 3, "B")]),
    "single spans": lambda: reasons([SPAN], [(3, 4, "")]),
    "features": lambda: reasons(
        [SPAN], [SPAN], ({SPAN: {"kind": "dog"}}, {SPAN: {"kind": "cat"}}), features="kind"
    ),
}

# --- explanations


def why(gold, pred, size, **options):
    return explain_verdict(explain_document(one_document(gold, pred, size), "doc", **options))


def chance_of(size):
    return why(labelled([(0, 1)]), labelled([(0, 1)]), size)


def without_formula():
    both = one_document(labelled([(0, 4), (1, 3)]), labelled([(0, 2)]), 6)
    found = explain_corpus(both, model=Model("nested", encoding="BIO"))
    found["levels"]["span"] = found["levels"]["token"]
    return explain_verdict(found)


def corrected(value):
    found = explain_corpus(corpus_pair(random_pair(0)))
    total = found["levels"]["span"]["total"]
    total["expected"] = total["expected"] or {}
    total["scores"]["f"] = {"observed": 0.1, "expected": 0.1, "corrected": value}
    return explain_verdict(found)


EXPLAINED = {
    "some found": lambda: why(
        [(0, 1, "A"), (2, 3, "B"), (4, 7, "B")], [(0, 1, "A"), (3, 4, "B")], 12
    ),
    "other boundaries": lambda: why(
        [(0, 2, "A"), (2, 4, "A"), (6, 7, "B")], [(0, 4, "A"), (6, 7, "A")], 8
    ),
    "another label": lambda: why([(0, 2, "A")], [(0, 2, "B")], 8),
    **{f"{size} tokens": lambda size=size: chance_of(size) for size in (12, 200, 5000, 50000)},
    "nothing": lambda: why([], [], 4),
    "chance is perfect": lambda: why(labelled([(0, 4)]), labelled([(0, 4)]), 4),
    "nothing predicted": lambda: why(labelled([(0, 1)]), [], 4),
    "no formula": without_formula,
    **{f"corpus {seed}": lambda seed=seed: largest_shares(seed) for seed in range(8)},
    **{f"corrected {c}": lambda c=c: corrected(c) for c in (0.0, 0.002, -0.001, -0.25)},
}


def largest_shares(seed):
    return explain_verdict(explain_corpus(corpus_pair(random_pair(seed))))


# --- boards

FIVE, FOUR = [0.5, 0.4, 0.3, 0.2, 0.1], [0.5, 0.4, 0.4, 0.3]
SAME = board([0.5, 0.4], [0.4, 0.3], {"ab": 0.01})
RAW = board([0.5, 0.4], None, {"ab": 0.01}, "strict_f")
ALL_EQUAL = dict.fromkeys(("ab", "ac", "bc"), 0.9)


def turned(p):
    """Another metric, of which the correction reverses the order with this p-value."""
    return board([0.5, 0.4], [0.3, 0.4], {"ab": p}, "token_f")


def costs(*documents):
    return lambda: errors_of("span_f", *documents)


def errors_of(name, *documents):
    found = boards.result(names=["a"], metrics=[name], labels=[], subsets=[])
    rows = [{"name": f"d\n{i}", "cost": cost} for i, cost in enumerate(documents)]
    return errors_verdict(found["boards"][0], found["systems"][0], rows)


BOARDS = {
    "one apart": [board([0.5, 0.4, 0.1], [0.45, 0.35, 0.05], {"ab": 0.2, "ac": 0.01, "bc": 0.01})],
    "three not": [board(FIVE, FIVE, {"ab": 0.2, "ac": 0.2, "ad": 0.2, "ae": 0.001})],
    "both apart": [board(FOUR[:3], FOUR[:3], {"ab": 0.001, "ac": 0.001, "bc": 0.8})],
    "all apart": [board(FOUR, FOUR, {"ab": 0.001, "ac": 0.001, "ad": 0.001, "bc": 0.8})],
    "none apart": [board(FIVE[:4], None, {"ab": 0.2, "ac": 0.2, "ad": 0.2, "bd": 0.01})],
    "undecided": [board([0.5, 0.4, 0.3], [0.4, 0.3, 0.2], {"ab": 0.9, "ac": "?", "bc": 0.9})],
    "two first": [board([0.5, 0.5, 0.3], [0.4, 0.4, 0.2], {"ab": 1.0, "ac": 0.001, "bc": 0.2})],
    "three first": [
        board(
            [0.5] * 3 + [0.3],
            [0.4] * 3 + [0.2],
            {"ab": 1.0, "ac": 1.0, "bc": 1.0, "ad": 0.01, "bd": 0.01, "cd": 0.01},
        )
    ],
    "one system": [board([0.5], [0.45])],
    "one without a score": [board([None, 0.5, 0.4], [None, 0.4, 0.3], {"bc": 0.001})],
    "no score": [board([None, None], [None, None])],
    "no gold spans": [board([0.0, None, 0.0], [0.0, None, 0.0])],
    "one corrected": [board([0.9, 0.5], [None, 0.4])],
    "none corrected": [board([0.5, 0.4], [None, None])],
    "bits": [board([-812.34, -900.0], None, {"ab": 0.01}, "slicm", bits=True)],
    "two alike": [board([0.5, 0.4], [0.4, 0.3], {"ab": 0.9})],
    "three alike": [board([0.5, 0.4, 0.3], [0.4, 0.3, 0.2], ALL_EQUAL)],
    "at chance": [board([0.1, 0.05], [0.0, -0.2], {"ab": 0.01})],
    "below chance": [board([0.1, 0.05], [-0.05, -0.2], {"ab": 0.01})],
    "one at chance": [board([0.1], [0.0])],
    "lower is better": [board([0.1, 0.2], None, {"ab": 0.01}) | {"request": "error_rate()"}],
    "one order turned": [SAME, turned(0.01), RAW],
    "turned, not significantly": [SAME, turned(0.3), RAW],
    "turned, undecided": [SAME, turned("?"), RAW],
    "nothing corrected": [RAW],
    "hostile": [board([0.5, 0.4], [0.4, 0.3], {"ab": 0.9}, names=["a\n\u202eb", "b"])],
}
ON_BOARDS = {
    **{name: lambda some=some: verdict_of_boards(*some) for name, some in BOARDS.items()},
    "untested": lambda: verdict_of_boards(board([0.5, 0.4], [0.45, 0.35]), resamples=0),
    "worst document": costs(0.0123),
    "worst document in bits": lambda: errors_of("slicm", 31.26),
    "no worst document": lambda: errors_of("slicm"),
    "two worst": costs(0.3, 0.3, 0.1),
    "three worst": costs(0.3, 0.3, 0.3, 0.1),
    "all worst": costs(0.3, 0.3),
    "little lost": costs(0.00001, 0.000005),
}

# --- comparisons

BETTER, UNSURE = change(0.021, True), change(0.01, False)
COMPARED = {
    "significant": [comparison(BETTER), comparison(UNSURE, name="token_f")],
    "alone": [comparison(BETTER)],
    "a loss has no minus twice": [comparison(change(-0.03, True))],
    "less error is better": [
        comparison(change(-0.03, True, "observed", sign=-1), key="observed", name="error_rate")
    ],
    "no direction without significance": [comparison(UNSURE, [change(-0.2, False, label="PER")])],
    "labels and other metrics": [
        comparison(
            UNSURE,
            [
                change(0.1, True, label="PER"),
                change(-0.1, True, label="LOC"),
                change(0.3, False, label="X"),
            ],
        ),
        comparison(change(-0.1, True), name="token_f"),
    ],
    "many are counted": [
        comparison(change(0.1, True), [change(0.1, True, label=label) for label in "abc"]),
        *(comparison(change(0.1, True), name=name) for name in "xyz"),
    ],
    "not tested": [comparison(change(0.021, None))],
    "undefined": [comparison(change(None, None))],
    "equal": [comparison(change(0, False))],
    "small": [comparison(change(0.0004, True))],
    "equal, others not tested": [
        comparison(change(0.0, None)),
        comparison(change(0.1, None), name="token_f"),
    ],
    "equal, a label not tested": [comparison(change(0.0, None), [change(0.1, None, label="PER")])],
    "equal, nothing else": [comparison(change(0.0, None))],
    "bits": [comparison(change(12.34, True, "observed"), key="observed", name="slicm", bits=True)],
    "at chance": [comparison(change(0.2, False, old=0.0))],
    "below chance": [comparison(change(0.05, False, old=-0.1))],
}


def compared(metrics):
    return compare_verdict({"metrics": metrics, "names": ["main", "pr"], "n_docs": 231})


# --- all


def test_sentences_are_as_they_were():
    said = {
        "agreement": AGREEMENT,
        "trees": TREES,
        "differences": DIFF,
        "explanations": EXPLAINED,
        "boards": ON_BOARDS,
        "comparisons": {name: lambda one=one: compared(one) for name, one in COMPARED.items()},
    }
    lines = [
        f"{kind}, {name}: {say()}" for kind, cases in said.items() for name, say in cases.items()
    ]
    assert all(text.isprintable() for text in lines)
    compare_with_snapshot("sentences.txt", "\n".join(lines))


def test_relations_that_are_filtered_out_change_no_verdict():
    assert differ(FEW, MANY, relations=["spurious"]) == differ(FEW, MANY)


def test_hostile_names_of_a_whole_comparison_are_escaped():
    text = compare_verdict(comparisons.result())
    assert text.endswith(".") and text.isprintable()


def test_significant_and_large_changes_of_labels_come_first():
    some = [("b", 0.2, False), ("c", 0.1, True), ("a", 0.2, False)]
    found = comparisons.result()
    first = found["metrics"][0]
    first["labels"] = [
        {**first["labels"][0], **change(by, distinct, label=label)} for label, by, distinct in some
    ]
    table = next(compare_report(found).tables())
    assert [one["label"] for one in table.rows] == ["All labels", "c", "a", "b"]


@pytest.mark.parametrize("seed", range(8))
def test_the_largest_shares_are_named(seed):
    level = explain_corpus(corpus_pair(random_pair(seed)))["levels"]["span"]
    for rows, kind in ((level["by_label"], "label"), (level["documents"], "document")):
        known = [one for one in rows if one["share"]]
        if len(known) > 1 and level["total"]["expected"] is not None:
            best = max(known, key=lambda one: one["share"])
            name = f"{kind} {best[kind]}".replace("document document", "document")
            assert f"{best['share']:.0%} come from {name}" in largest_shares(seed)


@each_case(
    "value, text",
    [
        *((0.714, ".71"), (-0.02, "-.02"), (-0.001, ".00"), (-39.2, "-39.20"), (1, "1.00")),
        *((0.996, ".996"), (-0.9995, "-.9995"), (0.99999, "1.0000")),
    ],
)
def test_scores_in_sentences_have_two_decimals_and_more_near_1(value, text):
    assert brief(value) == text


# --- the pair that agrees least

LEAST = {
    "interval below the mean": (many_spans(among_three((0.8, 0.75, 0.58), 0.05)), ("bob", "cem")),
    "wide interval": (many_spans(among_three((0.8, 0.75, 0.58), 0.2)), None),
    "no interval": (many_spans(among_three((0.8, 0.75, 0.58))), None),
    "few spans": (many_spans(among_three((0.8, 0.75, 0.58), 0.05), n_spans=29), None),
    "less is better": (
        many_spans(among_three((0.1, 0.2, 0.9), 0.05, higher_is_better=False, mean=mean(0.4))),
        ("bob", "cem"),
    ),
}


@each_case("name", LEAST)
def test_the_pair_that_agrees_least_stands_out(name):
    found, names = LEAST[name]
    pair = least_pair(found)
    assert (pair and (pair["first"], pair["second"])) == names


def test_of_both_orders_the_one_that_agrees_less_counts():
    values = dict.fromkeys(("ab", "ba", "ac", "ca", "bc"), 0.9) | {"cb": 0.1}
    pair = lambda f, s: score(values[f + s], limits=[values[f + s]] * 2)  # noqa: E731
    found = least_pair(many_spans(metric(names="abc", symmetric=False, pair=pair), "abc"))
    assert (found["first"], found["second"]) == ("c", "b")


@each_case(
    "sources, names, title",
    [
        (["/data/a.jsonl", "/data/b.jsonl"], ("a", "b"), "a and b"),
        (["x/a", "x/b", "x/c", "x/d"], "abcd", "4 annotators"),
        (["/data/all.jsonl"], "abcd", "all.jsonl"),
        (["/data/folder/"], "ab", "folder"),
    ],
)
def test_headings_have_names_and_no_paths(sources, names, title):
    found = result(metric(names=names), names=names, title=", ".join(sources), sources=sources)
    assert heading(found) == title
    assert heading({**found, "title": "A study"}) == "A study"
    assert heading(result()) == ""
