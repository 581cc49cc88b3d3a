"""Tables of Amigó et al. (2025) made again, Table 4 and the properties also on any corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..about import __version__
from ..corpora.panels import PanelOptions, read_annotator
from ..formats.errors import FormatError, PathLike
from ..formats.paths import path_text
from ..measures.arrays import IntArray
from ..measures.fragments import refuse_fragments
from ..measures.properties import PROPERTIES, Contrast, contrasts, transformations
from ..measures.spans import Spans
from ..metrics.request import Request
from ..scoring.evaluation import default_requests, evaluate
from ..scoring.scores import Score
from .simulate import Cell, Table, cell, table

PAPER = 'Amigó et al. (2025), "Evaluating Sequence Labeling on the basis of Information Theory"'
METRICS = {
    "Span F": "span_f(chance=none)",
    "IO": "token_f(chance=none,encoding=IO)",
    "BIOE": "token_f(chance=none,encoding=BIOE)",
    "Link": "link_f(chance=none)",
    "BCubed": "bcubed_f(chance=none)",
    "Int-F": "int_f(chance=none)",
    "SL-ICM": "slicm_norm",
}
INFORMATIVE = {"SL-ICM, corpus": "slicm_norm(token_information=corpus)"}
# table 2: gold, and predictions A and B, as first and last tokens, counted from 1
EXAMPLES = {
    "correct sequence": ("1-3 10-13 20-23", "1-3 10-13", "1-3"),
    "wrong sequence": ("1-3 10-13 20-23", "1-3 10-13", "1-3 10-13 30-33"),
    "overlap": ("1-7 10-13 20-23", "1-6 10-13 20-23", "1-5 10-13 20-23"),
    "noise": ("1-7 10-13 20-23", "1-8 10-13 20-23", "1-9 10-13 20-23"),
    "homogeneity": ("1-5 6-7 10-13 20-23", "1-5 6-7 10-13", "1-7 10-13"),
    "completeness": ("1-7 10-13 20-23", "1-7 10-13", "1-5 6-7 10-13"),
    "length vs captured": ("10-16 20-23", "10-15 20-23", "10-16 20-22"),
    "length vs noisy": ("10-16 20-23", "10-17 20-23", "10-16 20-24"),
    "overlap increasing": ("10-16 20-26", "10-14 20-25", "10-13 20-26"),
    "noise increasing": ("10-16 20-26", "10-17 20-31", "10-18 20-30"),
}
# table 3: the scores of A and B as they are printed, in the order of `METRICS`
PRINTED = {
    "correct sequence": ".8/.5 .778/.429 .778/.429 .762/.375 .778/.429 .8/.5 .653/.306",
    "wrong sequence": ".8/.667 .778/.636 .778/.636 .762/.615 .778/.636 .8/.667 .653/.479",
    "overlap": ".667/.667 .966/.929 .897/.857 .921/.843 .934/.871 .976/.95 .979/.954",
    "noise": ".667/.667 .968/.938 .903/.875 .923/.85 .938/.883 .979/.962 .991/.983",
    "homogeneity": ".857/.333 .846/.846 .846/.692 .848/.737 .846/.737 .857/.857 .738/.53",
    "completeness": ".8/.333 .846/.846 .846/.692 .884/.737 .846/.704 .8/.8 .692/.535",
    "length vs captured": ".5/.5 .952/.952 .857/.857 .899/.944 .908/.914 .963/.933 .969/.947",
    "length vs noisy": ".5/.5 .957/.957 .87/.87 .905/.938 .915/.919 .968/.947 .987/.979",
    "overlap increasing": "0/.5 .88/.88 .72/.8 .783/.809 .767/.798 .88/.88 .913/.902",
    "noise increasing": "0/0 .824/.824 .706/.706 .659/.671 .676/.662 .843/.828 .939/.936",
}
# the example of token informativeness, which the paper lacks
WORDS = (*["the"] * 8, "Mogadishu")
OWN = "token informativeness"
OWN_EXAMPLE = ("1-1 9-9", "9-9", "1-1")
TIE = 1e-9  # difference of scores below which none is the better


def simulate_slicm() -> dict[str, Any]:
    """The properties, Table 2 and Table 3 of Amigó et al. (2025), and an example of our own.

    The table of properties says whether A scores higher than B in the example of each. For one the
    paper has no example.

    Returns
    -------
    dict
        `paper`, `tables`, `figures` (none) and `version`, as those of `simulate_chance`.
    """
    scores = {name: _scores_of(name, cells) for name, cells in EXAMPLES.items()}
    own = _scores_of(OWN, OWN_EXAMPLE)
    return _result([_properties(scores | {OWN: own}), _examples(), _printed(scores), _own(own)])


def simulate_slicm_on(
    path: PathLike,
    *,
    metrics: Iterable[str] = (),
    reading: PanelOptions | None = None,
    annotator: str | None = None,
) -> dict[str, Any]:
    """Table 4 on a corpus, and how often each metric has each property there.

    Table 4 has the scores after each transformation (`transformations`), and how many spans that
    changes. The tables of properties have the share of documents in which the better of two
    predictions (`contrasts`) scored higher, or lower; n is the number of documents.

    Parameters
    ----------
    path : str or Path
        [NAME=]PATH[#LAYER] of a file or folder of any format.
    metrics : iterable of str
        By default those of the paper, for properties also SL-ICM with information of the words. Not
        corrected for chance, unless they name a chance model.
    reading : PanelOptions, optional
        By default a file is the work of one annotator.
    annotator : str, optional
        The one whose spans are meant, of several.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read, without spans, and discontinuous spans.
    """
    corpus, layer = read_annotator(path, reading, annotator)
    gold = corpus.spans(layer)
    if not len(gold):
        raise FormatError("no spans, which transformations need", corpus.path)
    refuse_fragments("transformations", gold)
    named = {name: name for name in metrics}
    of_words = INFORMATIVE if gold.words is not None and not named else {}
    requests = _requests(named or METRICS)
    evaluate(gold, gold, requests)  # unknown metrics, and those that refuse gold, are errors
    found = contrasts(gold)
    tables = [
        _transformed(gold, requests),
        *_held(found, _requests(named or {**METRICS, **of_words})),
    ]
    return _result(tables) | {"corpus": path_text(path), "layer": layer}


def _result(tables: Sequence[Table]) -> dict[str, Any]:
    return {"paper": PAPER, "tables": list(tables), "figures": [], "version": __version__}


def _requests(metrics: Mapping[str, str]) -> dict[str, Request]:
    """The metrics by other names, without a chance model where none is named.

    Annotation that is transformed may contradict the chance model of gold.
    """
    made = default_requests(metrics.values(), chance="none")
    return {name: made[metric] for name, metric in metrics.items()}


# --- tables 1 to 3


def _annotation(text: str, words: Sequence[str] | None = None) -> Spans:
    """The spans of a cell of table 2, all of one label."""
    pairs = (part.split("-") for part in text.split())
    spans = [(int(first) - 1, int(last), "X") for first, last in pairs]
    return Spans.from_tuples([spans], [len(words or range(40))], ["X"], words=words)


def _scores_of(name: str, cells: Sequence[str]) -> list[dict[str, float | None]]:
    """The scores of predictions A and B by metric."""
    words, metrics = (WORDS, METRICS | INFORMATIVE) if name == OWN else (None, METRICS)
    gold, *predictions = (_annotation(text, words) for text in cells)
    scores = (evaluate(gold, one, _requests(metrics)) for one in predictions)
    return [{key: score.value for key, score in own.items()} for own in scores]


def _examples() -> Table:
    """Table 2: the annotation of each example."""
    rows = [
        (name, [cell(text) for text in texts])
        for name, texts in (EXAMPLES | {OWN: OWN_EXAMPLE}).items()
    ]
    title = "examples, as first and last tokens; A should score higher than B"
    return table("Table 2", title, ["gold", "A", "B"], rows)


def _properties(scores: Mapping[str, Sequence[Mapping[str, float | None]]]) -> Table:
    """Whether A scores higher."""
    columns = [*METRICS, *INFORMATIVE]
    rows = []
    for name, (one, two) in scores.items():
        own = [_sign(one[key], two[key]) if key in one else 0 for key in columns]
        says = {1: "yes", 0: "no", -1: "against"}
        known = [cell(says[sign]) if key in one else cell(None) for key, sign in zip(columns, own)]
        rows.append((name, known))
    title = "whether A scores higher: yes, no (both score the same), or B does (against)"
    return table("Properties", title, columns, rows)


def _printed(scores: Mapping[str, Sequence[Mapping[str, float | None]]]) -> Table:
    """Table 3: the scores, beside those that are printed."""
    rows = []
    for name, text in PRINTED.items():
        pairs = [part.split("/") for part in text.split()]
        for side, letter in enumerate("AB"):
            values = [scores[name][side][key] for key in METRICS]
            printed = [f"0{pair[side]}" if pair[side] != "0" else "0" for pair in pairs]
            rows.append((f"{name}, {letter}", list(map(cell, values, printed))))
    return table("Table 3", "scores of A and B", list(METRICS), rows)


def _own(scores: Sequence[Mapping[str, float | None]]) -> Table:
    """The scores of the example for the property that has none in the paper."""
    rows = [
        (f"{OWN}, {letter}", [cell(value) for value in own.values()])
        for letter, own in zip("AB", scores)
    ]
    title = f"the eleventh property: the word {WORDS[0]!r} is frequent, {WORDS[-1]!r} is rare"
    return table("Token informativeness", title, [*METRICS, *INFORMATIVE], rows) | {"key": "words"}


def _sign(one: float | None, two: float | None) -> int:
    """1 if the first score is the higher, -1 if the second one is, 0 if neither."""
    if one is None or two is None or abs(one - two) < TIE:
        return 0
    return 1 if one > two else -1


# --- on a corpus


def _transformed(gold: Spans, requests: Mapping[str, Request]) -> Table:
    """Table 4: scores after each transformation."""
    rows: list[tuple[str, Sequence[Cell]]] = []
    for name, (spans, n_changed) in transformations(gold).items():
        scores = _scores(gold, spans, requests)
        values = (cell(None if score is None else score.value) for score in scores.values())
        rows.append((name, [cell(n_changed), *values]))
    n_spans = f"{len(gold)} span{'s' * (len(gold) != 1)}"
    title = f"scores after transformations of {n_spans}; -: a metric refuses the result"
    return table("Table 4", title, ["changed", *requests], rows)


def _held(found: Mapping[str, Contrast], requests: Mapping[str, Request]) -> list[Table]:
    """The shares of documents in which the better prediction scored higher, and lower."""
    rows: dict[int, list[tuple[str, list[Cell]]]] = {1: [], -1: []}
    for name, sign in product((one for one in PROPERTIES if one in found), rows):
        rows[sign].append((name, [cell(len(found[name].docs))]))
    for place, name in enumerate(one for one in PROPERTIES if one in found):
        gold, better, worse, docs = found[name]
        one, two = (_scores(gold, side, requests, per_doc=True) for side in (better, worse))
        for key in requests:
            signs = _signs(one[key], two[key], [gold.name(doc) for doc in docs])
            for sign, own in rows.items():
                own[place][1].append(cell(float(np.mean(signs == sign)) if len(signs) else None))
    columns = ["n", *requests]
    titles = {1: "the better prediction scored higher", -1: "the worse prediction scored higher"}
    names = {1: "Properties", -1: "Against"}
    return [
        table(names[sign], f"share of documents in which {title}", columns, rows[sign])
        for sign, title in titles.items()
    ]


def _scores(
    gold: Spans, pred: Spans, requests: Mapping[str, Request], **options: Any
) -> dict[str, Score | None]:
    """Scores by metric; None of one that refuses such spans."""
    found: dict[str, Score | None] = {}
    for name, request in requests.items():
        try:
            found |= evaluate(gold, pred, {name: request}, **options)
        except ValueError:  # the metric takes gold itself, or it would have been refused before
            found[name] = None
    return found


def _signs(one: Score | None, two: Score | None, names: Sequence[str]) -> IntArray:
    """Which of two predictions scored higher in each document; none without scores."""
    by_doc = [score.per_doc for score in (one, two) if score is not None and score.per_doc]
    if len(by_doc) < 2:
        return np.zeros(0, np.int64)
    values = ([own[name]["value"] for name in names] for own in by_doc)
    return np.array([_sign(*pair) for pair in zip(*values)], np.int64)
