"""A logger of training: the scores of each evaluation as a line of JSON, beside the usual output.

spaCy loads this module with its registry, so it imports spaCy only.
"""

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

from spacy.util import registry
from wasabi import Printer

from ..formats.files import check_writable, make_folder, whole_file

# parts of a line, and the ends of the keys that our scorers give them
SCORES = {
    "span_f": {"observed": "f_observed", "expected": "f_expected", "corrected": "f_corrected"},
    "token_f": {
        "observed": "token_f",
        "expected": "token_f_expected",
        "corrected": "token_f_corrected",
    },
}
CONSOLE = "spacy.ConsoleLogger.v1"  # spaCy's default
ALONE = ("slicm_norm",)
NO_SCORES = (
    "no scores beyond chance in this evaluation: {path} gets no layers. Give a component the "
    "scorer spacy-chance-eval.ner_scorer.v1 or spacy-chance-eval.spancat_scorer.v1, or add the "
    "component chance_eval to the pipeline; and check that the development documents are annotated"
)


def make_score_logger(path: str | Path | None, wrapped: Callable | None = None) -> Callable:
    """A logger that writes observed, expected and corrected scores of every evaluation to a file.

    Each evaluation is one line, written at once, so that the file is whole whenever training ends:

        {"step": 200, "epoch": 3, "score": 0.61, "seconds": 40, "words": 52000,
         "losses": {"ner": 12.5},
         "layers": {"ents": {"span_f": {"observed": 0.64, "expected": 0.03, "corrected": 0.63},
                             "token_f": {...}, "slicm_norm": 0.58}}}

    The numbers are those of the scorers or of `chance_eval` in the pipeline, under the names of
    their layers; what an evaluation does not tell is null. Without any the file has no layers, and
    a warning says so: a logger must not end a training.

    Parameters
    ----------
    path : str or Path
        Replaced when a training begins: two trainings never share a file.
    wrapped : callable, optional
        Another logger, which goes on as if alone: a block [training.logger.wrapped] of a config. By
        default spaCy's `spacy.ConsoleLogger.v1`.
    """
    if path is None:
        raise ValueError("score_logger has no path; expected a file to write, such as ner.jsonl")
    check_writable(path)

    def setup_printer(nlp, stdout=sys.stdout, stderr=sys.stderr):
        inner = wrapped or registry.get("loggers", CONSOLE)()
        log_inner, finalize_inner = inner(nlp, stdout, stderr)
        file = new_file(path)
        warned = False

        def log_step(info):
            nonlocal warned
            if info is not None:
                line = line_of(info)
                print(json.dumps(line, allow_nan=False), file=file, flush=True)
                if not (line["layers"] or warned):
                    stdout.write(Printer(no_print=True).warn(NO_SCORES.format(path=path)) + "\n")
                    warned = True
            log_inner(info)

        def finalize():
            try:
                finalize_inner()
            finally:
                file.close()

        return log_step, finalize

    return setup_printer


def new_file(path):
    """An empty file in the place of `path`, open; whoever writes to an older one keeps that."""
    make_folder(path)
    with whole_file(path):
        pass
    return open(path, "a", encoding="utf-8", newline="\n")


def line_of(info):
    """What one evaluation reports, as a line says it."""
    return {
        "step": info["step"],
        "epoch": info["epoch"],
        "score": number(info["score"]),
        "seconds": info["seconds"],
        "words": info["words"],
        "losses": {name: number(loss) for name, loss in info["losses"].items()},
        "layers": layers_of(info["other_scores"]),
    }


def layers_of(scores):
    """{prefix of its scores: scores} of every layer that our scorers report."""
    ends = "_f_corrected", "_token_f_corrected"
    prefixes = [key.removesuffix(ends[0]) for key in scores if key.endswith(ends[0])]
    return {
        prefix: {
            **{
                name: {part: number(scores.get(f"{prefix}_{key}")) for part, key in keys.items()}
                for name, keys in SCORES.items()
            },
            **{name: number(scores.get(f"{prefix}_{name}")) for name in ALONE},
        }
        for prefix in sorted(prefixes)
        if prefix + ends[1] in scores
    }


def number(value):
    """A number as JSON has it; None for what it has not, and for what was not scored."""
    return None if value is None or not math.isfinite(value) else float(value)
