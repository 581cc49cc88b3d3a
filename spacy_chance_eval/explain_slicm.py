"""SL-ICM explained: which spans are pairs, what they share, what was lost and what is noise."""

import numpy as np

from .intervals import Statistics, plain, total_and_labels
from .measures.slicm import label_information, lost_information, noise, shared_information

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
