"""The command `pipeline`, also `python -m spacy chance score`: parse, call one function, print."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..metrics.request import Request
from ..report.scores import score_report
from ..scoring.evaluation import default_requests
from ..scoring.intervals import Resampling
from .options import (
    CHANCE,
    DRAWS,
    ENCODING,
    METRIC,
    OUTPUT,
    P_VALUES,
    PER_DOC,
    RESAMPLES,
    SEED,
    UNIT,
    AnyPath,
    as_path,
    progress_bar,
    show,
)

if TYPE_CHECKING:
    from ..spacy_docs.docs import LexemeInformation


def pipeline_command(
    model: str = typer.Argument(..., help="Name or folder of a trained pipeline."),
    data: AnyPath = typer.Argument(
        ..., parser=as_path, help="Gold documents: a .spacy file or a folder of them."
    ),
    layer: list[str] = typer.Option(
        None,
        "--layer",
        "-l",
        help="ents, spans:KEY or GOLD=PREDICTED; may be repeated. [default: all in common]",
    ),
    code: Path | None = typer.Option(None, "--code", "-c", help="Python file to import first."),
    gpu_id: int = typer.Option(-1, "--gpu-id", "-g", help="GPU, or -1 for the CPU."),
    n_process: int = typer.Option(1, "--n-process", "-n", min=1, help="Processes to predict with."),
    batch_size: int | None = typer.Option(None, min=1, help="Documents a batch."),
    metric: list[str] = METRIC,
    chance: str | None = CHANCE,
    unit: str | None = UNIT,
    encoding: str | None = ENCODING,
    token_information: str | None = typer.Option(
        None, help="Bits of a token for SL-ICM: constant, corpus or lexeme_prob."
    ),
    per_doc: bool = PER_DOC,
    p_values: bool = P_VALUES,
    draws: int = DRAWS,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    output: str | None = OUTPUT,
) -> None:
    """Run a pipeline over gold documents and score what it predicts, beyond chance.

    Span groups are randomised with overlaps by default, entities without.
    """

    def metrics_of(
        model_of_layer: str, lexeme_information: "Callable[[], LexemeInformation]"
    ) -> dict[str, Request]:
        information: str | LexemeInformation | None = token_information
        if information == "lexeme_prob":
            information = lexeme_information()
        return default_requests(
            metric,
            chance=chance or model_of_layer,
            unit=unit,
            encoding=encoding,
            token_information=information,
        )

    from ..tasks.pipeline import score_pipeline  # which loads spaCy

    result = score_pipeline(
        model,
        data,
        metrics_of,
        layers=layer or (),
        code=code,
        gpu_id=gpu_id,
        n_process=n_process,
        batch_size=batch_size,
        per_doc=per_doc,
        p_values=p_values,
        draws=draws,
        intervals=Resampling(resamples, seed),
        seed=seed,
        progress=partial(progress_bar, what="Documents"),
        draw_progress=progress_bar,
    )
    show(result, score_report, output)
