"""How a score came about: what `score --explain` does."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ..analysis.explain import Model, explain_corpus, explain_document
from ..corpora.pairs import read_pair
from ..formats.keys import Reading
from ..measures.chance.expectation import are_disjoint
from ..metrics.request import Request
from ..reports.explain import explain_report, write_explain_page
from ..scoring.evaluation import evaluate
from .options import progress_bar
from .outputs import Outputs, Target

WHOLE = "*"  # in place of a document


def explain(
    gold: Path,
    pred: Path | None,
    document: str,
    requests: Mapping[str, Request],
    outputs: Outputs,
    *,
    reading: Reading,
    draws: int,
    seed: int,
    everything: bool,
) -> None:
    """Explain the scores of a document, or of the corpus, and how likely they are by chance."""
    compared = read_pair(gold, pred, reading)
    ignored = any(one.ignores_labels for one in requests.values())
    compared = replace(compared, ignores_labels=ignored)
    pair = compared.aligned()
    if not all(map(are_disjoint, pair)):
        requests = {name: one.overlapping or one for name, one in requests.items()}
    model = _model_of(requests.values())
    if document == WHOLE:
        result = explain_corpus(compared, model=model)
        by_model = {name: one for name, one in requests.items() if _is_corrected(one)}
        scores = evaluate(
            *pair, by_model, p_values=True, draws=draws, seed=seed, progress=progress_bar
        )
        result["p_values"] = {name: score.p_value for name, score in scores.items()}
        result["draws"] = draws
    else:
        result = explain_document(compared, document, model=model)

    def page(target: Target) -> None:
        write_explain_page(result, compared, target.path)

    outputs.show(result, {"html": page}, shown=explain_report(result), whole=everything)


def _is_corrected(request: Request) -> bool:
    """Whether a metric is corrected by a chance model, unless it is asked for without."""
    return request.row.parameters.get("chance", "none") != "none"


def _model_of(requests: Iterable[Request]) -> Model:
    """The chance model, and the parameters of token F and SL-ICM, that metrics have."""
    given: dict[str, Any] = {}
    for one in requests:
        names = {field.name for field in fields(Model)} - {"labels"}
        names -= set() if _is_corrected(one) else {"chance", "unit"}
        given |= {name: value for name, value in one.parameters.items() if name in names}
    return Model(**given)
