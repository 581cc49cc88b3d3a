"""Make the tables of Amigó et al. (2025) again; with FILE, Table 4 and the properties on it.

    python scripts/papers/slicm.py [--only table3] [--to text|md|csv|json] [-o FILE]
    python scripts/papers/slicm.py FILE[#LAYER] [--format F] [-m METRIC] [--only table4] ...

FILE has spans in any format that the package reads. Table 4 has the scores after each
transformation of them, and how many spans that changes. The tables of properties have the share
of documents in which the better of two predictions scored higher, or lower; n is the number of
documents. Metrics are by default those of the paper; they are not corrected for chance unless they
name a chance model. Printed values stand beside ours in CSV and JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from printing import Result, Table, cell, made_again, parser, table, write

from spacy_chance_eval import FormatError, Request, Spans, evaluate, parse, read

PAPER = 'Amigó et al. (2025), "Evaluating Sequence Labeling on the basis of Information Theory"'
METRICS = {
    "Span F": "span_f",
    "IO": "token_f(encoding=IO)",
    "BIOE": "token_f(encoding=BIOE)",
    "Link": "link_f",
    "BCubed": "bcubed_f",
    "Int-F": "int_f",
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
PROPERTIES = (*EXAMPLES, OWN)
USUAL = ("spans", "ents", "gold")  # names of layers
TIE = 1e-9  # difference of scores below which none is the better

Scores = dict[str, "float | None"]


def requests_of(metrics: Mapping[str, str]) -> dict[str, Request]:
    """The metrics, without a chance model where none is named: spans may contradict gold's."""
    return {name: parse(metric, chance="none") for name, metric in metrics.items()}


def sign(one: float | None, two: float | None) -> int:
    """1 if the first score is the higher, -1 if the second one is, 0 if neither."""
    if one is None or two is None or abs(one - two) < TIE:
        return 0
    return 1 if one > two else -1


# --- the paper: tables 1 to 3


def tables_of_paper() -> Result:
    """The properties, Table 2 and Table 3, and an example of our own for the eleventh property."""
    scores = {name: _scores_of(texts, METRICS) for name, texts in EXAMPLES.items()}
    own = _scores_of(OWN_EXAMPLE, METRICS | INFORMATIVE, WORDS)
    tables = [_properties(scores | {OWN: own}), _examples(), _printed(scores), _own(own)]
    return made_again(PAPER, tables)


def _annotation(text: str, words: Sequence[str] | None = None) -> Spans:
    """The spans of a cell of table 2, all of one label."""
    pairs = (part.split("-") for part in text.split())
    spans = [(int(first) - 1, int(last), "X") for first, last in pairs]
    return Spans.from_tuples([spans], [len(words or range(40))], ["X"], words=words)


def _scores_of(
    texts: Sequence[str], metrics: Mapping[str, str], words: Sequence[str] | None = None
) -> list[Scores]:
    """The scores of predictions A and B by metric."""
    gold, *predictions = (_annotation(text, words) for text in texts)
    scores = (evaluate(gold, one, requests_of(metrics)) for one in predictions)
    return [{key: score.headline for key, score in own.items()} for own in scores]


def _properties(scores: Mapping[str, Sequence[Scores]]) -> Table:
    """Whether A scores higher."""
    columns = [*METRICS, *INFORMATIVE]
    says = {1: "yes", 0: "no", -1: "against"}
    rows = (
        (name, [cell(says[sign(one[key], two[key])] if key in one else None) for key in columns])
        for name, (one, two) in scores.items()
    )
    title = "whether A scores higher: yes, no (both score the same), or B does (against)"
    return table("Properties", title, columns, rows)


def _examples() -> Table:
    """Table 2: the annotation of each example."""
    rows = ((name, map(cell, texts)) for name, texts in (EXAMPLES | {OWN: OWN_EXAMPLE}).items())
    title = "examples, as first and last tokens; A should score higher than B"
    return table("Table 2", title, ["gold", "A", "B"], rows)


def _printed(scores: Mapping[str, Sequence[Scores]]) -> Table:
    """Table 3: the scores, beside those that are printed."""
    rows = []
    for name, text in PRINTED.items():
        pairs = [part.split("/") for part in text.split()]
        for side, letter in enumerate("AB"):
            printed = [f"0{pair[side]}" if pair[side] != "0" else "0" for pair in pairs]
            rows.append((f"{name}, {letter}", map(cell, scores[name][side].values(), printed)))
    return table("Table 3", "scores of A and B", list(METRICS), rows)


def _own(scores: Sequence[Scores]) -> Table:
    """The scores of the example for the property that has none in the paper."""
    rows = ((f"{OWN}, {letter}", map(cell, own.values())) for letter, own in zip("AB", scores))
    title = f"the eleventh property: the word {WORDS[0]!r} is frequent, {WORDS[-1]!r} is rare"
    return table("Token informativeness", title, [*METRICS, *INFORMATIVE], rows) | {"key": "words"}


# --- a corpus


def tables_of_corpus(gold: Spans, metrics: Sequence[str] = ()) -> Result:
    """Table 4 on a corpus, and how often each metric has each property there.

    Parameters
    ----------
    gold : Spans
        Without discontinuous spans.
    metrics : sequence of str
        By default those of the paper; for properties also SL-ICM with information of the words.

    Raises
    ------
    ValueError
        Without spans, for discontinuous ones, and for metrics that refuse these spans.
    """
    if not len(gold):
        raise ValueError("no spans, which transformations need")
    if gold.fragments is not None:
        raise ValueError("transformations cannot take discontinuous spans")
    named = {name: name for name in metrics}
    of_words = INFORMATIVE if gold.words is not None and not named else {}
    requests = requests_of(named or METRICS)
    evaluate(gold, gold, requests)  # unknown metrics, and those that refuse gold, are errors
    held = _held(contrasts(gold), requests_of(named or METRICS | of_words))
    return made_again(PAPER, [_transformed(gold, requests), *held])


def _transformed(gold: Spans, requests: Mapping[str, Request]) -> Table:
    """Table 4: scores after each transformation."""
    rows = []
    for name, (spans, n_changed) in transformations(gold).items():
        scores = _scores(gold, spans, requests)
        values = (None if score is None else score.headline for score in scores.values())
        rows.append((name, map(cell, [n_changed, *values])))
    n_spans = f"{len(gold)} span{'s' * (len(gold) != 1)}"
    title = f"scores after transformations of {n_spans}; -: a metric refuses the result"
    return table("Table 4", title, ["changed", *requests], rows)


def _held(found: Mapping[str, Contrast], requests: Mapping[str, Request]) -> list[Table]:
    """The shares of documents in which the better prediction scored higher, and lower."""
    rows: dict[int, list[tuple[str, list[Any]]]] = {1: [], -1: []}
    for name in (one for one in PROPERTIES if one in found):
        gold, better, worse, docs = found[name]
        one, two = (_scores(gold, side, requests, per_doc=True) for side in (better, worse))
        signs = {
            key: [
                sign(*(score.per_doc[gold.name(doc)]["observed"] for score in (one[key], two[key])))
                for doc in (docs if one[key] and two[key] else ())
            ]
            for key in requests
        }
        for which, own in rows.items():
            shares = (
                np.mean(np.equal(some, which)).item() if some else None for some in signs.values()
            )
            own.append((name, map(cell, [len(docs), *shares])))
    title = "share of documents in which the {} prediction scored higher"
    return [
        table(name, title.format(kind), ["n", *requests], rows[which])
        for name, kind, which in (("Properties", "better", 1), ("Against", "worse", -1))
    ]


def _scores(
    gold: Spans, pred: Spans, requests: Mapping[str, Request], **more: Any
) -> dict[str, Any]:
    """Scores by metric; None of one that refuses such spans."""
    found: dict[str, Any] = {}
    for name, request in requests.items():
        try:
            found[name] = evaluate(gold, pred, {name: request}, **more)[name]
        except ValueError:  # the metric takes gold itself, or it would have been refused before
            found[name] = None
    return found


# --- table 4: one change of all spans, or of many

Stretch = tuple[int, int]
Edits = dict[int, list[Stretch]]  # what becomes of a row
LONG, SHORT = 4, 2  # tokens of the spans that are truncated and extended in table 4


def edited(spans: Spans, replaced: Edits, added: Iterable[tuple[int, int, int, int]] = ()) -> Spans:
    """The spans with some rows replaced, and others (doc, start, end, label) added.

    Spans are cut off where the annotated tokens end, and equal ones are one.
    """
    rows = dict.fromkeys(added)
    columns = zip(spans.doc.tolist(), spans.label.tolist(), _places(spans), _borders(spans))
    for row, (doc, label, place, border) in enumerate(columns):
        for start, end in replaced.get(row, [place]):
            if start < min(end, border):
                rows[doc, start, min(end, border), label] = None
    table = np.array(list(rows), np.int64).reshape(-1, 4)
    columns = dict(zip(("doc", "start", "end", "label"), table.T))
    return replace(spans, **columns, features=None, copies=None, fragments=None)


def _places(spans: Spans) -> list[Stretch]:
    return list(zip(spans.start.tolist(), spans.end.tolist()))


def _annotated(spans: Spans) -> list[Any]:
    """Which tokens are annotated, an array for each document."""
    found = [np.zeros(size, bool) for size in spans.sizes]
    for doc, start, end in spans.stretches:
        found[doc][start:end] = True
    return found


def _borders(spans: Spans) -> list[int]:
    """The end of the annotated tokens around each span; the document's, if it lies in none."""
    annotated, borders = _annotated(spans), []
    for doc, (start, end) in zip(spans.doc.tolist(), _places(spans)):
        missing = np.flatnonzero(~annotated[doc][start:])
        border = start + int(missing[0]) if len(missing) else end
        borders.append(border if len(missing) and border >= end else int(spans.sizes[doc]))
    return borders


def transformations(spans: Spans) -> dict[str, tuple[Spans, int]]:
    """The spans after each transformation of table 4, and how many of them it changes.

    Changes are at the end of a span; tokens that it gains may belong to others.

    * split: spans of two or more tokens are cut at their middle, the first part not the longer.
    * maximum overlap, minimum overlap: spans of two or more tokens move to the right, by one token,
      or so far that one token is left in common.
    * long truncation, short truncation: spans of exactly 4, or 2, tokens lose their last one. Both
      change equally many, the first ones.
    * long extension, short extension: the same spans gain a token.
    * -1 token ... +3 tokens: all spans lose their last tokens, but for the first one, or gain some.
    """
    lengths = spans.lengths
    several = lengths > 1
    halves: Edits = {
        row: _halves(*place) for row, place in enumerate(_places(spans)) if several[row]
    }
    found = {
        "split": (edited(spans, halves), len(halves)),
        "maximum overlap": _moved(spans, several, 1, 1),
        "minimum overlap": _moved(spans, several, lengths - 1, lengths - 1),
    }
    n = min(int((lengths == size).sum()) for size in (LONG, SHORT))
    for kind, step in (("truncation", -1), ("extension", 1)):
        for name, size in (("long", LONG), ("short", SHORT)):
            first = np.isin(np.arange(len(spans)), np.flatnonzero(lengths == size)[:n])
            found[f"{name} {kind}"] = _moved(spans, first, 0, step)
    for step in (-1, -2, -3, 1, 2, 3):
        name = f"{step:+d} token{'s' * (abs(step) > 1)}"
        found[name] = _moved(spans, lengths > 0, 0, np.maximum(step, 1 - lengths))
    return found


def _halves(start: int, end: int) -> list[Stretch]:
    middle = (start + end) // 2
    return [(start, middle), (middle, end)]


def _moved(spans: Spans, some: Any, first: Any, last: Any) -> tuple[Spans, int]:
    """The spans, of which some start and end later, and how many do."""
    start = np.where(some, spans.start + first, spans.start)
    end = np.where(some, np.minimum(spans.end + last, _borders(spans)), spans.end)
    changed = np.flatnonzero((start != spans.start) | (end != spans.end)).tolist()
    return edited(spans, {row: [(int(start[row]), int(end[row]))] for row in changed}), len(changed)


# --- properties: pairs of predictions of which one should score higher

FIRST = 100  # spans of a document among which pairs are looked for
# how far the last token of two spans moves in the better prediction, and in the worse
STEPS: dict[str, tuple[Stretch, Stretch]] = {
    "length vs captured": ((-1, 0), (0, -1)),
    "length vs noisy": ((1, 0), (0, 1)),
    "overlap increasing": ((-1, -1), (-2, 0)),
    "noise increasing": ((3, 1), (2, 2)),
}


class Contrast(NamedTuple):
    """A gold annotation, and two predictions of which `better` should score higher.

    They differ in `docs`, of which each has one span, or one pair of spans, that is changed.
    """

    gold: Spans
    better: Spans
    worse: Spans
    docs: list[int]


class Place(NamedTuple):
    """A span of a document, and how many tokens behind it, up to 3, belong to no span."""

    row: int
    start: int
    end: int
    label: int
    room: int
    frequency: int  # of its first word

    @property
    def n(self) -> int:
        """Number of tokens."""
        return self.end - self.start

    def longer(self, step: int) -> Edits:
        """The same with another last token."""
        return {self.row: [(self.start, self.end + step)]}


# of the spans of a document: what becomes of gold in the better and in the worse prediction
Pairs = Iterator[tuple[Edits, Edits]]


def _lost(spans: Sequence[Place]) -> Pairs:
    """One of two spans is not found, or both."""
    for one, two in permutations(spans[:FIRST], 2):
        yield {one.row: []}, {one.row: [], two.row: []}


def _cropped(spans: Sequence[Place]) -> Pairs:
    """A span lacks one token, or two."""
    return ((one.longer(-1), one.longer(-2)) for one in spans if one.n > 2)


def _noisy(spans: Sequence[Place]) -> Pairs:
    """A span has one token too many, or two."""
    return ((one.longer(1), one.longer(2)) for one in spans if one.room > 1)


def _in_parts(spans: Sequence[Place]) -> Pairs:
    """A span is whole, or in two parts."""
    return (({}, {one.row: _halves(one.start, one.end)}) for one in spans if one.n > 1)


def _two(name: str, spans: Sequence[Place]) -> Pairs:
    """Two spans of a label end elsewhere; see `STEPS`."""
    for one, two in permutations(spans[:FIRST], 2):
        fits = one.n > two.n if name.startswith("length") else one.n == two.n
        moves = zip((one, two), zip(*STEPS[name]))
        if (
            fits
            and one.label == two.label
            and all(place.n + min(steps) > 0 and place.room >= max(steps) for place, steps in moves)
        ):
            better, worse = (one.longer(a) | two.longer(b) for a, b in STEPS[name])
            yield better, worse


def _rarer(spans: Sequence[Place]) -> Pairs:
    """Of two spans of one token the one with the rarer word is found, or the other."""
    for rare, usual in permutations([one for one in spans[:FIRST] if one.n == 1], 2):
        if rare.label == usual.label and rare.frequency < usual.frequency:
            yield {usual.row: []}, {rare.row: []}


def contrasts(spans: Spans) -> dict[str, Contrast]:
    """The pairs of predictions of each property, made of an annotation.

    In each document the first span, or the first pair among its first 100 spans, is changed that
    allows it; all others are found as they are. No prediction takes a token of another span, or one
    that is not annotated. The changes are those of the functions above, and these two:

    * wrong sequence: all is right, or one span is added, of the label and length of the first one,
      in the first place where no span is.
    * homogeneity: gold has a span in two parts; they are found, or are one.
    """
    free = _annotated(spans)
    for doc, (start, end) in zip(spans.doc, _places(spans)):
        free[doc][start:end] = False
    by_doc = _by_document(spans, free)
    kinds: dict[str, Callable[[Sequence[Place]], Pairs]] = {
        "correct sequence": _lost,
        "overlap": _cropped,
        "noise": _noisy,
        "homogeneity": _in_parts,
        "completeness": _in_parts,
        **{name: partial(_two, name) for name in STEPS},
    }
    if spans.words is not None:
        kinds[OWN] = _rarer
    found = {}
    for name, kind in kinds.items():
        first = {doc: next(kind(places), None) for doc, places in by_doc.items()}
        chosen = {doc: pair for doc, pair in first.items() if pair is not None}
        better, worse = (
            edited(spans, {row: new for pair in chosen.values() for row, new in pair[side].items()})
            for side in (0, 1)
        )
        found[name] = Contrast(spans, better, worse, [*chosen])
    whole, _, parts, docs = found["homogeneity"]
    found["homogeneity"] = Contrast(parts, parts, whole, docs)
    added = [*_added(by_doc, free)]
    found["wrong sequence"] = Contrast(
        spans, spans, edited(spans, {}, added), [doc for doc, *_ in added]
    )
    return found


def _by_document(spans: Spans, free: Sequence[Any]) -> dict[int, list[Place]]:
    """The spans of each document that has any."""
    words = spans.words or ()
    frequency = Counter(words)
    found: dict[int, list[Place]] = {}
    columns = zip(spans.doc.tolist(), spans.label.tolist(), _places(spans))
    for row, (doc, label, (start, end)) in enumerate(columns):
        behind = free[doc][end : end + 3].tolist()
        room = next((i for i, one in enumerate(behind) if not one), len(behind))
        n = frequency[words[spans.offsets[doc] + start]] if words else 0
        found.setdefault(doc, []).append(Place(row, start, end, label, room, n))
    return found


def _added(
    by_doc: Mapping[int, Sequence[Place]], free: Sequence[Any]
) -> Iterator[tuple[int, int, int, int]]:
    """A span of each document that has room, as long as the first one, where nothing is."""
    for doc, places in by_doc.items():
        n = places[0].n
        windows = (
            start for start in range(len(free[doc]) - n + 1) if free[doc][start : start + n].all()
        )
        if (start := next(windows, None)) is not None:
            yield doc, start, start + n, places[0].label


def read_spans(name: str, format: str | None = None) -> Spans:
    """The spans of PATH or PATH#LAYER; without a layer those of the usual one."""
    path, _, layer = name.partition("#")
    corpus = read(path, format=format)
    names = corpus.layer_names
    usual = [one for one in USUAL if one in names] or names
    if not layer and len(usual) > 1:
        raise ValueError(f"{path} has the layers {', '.join(names)}; name one: {path}#{names[0]}")
    return corpus.spans(layer or usual[0])


def main() -> None:
    """Print the tables."""
    options = parser(__doc__)
    options.add_argument("file", nargs="?", metavar="FILE[#LAYER]", help="spans of your own")
    options.add_argument("--format", help="its format; by default recognised")
    options.add_argument("--metric", "-m", action="append", default=[], help="with FILE: a metric")
    asked = options.parse_args()
    try:
        if asked.file is None:
            write(tables_of_paper(), asked)
        else:
            spans = read_spans(asked.file, format=asked.format)
            write(tables_of_corpus(spans, asked.metric), asked)
    except (FormatError, OSError, ValueError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
