"""Logs of training that never was: what `score_logger` would have written."""

import json

from spacy_chance_eval.tasks.curves import read_curves

SCORES = (0.1, 0.5, 0.5, 0.4)  # observed at steps 0, 50, 100, 150; so 100 is the best step
EXPECTED = 0.05


def parts(observed, expected=EXPECTED):
    corrected = None if observed is None else (observed - expected) / (1 - expected)
    return {"observed": observed, "expected": expected, "corrected": corrected}


def row(place, observed, layers=("ents",)):
    """One line of a log, as a dict."""
    scores = {
        "span_f": parts(observed),
        "token_f": parts(observed and observed / 2),
        "slicm_norm": 0.3,
    }
    return {
        "step": place * 50,
        "epoch": place,
        "score": observed,
        "seconds": place,
        "words": 1000 * place,
        "losses": {"ner": 2.5},
        "layers": dict.fromkeys(layers, scores),
    }


def lines(scores=SCORES, **settings):
    return [json.dumps(row(place, score, **settings)) for place, score in enumerate(scores)]


def written(path, scores=SCORES, *, tail="", **settings):
    """A file with a line for each score."""
    text = "".join(f"{line}\n" for line in lines(scores, **settings))
    path.write_text(text + tail, encoding="utf-8")
    return path


def curves(folder, *names, scores=SCORES, **settings):
    """What `read_curves` makes of such files."""
    paths = [written(folder / name, scores, **settings) for name in names or ("a.jsonl",)]
    return read_curves(paths)
