"""A made-up leaderboard result, as the reports get it: hostile names, gaps, every kind of board.

Numbers of a cell, a row and a board differ from each other, so that none can stand for another.
"""

import random

from spacy_chance_eval.reports.leaderboard import STANDING_KEYS

SCRIPT = "<script>alert(1)</script>"
LABELS = ["PER", SCRIPT, "$x$ | *b* _i_ `c`", "{{ 7*7 }}"]
SUBSETS = [("length", "1-11 tokens"), ("length", "12-40 tokens"), ("genre", 'a "b" & <i>c</i>')]
RESAMPLING = {
    "resamples": 1000, "seed": 0, "interval": "percentile", "level": 0.95,
    "test": "randomisation", "alpha": 0.05,
}  # fmt: skip
NAMES = [
    "uh_ritual", "arcada", "spinningbytes", "sjtu-nlp", "flytxt", "drexel-ccm",
    'a "quoted" \'name\' <b>', "=HYPERLINK(1)", "gazetteer", "small ner", "spancat",
    "a system whose name is much longer than any column has room for",
]  # fmt: skip
METRICS = {
    "span_f": "span_f(beta=1.0,chance=disjoint,unit=sentence)",
    "token_f": "token_f(beta=1.0,chance=disjoint,encoding=IO,unit=sentence)",
    "slicm": "slicm(rank=support,token_information=constant)",
}


def result(names=NAMES, metrics=METRICS, labels=LABELS, subsets=SUBSETS, **fields):
    """A whole result; equal arguments make equal results."""
    boards = []
    for metric in metrics:
        boards += [board(metric, names, label=label) for label in (None, *labels)]
        boards += [board(metric, names, subset=subset) for subset in subsets]
    return {
        "title": f"WNUT-17 {SCRIPT}", "gold": "gold <1>.conll", "layer": "gold",
        "n_docs": 1287, "n_clusters": 319, "clusters": "article",
        "n_gold": 1079, "labels": list(labels), "resampling": RESAMPLING, "version": "0.1.0",
        "systems": [system(name, i) for i, name in enumerate(names)],
        "left_out": [
            {"name": "broken", "source": "broken.conll",
             "reason": f"broken.conll:17: token 3 of document 2 is {SCRIPT}; gold has 'a|b'"},
            {"name": "+other", "source": "other.conll", "reason": "no such file\nsecond line"},
        ],
        "notes": [f"With 6 clusters intervals are too narrow. {SCRIPT}"],
        "boards": boards,
        **fields,
    }  # fmt: skip


def system(name, i=0, **fields):
    """One of the systems; the second has no link, the third a link that must not become one."""
    links = ["https://example.org/a?b=1&c=2", None, "javascript:alert(1)"]
    errors = None if i % 2 else f"board_errors/{i:02}-a b.html"
    return {
        "name": name, "source": f"systems.tsv#{name}", "link": links[i % 3],
        "year": 2016 + i if i % 2 else None, "n_pred": 900 + i, "n_unplaced": 3 * i,
        "errors": errors, **fields,
    }  # fmt: skip


def board(metric="span_f", names=NAMES, subset=None, label=None):
    """The board of one metric, label and subset; on labels the last of several is undefined."""
    draw = random.Random(f"{metric} {subset} {label}")
    bits = metric == "slicm"
    gone = len(names) - 1 if label and len(names) > 1 else None
    scores = [draw.gauss(-800, 300) if bits else draw.uniform(0.2, 0.9) for _ in names]
    observed = standings(scores, gone, 100 if bits else 0.04, draw)
    corrected = standings([draw.gauss(score, 0.1) - 0.1 for score in scores], gone, 0.05, draw)
    rows = []
    for i, name in enumerate(names):
        ranks = observed[i]["rank"], corrected[i]["rank"]
        rows.append({
            "system": name, "gold": 200 + i, "pred": 300 + i,
            **row_of(observed[i], corrected[i], i == gone, bits, draw),
            "change": None if bits or i == gone else ranks[0] - ranks[1],
            "signature": f"{METRICS[metric]}|docs=1287|v=0.1.0",
        })  # fmt: skip
    rows.sort(key=lambda row: row["rank"] or len(names) + 1)
    pairs = [
        pair(rows, i, j, None if gone is not None and j == gone else draw, bits)
        for i in range(len(rows))
        for j in range(i + 1, len(rows))
    ]
    return {
        "metric": metric, "request": METRICS[metric], "bits": bits,
        "subset": subset and {"by": subset[0], "value": subset[1]}, "label": label,
        "n_docs": draw.randrange(600, 1287), "n_gold": draw.randrange(400, 600),
        "rows": rows, "pairs": pairs,
    }  # fmt: skip


def row_of(observed, corrected, is_gone, bits, draw):
    """The scores of a row, each with its standing."""
    one, two = dict(observed), dict(corrected)
    row = {"observed": one.pop("score")}
    if bits:
        return row | one
    row |= {f"observed_{key}": value for key, value in one.items()}
    row["expected"] = None if is_gone else draw.uniform(0.02, 0.09)
    return row | {"corrected": two.pop("score")} | two


def standings(scores, gone, width, draw):
    """Ranks of scores, each with an interval; nothing for the one that is undefined."""
    known = sorted((s for i, s in enumerate(scores) if i != gone), reverse=True)
    found = []
    for i, score in enumerate(scores):
        if i == gone:
            found.append(dict.fromkeys(("score", *STANDING_KEYS)) | {"group": ""})
            continue
        rank = known.index(score) + 1
        ends = [score - width * draw.uniform(0.5, 1), score + width * draw.uniform(0.5, 1)]
        found.append({
            "score": score, "low": ends[0], "high": ends[1], "rank": rank,
            "rank_low": max(1, rank - draw.randint(1, 2)), "rank_high": rank + draw.randint(1, 3),
            "first": draw.uniform(0.5, 0.7) / rank,
            "group": "abcdefghijklmnop"[rank // 4 : rank // 4 + 1 + (rank % 4 == 3)],
        })  # fmt: skip
    return found


def pair(rows, i, j, draw, bits=False):
    """The tests of two systems; None where a score is undefined."""
    return {
        "first": rows[i]["system"], "second": rows[j]["system"],
        "observed": tested(draw), **({} if bits else {"corrected": tested(draw)}),
    }  # fmt: skip


def tested(draw):
    """One test with numbers that are drawn, or with none."""
    if draw is None:
        return dict.fromkeys(("difference", "low", "high", "p_value", "p_holm"))
    difference, p_value = draw.gauss(0, 0.1), draw.uniform(0.0002, 0.014)
    return {
        "difference": difference,
        "low": difference - draw.uniform(0.01, 0.1), "high": difference + draw.uniform(0.01, 0.1),
        "p_value": p_value, "p_holm": p_value * 66,
    }  # fmt: skip
