"""The table of laws: what is declared of every metric of the catalog, and how to try it."""

from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache

import numpy as np
import pytest

from helpers.cases import each_case
from helpers.strategies import KINDS, LABELS, admitted
from spacy_chance_eval import CATALOG, evaluate, request
from spacy_chance_eval.measures.alignment import align, align_panel
from spacy_chance_eval.scoring.counts import PairCounter
from spacy_chance_eval.scoring.statistics import headline

EXACT = {
    "span": ("none", "disjoint", "uniform", "overlapping", "nested"),
    "token": ("none", "disjoint", "uniform", "overlapping", "nested"),
    "pairs": ("none", "disjoint", "uniform"),
}
UNITS = [{"unit": "document"}]
BETAS = [{"beta": 0.5}, {"beta": 2.0}]
ENCODINGS = [
    {"encoding": encoding, "chance": chance}
    for encoding in ("BIO", "BIOE", "IO*")
    for chance in ("disjoint", "overlapping")
]
INFORMATION = [
    {"token_information": "corpus"},
    {"rank": "information"},
    {"matching": "optimal"},
    {"token_information": "corpus", "rank": "information", "matching": "optimal"},
]
DRAWN = [
    {"chance": "disjoint"},
    {"chance": "overlapping", "token_information": "corpus", "rank": "information"},
    {"chance": "nested", "unit": "document", "matching": "optimal"},
]
PAIRS_DRAWN = [{"chance": "overlapping"}, {"chance": "nested"}]
CLOSE = {("LOC", "ORG"): 0.5, ("ORG", "PER"): 0.25}
SPAN_ITEMS = [{"items": "span"}, {"items": "any_span"}]
WEIGHTS = [{"weights": CLOSE}, {"weights": CLOSE, "items": "span"}]
GATE = [{"mode": "lenient"}, {"mode": "average"}, {"empty": "gate"}, {"features": "all"}]
GATE_DRAWN = [{"chance": "disjoint"}, {"chance": "nested", "mode": "lenient", "unit": "document"}]
FALSE = [{"mode": "strict"}, {"mode": "average", "per": 10.0}, {"of": "sentence"}]
FEATURES = [{"features": "all"}]
EVERY_KIND = ("flat", *KINDS)  # "flat": no two spans overlap, whatever their labels


@dataclass(frozen=True)
class Law:
    """A row of the table: what is declared of a metric, and the parameters to try it with."""

    swapped: str | None
    exact: str  # which chance models have a formula: a key of EXACT
    variants: tuple = ()
    bits: bool = False
    drawn: tuple = ()  # variants whose expectation is drawn
    always: tuple = ()  # parameters without a default, as items of a dict
    kinds: tuple = EVERY_KIND  # how spans may lie to each other
    team: bool = False  # counts any number of annotators
    parts: bool = False  # has a chance model of its own
    best: float | None = 1  # the score of gold against itself; below that is worse, or above 0
    bounded: bool = True  # observed and expected score lie between 0 and 1
    over: str = "spans"  # what it is undefined without, with items="token"
    all_labels: bool = False  # the score over all labels depends on what labels there are


def row(swapped, exact, *variants, drawn=(), **more):
    return Law(swapped, exact, tuple(v for group in variants for v in group), drawn=drawn, **more)


def nominal(name, *variants, **more):
    """A coefficient of items; none but spans that both marked are without value if unlabelled."""
    return name, row(name, "none", SPAN_ITEMS, *variants, **({"over": "tokens"} | more))


def unitizing_row(name, kinds, **more):
    return name, row(name, "none", team=True, kinds=kinds, **more)


def gate_rows(what, **more):
    for suffix, mirror in (("precision", "recall"), ("recall", "precision"), ("f", "f")):
        variants = (GATE, BETAS) if suffix == "f" else (GATE,)
        yield (
            f"{what}_{suffix}",
            row(f"{what}_{mirror}", "none", *variants, drawn=GATE_DRAWN, **more),
        )


ONE_LABEL, ALL_LABELS = ("flat", "disjoint"), ("flat",)
LAWS = {
    "span_precision": row("span_recall", "span", UNITS),
    "span_recall": row("span_precision", "span", UNITS),
    "span_f": row("span_f", "span", UNITS, BETAS),
    "token_precision": row("token_recall", "token", UNITS, ENCODINGS),
    "token_recall": row("token_precision", "token", UNITS, ENCODINGS),
    "token_f": row("token_f", "token", UNITS, ENCODINGS, BETAS),
    "link_precision": row("link_recall", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "link_recall": row("link_precision", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "link_f": row("link_f", "pairs", UNITS, BETAS, drawn=PAIRS_DRAWN),
    "bcubed_precision": row("bcubed_recall", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "bcubed_recall": row("bcubed_precision", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "bcubed_f": row("bcubed_f", "pairs", UNITS, BETAS, drawn=PAIRS_DRAWN),
    "int_precision": row("int_recall", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "int_recall": row("int_precision", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "int_f": row("int_f", "pairs", UNITS, BETAS, drawn=PAIRS_DRAWN),
    "slicm": row(None, "none", INFORMATION, bits=True, bounded=False),
    "slicm_norm": row(None, "none", INFORMATION, drawn=DRAWN, bounded=False),
    **dict(
        [
            nominal("percent_agreement", team=True),
            nominal("positive_agreement", over="spans"),
            nominal("negative_agreement", over="absences", all_labels=True),
            nominal("cohen_kappa", parts=True),
            nominal("scott_pi", parts=True),
            nominal("pabak", parts=True),
            nominal("bias_index", best=0),
            nominal("prevalence_index", best=None),
            nominal("davies_fleiss", parts=True, team=True),
            nominal("fleiss_kappa", parts=True, team=True),
            nominal("fleiss_cuzick", parts=True, team=True),
            nominal("krippendorff_alpha", parts=True, team=True),
            nominal("gwet_ac1", parts=True, team=True),
            nominal("gwet_ac2", WEIGHTS, parts=True, team=True),
            unitizing_row("alpha_u", ONE_LABEL, parts=True, over="tokens", bounded=False),
            unitizing_row("u_alpha", ALL_LABELS, parts=True, over="tokens"),
            unitizing_row("bar_u_alpha", ALL_LABELS, parts=True, over="tokens"),
            unitizing_row("cu_alpha", ALL_LABELS, parts=True),
            unitizing_row("cu_coverage", ALL_LABELS),
        ]
    ),
    **dict(gate_rows("gate")),
    **dict(gate_rows("bdm", always=(("closeness", CLOSE),))),
    "error_rate": row(None, "none", GATE, best=0),
    "false_positives": row(None, "none", FALSE, FEATURES, over="tokens", best=0, bounded=False),
}
# which spans of one label a chance model accepts
ACCEPTS = {
    "disjoint": {"flat", "disjoint"},
    "uniform": {"flat", "disjoint"},
    "nested": {"flat", "disjoint", "nested"},
}

each_metric = each_case("name", LAWS)


def asked_for(name, **parameters):
    """A request, with what the metric always needs."""
    return request(name, **dict(LAWS[name].always) | parameters)


@cache
def requests(name, kind, drawn=False):
    """The requests of a metric that spans of this kind allow; exact or drawn expectations."""
    law = LAWS[name]
    if kind not in law.kinds:
        return ()
    models = [{"chance": chance} for chance in EXACT.get(law.exact, ())]
    variants = law.drawn if drawn else [{}, *models, *law.variants]
    found = {}
    for parameters in variants:
        asked = asked_for(name, **parameters)
        if kind in ACCEPTS.get(asked.placement, EVERY_KIND):
            found[str(asked)] = asked
    return tuple(found.values())


def fitting(name, pair):
    """The pair without the spans that the metric does not allow beside the others."""
    kinds = LAWS[name].kinds
    if pair.kind in kinds:
        return pair
    thin = lambda docs: tuple(doc and admitted(doc, kinds[-1]) for doc in docs)  # noqa: E731
    return replace(pair, gold=thin(pair.gold), pred=thin(pair.pred), kind=kinds[-1])


def each_fitting(pair, drawn=(False,), names=LAWS):
    """(the pair without spans that some metrics do not allow, all requests of these metrics)."""
    by_kind = {}
    for name in names:
        fit = fitting(name, pair)
        asked = [one for each in drawn for one in requests(name, fit.kind, each)]
        by_kind.setdefault(fit.kind, (fit, []))[1].extend(asked)
    return by_kind.values()


def counted_alike(requested):
    """Lists of requests that are counted in the same way."""
    found = {}
    for one in requested:
        metric = CATALOG[one.metric]
        found.setdefault((metric.count, str(one.counted)), []).append(one)
    return list(found.values())


@contextmanager
def speaking_of(asked):
    """Failures name the metric or request: one test tries them all."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{asked}: {error}") from error


def renamed(asked, names):
    """The same request where labels are called names[label]."""
    parameters = {
        key: {tuple(names[label] for label in pair): near for pair, near in value.items()}
        if isinstance(value, dict)
        else value
        for key, value in asked.parameters.items()
    }
    return request(asked.metric, **parameters)


def scores(pair, asked, labels=LABELS, **options):
    return evaluate(*pair.sides(labels), asked, **options)


def values(results):
    """(observed, expected, corrected, mean over labels) of every score, in the order asked for."""
    return [(s.observed, s.expected, s.corrected, headline(s.macro)) for s in results.values()]


def assert_same(one, two):
    """Scores that agree up to rounding, undefined ones at the same places."""
    clean = lambda rows: np.array(rows, float)  # noqa: E731  None becomes nan
    np.testing.assert_allclose(clean(one), clean(two), rtol=1e-9, atol=1e-10)


def assert_made_of_parts(row, disagreement):
    """A corrected score is 1 - D_o / D_e, or (A_o - A_e) / (1 - A_e)."""
    parts = [row.get(f"{key}_disagreement") for key in ("observed", "expected")]
    observed, expected, value = (row.get(key) for key in ("observed", "expected", "corrected"))
    assert disagreement or parts == [None, None]
    if value is None:
        return
    if disagreement:
        assert value == pytest.approx(1 - parts[0] / parts[1], rel=1e-12, abs=1e-12)
        assert [observed, expected] == pytest.approx([1 - part for part in parts], abs=1e-12)
    else:
        beyond = (observed - expected) / (1 - expected)
        assert value == pytest.approx(beyond, rel=1e-12, abs=1e-12)


PARTS = ("total", "per_label", "per_doc")
TOTAL = ("observed", "expected", "corrected")


def numbers_of(results, parts, names):
    """{(place of the request, part, label or document, field): number}; labels as names say."""
    found = {}
    for place, score in enumerate(results.values()):
        for part in parts:
            total = {"": {field: getattr(score, field) for field in TOTAL}}
            total["macro"] = score.macro
            rows = total if part == "total" else getattr(score, part) or {}
            for key, row in rows.items():
                for field, number in row.items():
                    found[place, part, names.get(key, key), field] = number
    return found


def assert_same_results(one, two, parts=PARTS, names=None):
    """The same numbers up to rounding; names say what labels are called in the second."""
    asked, mine, theirs = list(one), numbers_of(one, parts, names or {}), numbers_of(two, parts, {})
    differ = mine.keys() ^ theirs.keys()
    if not differ:
        rows = np.array([[mine[key], theirs[key]] for key in mine], float).reshape(-1, 2)
        close = np.isclose(*rows.T, rtol=1e-9, atol=1e-10, equal_nan=True)
        differ = [key for key, same in zip(mine, close) if not same]
    assert not differ, {(asked[k[0]], *k[1:]): (mine.get(k), theirs.get(k)) for k in differ}


def run_of(pair, draws=5):
    gold, pred = align(*pair.sides())
    return PairCounter(gold, pred, draws)


# --- statistics


def fields_of(statistics):
    """All arrays of statistics, those of their parts included."""
    if not is_dataclass(statistics):
        return [np.asarray(statistics)]
    parts = [getattr(statistics, field.name) for field in fields(statistics)]
    return [array for part in parts for array in fields_of(part)]


def assert_equal_statistics(one, two):
    for mine, theirs in zip(fields_of(one), fields_of(two), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-12)
        assert mine.dtype == theirs.dtype


def counted(asked, block, whole):
    """Statistics of some documents, counted with what there is to know of the whole corpus."""
    sides, known = block.sides(), {}
    if asked.survey_name:
        every = align(*whole.sides())
        known = asked.arguments(asked.survey(every), every[0].labels)
    sides = [align_panel(sides)] if asked.row.team else sides
    return asked.row.count(*sides, **asked.counted, **known)
