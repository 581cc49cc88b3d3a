"""Files of gold, predictions and annotators, counted as one block and as many."""

import gzip
import json
from contextlib import contextmanager
from math import isclose
from random import Random

import pytest

from helpers.laws import LAWS, asked_for, requests
from helpers.strategies import admitted
from spacy_chance_eval import Resampling
from spacy_chance_eval.corpora import blocks, passes
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.scoring.counts import is_drawn
from spacy_chance_eval.tasks.score import score_files

WORDS = ("Ada", "Rex", "Oslo", "met", "in", ".")
LABELS = ("LOC", "ORG", "PER")
NONE, SOME = Resampling(0), Resampling(20)


@contextmanager
def many_blocks(few=2, most=3, kept=None, strict=True):
    """Blocks of a few documents of any file; `kept` bytes stay between the passes.

    With `strict`, what is counted as one block all the same is an error.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "FEW", few)
        patch.setattr(blocks, "MOST", most)
        patch.setattr(passes, "LARGE", -1)
        patch.setattr(passes, "QUICK", {})
        if kept is not None:
            patch.setattr(passes, "KEPT", kept)
        if strict:
            patch.setattr(passes, "_count_one_block", one_block_only)
        yield


def one_block_only(*_):
    raise AssertionError("counted as one block")


# --- what is in the files


def some_span(size, rng, labels):
    start = rng.randrange(size)
    return start, min(start + rng.randint(1, 3), size), rng.choice(labels)


def made(n_docs=13, seed=1, kind="flat", longest=9, labels=LABELS, named=True, more=True):
    """Rows of gold and of a prediction; with `more`, all that makes documents special."""
    rng = Random(seed)
    for number in range(n_docs):
        size = rng.randint(0, longest)
        words = [rng.choice(WORDS) for _ in range(size)]
        about = {"tokens": words, "sents": sorted({0, size // 2})[: min(size, 2)]}
        about |= {"id": f"d{number}"} if named else {}
        here = labels if number > n_docs // 2 else labels[:1]  # later ones have more labels
        common = [some_span(size, rng, here) for _ in range(size // 2)]
        rows = []
        for side in range(2):
            own = [some_span(size, rng, here) for _ in range(min(size, 2))]
            kept = admitted([one for one in common if rng.random() < 0.8] + own, kind)
            row = about | {"spans": [entry(one, rng, more) for one in kept]}
            rows.append(row | extras(row, side, rng, here) if more else row)
        yield tuple(rows)


def entry(span, rng, more):
    """A span, sometimes with features."""
    start, end, label = span
    said = {"features": {"kind": rng.choice("ab")}} if more and rng.random() < 0.2 else {}
    return {"start": start, "end": end, "label": label} | said


def extras(row, side, rng, labels):
    """Some documents are not seen, some tokens are missing, some spans fit no tokens."""
    found = {"spans": None} if rng.random() < 0.15 else {}
    if rng.random() < 0.3 and row["tokens"] and row["spans"] == []:
        found["missing"] = [[0, 1]]
    if side and rng.random() < 0.3:
        found["unplaced"] = {"spans": [[2, rng.choice(labels)]]}
    return found


def rows_of(pair):
    """Rows of the two sides of a `strategies.Pair`."""
    for gold, pred, words, cuts, name in zip(
        pair.gold, pair.pred, pair.words, pair.cuts, pair.names
    ):
        sents = sorted({0, *cuts}) if words else []
        about = {"id": name, "tokens": list(words), "sents": sents}
        yield tuple(about | {"spans": side} for side in (gold, pred))


def written(path, rows):
    """A file of rows, packed if its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def folder(path, rows, n_files, name="part-{}.jsonl"):
    """Rows in the files of a folder; every second one is packed."""
    rows = list(rows)
    for i in range(n_files):
        some = rows[i * len(rows) // n_files : (i + 1) * len(rows) // n_files]
        written(path / (name.format(i) + ".gz" * (i % 2)), some)
    return path


def two_files(path, rows):
    """Files of gold and the prediction."""
    gold, pred = zip(*rows)
    return written(path / "gold.jsonl", gold), written(path / "pred.jsonl", pred)


def two_folders(path, rows, n_gold=3, n_pred=3):
    """Folders of gold and the prediction."""
    gold, pred = zip(*rows)
    return folder(path / "gold", gold, n_gold), folder(path / "pred", pred, n_pred)


# --- scores


def law_requests(*kinds, names=LAWS):
    """Requests of all metrics that all these kinds of spans allow and blocks add up to."""
    of_kinds = [{str(one): one for law in names for one in requests(law, kind)} for kind in kinds]
    shared = set.intersection(*map(set, of_kinds))
    return {key: one for key, one in of_kinds[0].items() if key in shared and adds_up(one)}


def adds_up(request):
    """Whether documents can be counted one by one: nothing is drawn, no words are weighed."""
    weighed = request.parameters.get("token_information", "constant") != "constant"
    return not (weighed or is_drawn(request))


def defaults(*names):
    """Requests by name."""
    return {name: asked_for(name) for name in names}


USUAL = defaults("span_f", "token_f", "slicm", "slicm_norm", "cohen_kappa", "krippendorff_alpha")


def score(gold, pred=None, /, metrics=USUAL, workers=None, intervals=SOME, per_doc=True, **keys):
    """The scores of files; by default small files are one block."""
    options = {"workers": workers, "intervals": intervals, "per_doc": per_doc}
    return plain(score_files(gold, pred, metrics=metrics, reading=Reading.of(keys), **options))


def in_blocks(*files, kept=None, **options):
    """The scores of files that are counted in many blocks."""
    with many_blocks(kept=kept):
        return score(*files, **options)


def check(*files, workers=None, kept=None, **options):
    """Assert that many blocks give what one does; the result of the layer."""
    found = in_blocks(*files, workers=workers, kept=kept, **options)
    assert_alike(found, score(*files, **options))
    return found["layers"][0]


def assert_alike(found, expected):
    """Equal results, floats up to rounding."""
    differ = list(differences(found, expected))
    assert not differ, differ[:3]


def differences(found, expected, place=""):
    """Where two results differ, floats by more than rounding."""
    if isinstance(expected, dict) and isinstance(found, dict):
        if found.keys() != expected.keys():
            yield place, sorted(found), sorted(expected)
        for key in found.keys() & expected.keys():
            yield from differences(found[key], expected[key], f"{place}/{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        for i, pair in enumerate(zip(found, expected)):
            yield from differences(*pair, f"{place}/{i}")
    elif isinstance(expected, float) and isinstance(found, float):
        if found != expected and not isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12):
            yield place, found, expected
    elif type(found) is not type(expected) or found != expected:
        yield place, found, expected


def plain(found):
    """A result as JSON has it."""
    return json.loads(json.dumps(found))
