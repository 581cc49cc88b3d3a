"""`spacy-chance-eval explain` and `python -m spacy chance explain`: a score explained."""

from dataclasses import replace
from functools import partial

from ..analysis.explain import Model, explain_corpus, explain_document
from ..corpora.pairs import read_pair
from ..reports.explain import explain_text
from .options import (
    GOLD,
    IGNORE_LABELS,
    PRED,
    AnyPath,
    ReadingOptions,
    given,
    inputs_of,
)
from .outputs import Outputs, Target, output_option
from .parameters import main_options, option, with_options


@with_options(reading=ReadingOptions)
@main_options(
    "doc",
    "label",
    "chance",
    "unit",
    "format",
    "layer",
    "tokens",
    "top",
    "output",
)
def explain_command(
    gold: AnyPath = GOLD,
    pred: AnyPath | None = PRED,
    doc: str | None = option(
        None, "--doc", "-d", help="Name of a document, or its number from 1. [default: the corpus]"
    ),
    label: list[str] = option(
        None, "--label", "-l", help="A label; may be repeated. [default: all]"
    ),
    chance: str | None = option(
        None,
        help="Chance model: disjoint, overlapping, nested or uniform. [default: disjoint]",
        panel="Chance model",
    ),
    unit: str | None = option(
        None,
        help="Unit within which chance places spans: doc or sent. [default: doc]",
        panel="Chance model",
    ),
    encoding: str | None = option(
        None,
        help="Items of token scores: IO, BIO, BIOE or IO*. [default: IO]",
        panel="Metrics",
    ),
    ignore_labels: bool = IGNORE_LABELS,
    token_information: str | None = option(
        None,
        help="Bits of a token for SL-ICM: constant or corpus. [default: constant]",
        panel="Metrics",
    ),
    rank: str | None = option(
        None,
        help="Order of tokens in SL-ICM: position or information. [default: position]",
        panel="Metrics",
    ),
    matching: str | None = option(
        None,
        help="Pairs of SL-ICM: mutual or optimal. [default: mutual]",
        panel="Metrics",
    ),
    tokens: int = option(60, min=0, help="Rows of the table of tokens in the terminal."),
    top: int = option(10, min=1, help="How many documents of a corpus to list."),
    output: list[str] = output_option("json html"),
    *,
    reading: ReadingOptions,
) -> None:
    """Explain a score: observed, expected by chance, and every step.

      explain gold.conll predicted.conll
      explain dev.spacy training/model-best --doc 3 -o why.json

    With --doc for one document, token by token and span by span. Without it for the corpus: which
    documents and labels carry the agreement that is expected by chance.
    """
    options = {"chance": chance, "unit": unit, "encoding": encoding, "rank": rank}
    options |= {"token_information": token_information, "matching": matching}
    outputs = Outputs(output, "json html", inputs_of(gold, pred, reading))
    model = Model(**given(options))
    compared = read_pair(gold, pred, reading.reading, reading.own)
    compared, labels = replace(compared, ignores_labels=ignore_labels), label or ()
    if doc is None:
        result = explain_corpus(compared, labels=labels, model=model)
    else:
        result = explain_document(compared, doc, labels=labels, model=model)

    def page(target: Target) -> None:
        from ..reports.explain_page import write_explain_page

        write_explain_page(result, compared, target.path)

    report = partial(explain_text, tokens=tokens, top=top)
    outputs.show(result, report, "explain", {"html": page})
