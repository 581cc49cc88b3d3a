"""A made-up leaderboard result, as the reports get it: hostile names, gaps, every kind of board."""

import random

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
    "span_f": "span_f(beta=1.0,chance=disjoint,unit=doc)",
    "token_f": "token_f(beta=1.0,chance=disjoint,encoding=IO,unit=doc)",
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
        "year": 2017 if i % 2 else None, "n_pred": 900 + i, "n_unplaced": 3 if i == 1 else 0,
        "errors": errors, **fields,
    }  # fmt: skip


def board(metric="span_f", names=NAMES, subset=None, label=None):
    """The board of one metric, label and subset; on labels the last of several is undefined."""
    draw = random.Random(f"{metric} {subset} {label}")
    bits = metric == "slicm"
    gone = len(names) - 1 if label and len(names) > 1 else None
    scores = [draw.gauss(-800, 300) if bits else draw.uniform(0.2, 0.9) for _ in names]
    observed = standings(scores, gone, 100 if bits else 0.04)
    corrected = standings([draw.gauss(score, 0.03) - 0.1 for score in scores], gone, 0.05)
    rows = []
    for i, name in enumerate(names):
        ranks = observed[i]["rank"], corrected[i]["rank"]
        rows.append({
            "system": name, "gold": 40, "pred": 30 + i, "observed": observed[i],
            "expected": None if bits or i == gone else 0.0372,
            "corrected": None if bits else corrected[i],
            "change": None if bits or i == gone else ranks[0] - ranks[1],
            "signature": f"{METRICS[metric]}|docs=1287|v=0.1.0",
        })  # fmt: skip
    rows.sort(key=lambda row: row["observed" if bits else "corrected"]["rank"] or len(names) + 1)
    pairs = [
        pair(rows, i, j, None if gone is not None and j == gone else draw.random(), bits)
        for i in range(len(rows))
        for j in range(i + 1, len(rows))
    ]
    return {
        "metric": metric, "request": METRICS[metric], "bits": bits,
        "subset": subset and {"by": subset[0], "value": subset[1]}, "label": label,
        "n_docs": 640 if subset else 1287, "n_gold": 40, "rows": rows, "pairs": pairs,
    }  # fmt: skip


def standings(scores, gone, width):
    """Ranks of scores, each with an interval; nothing for the one that is undefined."""
    known = sorted((s for i, s in enumerate(scores) if i != gone), reverse=True)
    found = []
    for i, score in enumerate(scores):
        if i == gone:
            found.append(dict.fromkeys(("score", "interval", "rank", "rank_interval", "first")))
            found[-1]["group"] = ""
            continue
        rank = known.index(score) + 1
        found.append({
            "score": score, "interval": [score - width, score + width], "rank": rank,
            "rank_interval": [max(1, rank - 1), rank + 1], "first": 0.61 if rank == 1 else 0.01,
            "group": "abcdefghijklmnop"[rank // 4 : rank // 4 + 1 + (rank % 4 == 3)],
        })  # fmt: skip
    return found


def pair(rows, i, j, p_value, bits=False):
    """The tests of two systems; None where a score is undefined."""
    test = {"difference": None, "interval": None, "p_value": None, "p_holm": None}
    if p_value is not None:
        holm = min(1.0, p_value * 66)
        low, high = 0.0135 - 0.02, 0.0135 + 0.02
        test = {"difference": 0.0135, "interval": [low, high], "p_value": p_value, "p_holm": holm}
    return {
        "first": rows[i]["system"], "second": rows[j]["system"],
        "observed": test, "corrected": None if bits else test,
    }  # fmt: skip
