"""The two levels on which a score is explained: spans and tokens, observed and by chance."""

from dataclasses import dataclass, fields, replace
from difflib import get_close_matches

import numpy as np

from ..about import __version__
from ..measures.alignment import check_sentences, units, with_labels
from ..measures.chance.distributions import fields_of
from ..measures.chance.expectation import check_placement
from ..measures.slicm import (
    count_words,
    label_information,
    lost_information,
    noise,
    sequence_prior,
    shared_information,
)
from ..measures.stats import ratio
from ..metrics.catalog import CATALOG
from ..metrics.request import request
from ..scoring.statistics import Statistics, columns, plain, total_and_labels
from .diff import check_known, side_of, text_of

LEVELS = ("span", "token")
SCORES = ("precision", "recall", "f")
DRAWN = (
    "no formula gives the expectation of nested spans under this encoding; use encoding IO, or let "
    "`score` draw it"
)


@dataclass(frozen=True)
class Model:
    """How chance places segments, and how tokens and information are counted.

    Names and values are those of the parameters of `token_f` and `slicm`; there has to be a chance
    model.
    """

    chance: str = "disjoint"
    unit: str = "doc"
    encoding: str = "IO"
    token_information: object = "constant"
    rank: str = "position"
    matching: str = "mutual"

    def __post_init__(self):
        if self.chance == "none":
            raise ValueError(
                "chance is 'none': without a chance model there is no expectation to explain; "
                "expected disjoint, overlapping, nested or uniform"
            )
        for metric in ("token_f", "slicm"):
            self.request(metric)

    def request(self, metric):
        """The `Request` of a metric with these parameters, as far as it has them."""
        known = {field.name for field in fields(self)} & CATALOG[metric].parameters.keys()
        if CATALOG[metric].parameters.get("chance") == "none":
            known -= {"chance", "unit"}  # corrected by drawing only
        return request(metric, **{name: getattr(self, name) for name in known})

    def described(self):
        """The chance model and the encoding, by name."""
        return {"chance": self.chance, "unit": self.unit, "encoding": self.encoding}


def statistics_of(gold, pred, level, model):
    """Observed and, where a formula gives them, expected masses of a level, as `evaluate` has them.

    Raises
    ------
    ValueError
        For spans or documents that contradict the model.
    """
    asked = model.request(f"{level}_f")
    check_placement(gold, pred, asked.placement)
    if model.unit == "sent":
        check_sentences(gold, pred)
    metric = CATALOG[asked.metric]
    counted = asked.only(metric.counted)
    observed = metric.count(gold, pred, **counted)
    placed = {"placement": asked.placement, "unit": model.unit, **counted}
    return Statistics(observed, metric.expected(gold, pred, observed, **placed))


def chosen(statistics, labels):
    """Statistics of some of the labels, by their indices."""
    return statistics.each(lambda part: part.each(lambda column: column[..., labels]))


def level_rows(statistics, level, model):
    """Masses and scores of a level: for all labels together, then for each, as plain values."""
    total = statistics.total()
    masses = [masses_of(part) for part in (total.observed, total.expected)]
    scores = {}
    for name in SCORES:
        score = model.request(f"{level}_{name}").scorer()
        scores[name] = total_and_labels(score, total)
    names = {name: str(model.request(f"{level}_{name}")) for name in SCORES}
    return [
        {
            "metrics": names,
            "observed": entry(masses[0], i),
            "expected": None if masses[1] is None else entry(masses[1], i),
            "scores": {name: score_of(found, i) for name, found in scores.items()},
            "reason": DRAWN if total.expected is None else None,
        }
        for i in range(len(scores["f"]["value"]))
    ]


def masses_of(hits):
    """Gold and predicted mass and matches: all labels together, then each; None of None."""
    if hits is None:
        return None
    parts = {"gold": hits.gold, "pred": hits.pred, "matches": hits.correct}
    return {name: np.append(column.sum(), column) for name, column in parts.items()}


def entry(masses, i):
    """One entry of every column, as plain numbers."""
    return {name: plain(column[i]) for name, column in masses.items()}


def score_of(found, i):
    """Observed, expected and corrected score; the last two None where nothing is expected."""
    row = {name: plain(column[i]) for name, column in found.items()}
    corrected = None if row["expected"] is None else row["value"]
    return {"observed": row["observed"], "expected": row["expected"], "corrected": corrected}


def shares_of(expected):
    """The largest expectations first: their places, shares of the sum, and shares up to each."""
    order = np.argsort(-expected, kind="stable")
    shares = ratio(expected[order], expected.sum())
    pairs = zip(shares, np.cumsum(shares))
    return order, [{"share": plain(one), "cumulative": plain(sums)} for one, sums in pairs]


def document_rows(gold, statistics, level, model):
    """What each document adds to the expected matches, most first, as plain values.

    `cumulative` is the share of a document and all before it; both are None where no match is
    expected at all.
    """
    pooled = statistics.pooled()
    seen = np.flatnonzero(gold.seen)
    order, shares = shares_of(pooled.expected.correct[seen, 0])
    scores = columns(model.request(f"{level}_f").scorer(), pooled)
    masses = [masses_of_documents(part) for part in (pooled.observed, pooled.expected)]
    return [
        {
            "place": int(doc),
            "observed": entry(masses[0], doc),
            "expected": entry(masses[1], doc),
            "f": score_of({name: column[:, 0] for name, column in scores.items()}, doc),
            **share,
        }
        for doc, share in zip(seen[order], shares)
    ]


def masses_of_documents(hits):
    """Gold and predicted mass and matches, an entry per document."""
    return {"gold": hits.gold[:, 0], "pred": hits.pred[:, 0], "matches": hits.correct[:, 0]}


REMARK = (
    "SL-ICM is shown as it is, without correction for chance: its expectation has no formula and "
    "would have to be drawn (slicm_norm(chance=...) of `score`)."
)


def information_rows(gold, pred, labels, described, *, model, prior, word_counts):
    """SL-ICM of all labels together, then of each, as plain values.

    Parameters
    ----------
    gold, pred : Spans
        Of one document, aligned.
    labels : integer sequence
        Which labels.
    described : pair of callables
        described[side](row) is a span of a side as plain values.
    model : Model
    prior, word_counts
        Of the whole corpus, as `shared_information` has them.
    """
    asked = model.request("slicm")
    options = asked.only(("token_information", "rank", "matching"))
    shared = shared_information(gold, pred, prior=prior, word_counts=word_counts, **options)
    total = shared.information().each(lambda column: column[..., labels]).total()
    metrics = {name: model.request(name) for name in ("slicm", "slicm_norm")}
    rows = sums_of(total, metrics)
    label_bits = label_information(prior)
    for row, label in zip(rows[1:], labels):
        row["prior"] = {
            "label": int(prior.sequences[label]),
            "all": int(prior.sequences.sum()),
            "bits": plain(label_bits[label]),
        }
        row |= details(shared, label, described)
    return rows


def sums_of(total, metrics):
    """Sums of information and both scores: all labels together, then each."""
    parts = {
        "gold": total.gold,
        "pred": total.pred,
        "common": total.common,
        "lost": lost_information(total),
        "noise": noise(total),
    }
    numbers = {"gold": total.n_gold, "pred": total.n_pred, "common": total.n_common}
    bits, n = ({k: np.append(v.sum(), v) for k, v in part.items()} for part in (parts, numbers))
    scores = {
        name: total_and_labels(one.scorer(), Statistics(total))["value"]
        for name, one in metrics.items()
    }
    return [
        {
            "metrics": {name: str(one) for name, one in metrics.items()},
            "n": {name: plain(column[i]) for name, column in n.items()},
            "bits": {name: plain(column[i]) for name, column in bits.items()},
            "value": plain(scores["slicm"][i]),
            "normalised": plain(scores["slicm_norm"][i]),
            "remark": REMARK,
        }
        for i in range(len(scores["slicm"]))
    ]


def details(shared, label, described):
    """Pairs, gold spans without partner, and predicted spans without, of one label."""
    gold, pred = (np.flatnonzero(side.label == label) for side in (shared.gold, shared.pred))
    pairs = sorted(np.flatnonzero(np.isin(shared.one, gold)).tolist(), key=lambda p: shared.one[p])
    missed = [int(row) for row in np.setdiff1d(gold, shared.one)]
    extra = [int(row) for row in np.setdiff1d(pred, shared.two)]
    return {
        "pairs": [pair_of(shared, pair, described) for pair in pairs],
        "missed": [{"gold": described[0](row)} | alone(shared.gold_bits[row]) for row in missed],
        "extra": [{"pred": described[1](row)} | alone(shared.pred_bits[row]) for row in extra],
        "unplaced": {
            "gold": loose(shared.gold, shared.loose_gold, label),
            "pred": loose(shared.pred, shared.loose_pred, label),
        },
    }


def pair_of(shared, pair, described):
    """One pair: its spans, the common part, and all information."""
    one, two = int(shared.one[pair]), int(shared.two[pair])
    return {
        "gold": described[0](one),
        "pred": described[1](two),
        "start": int(shared.start[pair]),
        "end": int(shared.end[pair]),
        "bits": {
            "gold": plain(shared.gold_bits[one]),
            "pred": plain(shared.pred_bits[two]),
            "common": plain(shared.common[pair]),
            "lost": plain(shared.lost[one]),
            "noise": plain(shared.noise[two]),
        },
    }


def alone(bits):
    """The information of a span without partner."""
    return {"bits": plain(bits)}


def loose(spans, bits, label):
    """Length and information of the spans of a label that fit no tokens."""
    rows = np.flatnonzero(spans.unplaced[:, 1] == label)
    return [{"length": int(spans.unplaced[row, 2]), "bits": plain(bits[row])} for row in rows]


CLOSE = 5  # names that a message offers
KINDS_OF_ITEMS = {
    "IO": ("token",),
    "BIO": ("B", "I"),
    "BIOE": ("B", "I", "E"),
    "IO*": ("token", "gap"),
}


def explain_document(compared, name, *, labels=(), model=None):
    """Everything behind the scores of one document, as plain values ready for JSON.

    Parameters
    ----------
    compared : CorpusPair
    name : str
        Name of the document, or its number from 1.
    labels : sequence of str
        Which labels; by default those that either side has in the document.
    model : Model, optional

    Returns
    -------
    dict
        `labels` holds what is said of all of them together (label None), then of each: `span` and
        `token` (masses and scores, observed and expected), `slicm`; and for each label its `spans`
        and, per unit of text, where they fall by chance.

    Raises
    ------
    ValueError
        For an unknown document or label, a document that one side has not annotated, or spans that
        contradict the chance model.
    """
    model = model or Model()
    corpus = compared.aligned()
    names = compared.document_names
    place = place_of(names, name)
    check_known(labels, corpus[0].labels, "label")
    if not corpus[0].seen[place]:
        raise ValueError(f"{names[place]!r} is not annotated on both sides; there is no score")
    one = only(compared, place, names[place])
    gold, pred = (with_labels(side, corpus[0].labels) for side in one.aligned())
    indices = labels_of(gold, pred, labels)
    document = one.gold.documents[0]
    text = text_of(document, compared.positions)
    described = [numbered_spans(side, text) for side in (gold, pred)]
    entries = entries_of(corpus[0], (gold, pred), indices, described, model)
    found = about(compared, model) | {
        "document": names[place],
        "place": place,
        "n": int(gold.sizes[0]),
        "units": units(gold, pred, model.unit)[:, 1:].tolist(),
        "text": text(0, int(gold.sizes[0])),
        "tokens": tokens_of(document, compared.positions),
        "labels": [{"label": None, **entries[0]}],
    }
    placed = placed_fields(gold, pred, indices, described, model)
    for index, entry in zip(indices, entries[1:]):
        spans = spans_of(gold, pred, index, described)
        found["labels"].append({"label": gold.labels[index], **spans, **entry, **placed[index]})
    return found


def explain_corpus(compared, *, labels=(), model=None):
    """Which documents and labels carry the matches that chance is expected to make; plain values.

    Parameters
    ----------
    compared : CorpusPair
    labels : sequence of str
        Which labels; by default all.
    model : Model, optional

    Returns
    -------
    dict
        `levels` holds, for spans and for tokens, the masses and scores in `total`, and the shares
        of the expected matches `by_label` and by `documents`, the largest first.

    Raises
    ------
    ValueError
        For an unknown label, nothing that both sides annotated, or spans that contradict the chance
        model.
    """
    model = model or Model()
    gold, pred = compared.aligned()
    check_known(labels, gold.labels, "label")
    if not gold.seen.any():
        raise ValueError("no document is annotated on both sides; there is nothing to explain")
    indices = labels_of(gold, pred, labels)
    names = compared.document_names
    levels = {}
    for level in LEVELS:
        statistics = chosen(statistics_of(gold, pred, level, model), indices)
        total, *rows = level_rows(statistics, level, model)
        levels[level] = {"total": total, "by_label": [], "documents": []}
        if statistics.expected is None:
            continue
        expected = np.array([row["expected"]["matches"] for row in rows], float)
        levels[level]["by_label"] = [
            {"label": gold.labels[indices[i]], **rows[i], **share}
            for i, share in zip(*shares_of(expected))
        ]
        documents = document_rows(gold, statistics, level, model)
        levels[level]["documents"] = [{"document": names[d["place"]], **d} for d in documents]
    counts = {"n_docs": int(gold.seen.sum()), "n_skipped": int((~gold.seen).sum())}
    return about(compared, model) | counts | {"levels": levels}


def about(compared, model):
    """What was compared, and how."""
    return {
        **compared.described(),
        **model.described(),
        "items": list(KINDS_OF_ITEMS[model.encoding]),
        "version": __version__,
    }


def entries_of(corpus, sides, labels, described, model):
    """The masses, scores and information of all labels together, then of each."""
    rows = {
        level: level_rows(chosen(statistics_of(*sides, level, model), labels), level, model)
        for level in LEVELS
    }
    rows["slicm"] = information_rows(
        *sides,
        labels,
        [side.__getitem__ for side in described],
        model=model,
        prior=sequence_prior(corpus).total(),
        word_counts=count_words(corpus) if model.token_information == "corpus" else None,
    )
    return [dict(zip(rows, parts)) for parts in zip(*rows.values())]


# --- the document and its spans


def place_of(names, name):
    """Place of a document that is called by its name, or by its number from 1."""
    if name in names:
        return names.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    close = get_close_matches(name, names, CLOSE, cutoff=0.4) or names[:CLOSE]
    shown = ", ".join(map(repr, close))
    raise ValueError(
        f"there is no document {name!r}; close to it: {shown}; give a name, or a number from 1 to "
        f"{len(names)}"
    )


def only(compared, place, name):
    """The same, of one document."""
    sides = (
        replace(side, documents=(replace(side.documents[place], name=name),))
        for side in (compared.gold, compared.pred)
    )
    return replace(compared, **dict(zip(("gold", "pred"), sides)))


def labels_of(gold, pred, labels):
    """Indices of the labels: those named, or those that either side has."""
    used = labels or {*gold.used_labels(), *pred.used_labels()}
    return [i for i, label in enumerate(gold.labels) if label in used]


def numbered_spans(spans, text):
    """All spans of a side as plain values, with their numbers among those of their label."""
    count, found = {}, []
    for row, label in enumerate(spans.label.tolist()):
        count[label] = count.get(label, 0) + 1
        found.append({"number": count[label]} | side_of(spans, row, text))
    return found


def spans_of(gold, pred, label, described):
    """The spans of one label on both sides, and the lengths of those that fit no tokens."""
    sides = {"gold": (gold, described[0]), "pred": (pred, described[1])}
    return {
        "spans": {
            side: [found[row] for row in np.flatnonzero(spans.label == label)]
            for side, (spans, found) in sides.items()
        },
        "unplaced": {
            side: spans.unplaced[spans.unplaced[:, 1] == label, 2].tolist()
            for side, (spans, _) in sides.items()
        },
    }


def tokens_of(document, positions):
    """The tokens, or the characters; None where neither are known."""
    if positions == "char":
        return None if document.text is None else list(document.text)
    return list(document.words) or None


# --- where segments fall by chance


def placed_fields(gold, pred, labels, described, model):
    """{label: its units, and the expected span matches by length}."""
    found = {label: {"units": [], "matches": []} for label in labels}
    options = {"placement": model.chance, "unit": model.unit, "encoding": model.encoding}
    for field in fields_of(gold, pred, **options):
        if field.label in found:
            found[field.label]["units"].append(unit_of(field, described))
    for one in found.values():
        one["matches"] = by_length(one["units"])
    return found


def unit_of(field, described):
    """One unit as plain values. Lists have an entry per token."""
    common = field.common_items
    rows = field.exact_matches
    keys = ("length", "gold", "pred", "expected")
    return {
        "start": field.start,
        "end": field.end,
        "n": field.end - field.start,
        "gold": segments_of(field.gold, described[0]),
        "pred": segments_of(field.pred, described[1]),
        "matches": [dict(zip(keys, row)) for row in rows],
        "common": None if common is None else common.tolist(),
        "expected": {
            "span": float(sum(row[-1] for row in rows)),
            "token": None if common is None else float(common.sum()),
        },
    }


def segments_of(segments, described):
    """One side of a unit: coverage, items, and the kinds of segments with their starts."""
    numbers = [described[row]["number"] for row in segments.rows]
    return {
        "lengths": [described[row]["length"] for row in segments.rows],
        "covered": segments.covered.tolist(),
        "items": None if segments.items is None else segments.items.tolist(),
        "kinds": [
            {
                "length": int(length),
                "segments": [numbers[i] for i in np.flatnonzero(segments.kind == kind)],
                "parents": parents_of(segments, kind, numbers),
                "starts": segments.starts[kind].tolist(),
                "inside": None if inside is None else inside.tolist(),
            }
            for kind, (length, inside) in enumerate(zip(segments.length, segments.inside))
        ],
    }


def parents_of(segments, kind, numbers):
    """Numbers of the segments in which those of a kind lie; empty for outermost ones."""
    above = segments.parent[segments.kind == kind]
    return sorted({numbers[i] for i in above[above >= 0]})


def by_length(placed):
    """Expected matches of all units by length, with the segments of that length on both sides."""
    found = {}
    for unit in placed:
        for length in {row["length"] for row in unit["matches"]}:
            one = found.setdefault(
                length, {"length": length, "gold": 0, "pred": 0, "expected": 0.0}
            )
            for side in ("gold", "pred"):
                one[side] += unit[side]["lengths"].count(length)
        for row in unit["matches"]:
            found[row["length"]]["expected"] += row["expected"]
    return [found[length] for length in sorted(found)]
