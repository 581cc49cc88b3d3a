"""The command `agree`: parse, call one function, print."""

from pathlib import Path

import typer

from .agree import agree_files
from .cli_common import (
    BDM,
    BY_SPACY,
    CHANCE,
    DISCONTINUOUS,
    DOCUMENTS,
    DRAWS,
    ENCODING,
    FEATURES,
    ITEMS,
    LABEL_FEATURE,
    METRIC,
    MODE,
    OFFSETS,
    OUTPUT,
    REPAIR,
    SCHEME,
    SEED,
    SIZES,
    TEXT_KEY,
    TEXTS,
    TOKEN_COLUMN,
    TYPE,
    UNIT,
    failing_kindly,
    given,
    make_folder,
    progress_bar,
    show,
    tokenizer_of,
)
from .formats import READERS
from .formats.folders import check_ours
from .intervals import Resampling
from .measures.resampling import INTERVALS
from .panels import BY
from .report.agreement_text import agreement_text


def agree_command(
    files: list[str] = typer.Argument(
        ..., help="[NAME=]PATH[#LAYER] of files or folders of any format, .spacy included."
    ),
    by: str = typer.Option(
        "auto",
        help=f"Who the annotators are: {', '.join(BY)}. auto: each file, if there are several; of "
        "one file its layers (span groups, annotation sets, columns, annotators that rows name).",
    ),
    annotator_field: str = typer.Option(
        None,
        help="Key of the annotator in JSON rows, such as _session_id. [default for Prodigy: "
        "_annotator_id, or where it is null _session_id]",
    ),
    layer: list[str] = typer.Option(
        None, "--layer", "-l", help="[NAME=]LAYER to compare, such as bob=spans:b; repeat it."
    ),
    categories: bool = typer.Option(
        False, "--categories", help="Compare labels of whole documents in place of spans."
    ),
    metric: list[str] = METRIC,
    chance: str = CHANCE,
    unit: str = UNIT,
    encoding: str = ENCODING,
    items: str = ITEMS,
    mode: str = MODE,
    features: str = FEATURES,
    bdm: Path = BDM,
    resamples: int = typer.Option(
        1000, min=0, help="Bootstrap resamples of documents, for intervals; 0: no intervals."
    ),
    interval: str = typer.Option("percentile", help=f"One of {', '.join(INTERVALS)}."),
    level: float = typer.Option(0.95, help="Level of the intervals."),
    seed: int = SEED,
    draws: int = DRAWS,
    worst: int = typer.Option(10, min=0, help="Documents to name, those that cost most."),
    per_doc: bool = typer.Option(False, "--per-doc", help="All documents in the JSON output."),
    format: str = typer.Option(None, help=f"Format: {', '.join(READERS)}. [default: by name]"),
    token_column: str = TOKEN_COLUMN,
    scheme: str = SCHEME,
    documents: str = DOCUMENTS,
    offsets: str = OFFSETS,
    repair: str = REPAIR,
    misaligned: str = typer.Option(
        None, help="Spans that do not fit the tokens: unplaced or error. [default: unplaced]"
    ),
    discontinuous: str = DISCONTINUOUS,
    type: str = TYPE,
    label: str = LABEL_FEATURE,
    text: str = TEXT_KEY,
    texts: Path = TEXTS,
    sizes: str = SIZES,
    tokenizer: str = BY_SPACY,
    html: Path = typer.Option(
        None,
        help="A folder for pages: index.html with matrices of the annotators, by metric and label, "
        "and for each pair their documents with both annotations; it takes the place of an older "
        "such folder. If it ends in .html: the index as one page.",
    ),
    html_docs: int = typer.Option(
        200,
        min=0,
        help="Documents to show of a pair, those that differ most; 0: all that differ, on pages "
        "of 200 each.",
    ),
    output: str = OUTPUT,
):
    """How far do annotators agree, beyond chance? Two or many, on spans or on categories.

    Every pair is compared over the documents that both saw; the mean of the pairs is weighted by
    their number. The team's value is of all annotators at once: for F it sums observed and expected
    matches over all pairs and divides once. Undefined values come with a reason.

      agree alice.jsonl bob.jsonl

      agree dataset.jsonl --annotator-field _session_id -m span_f -m "token_f(encoding=BIO)"

      agree corpus.spacy --layer spans:alice --layer spans:bob

      agree alice/ bob/ --tokenizer en         (folders of brat or GATE documents)

      agree choices.jsonl --categories -o agreement.json

      agree dataset.jsonl --html agreement     (pages to look at: open agreement/index.html)
    """
    reading = {
        "format": format,
        "token": token_column,
        "scheme": scheme,
        "documents": documents,
        "offsets": offsets,
        "repair": repair,
        "misaligned": misaligned,
        "discontinuous": discontinuous,
        "type": type,
        "label": label,
        "text": text,
        "texts": texts,
        "sizes": sizes,
    }
    defaults = {
        "chance": chance,
        "unit": unit,
        "encoding": encoding,
        "items": items,
        "mode": mode,
        "features": features,
    }
    with failing_kindly():
        check_pages(html)
        found = agree_files(
            files,
            metrics=metric or (),
            defaults=given(defaults),
            bdm=bdm,
            intervals=Resampling(resamples, seed, interval, level),
            worst=None if per_doc else worst,
            draws=draws,
            seed=seed,
            progress=progress_bar,
            reading={
                "by": by,
                "field": annotator_field,
                "layers": layer or (),
                "categories": categories,
                "tokenize": tokenizer_of(tokenizer),
                "options": given(reading),
            },
        )
        write_pages(found, html, html_docs)
        show(found.to_dict(), agreement_text, output)


def check_pages(path):
    """Raise early for a folder that pages must not replace."""
    if path is not None and path.suffix.lower() != ".html":
        from .integrations.agreement_pages import NAMES

        check_ours(path, path, NAMES)


def write_pages(found, path, n_docs):
    """Write the pages of an agreement, if they are asked for, and say where."""
    if path is None:
        return
    from .integrations.agreement_pages import write_agreement

    make_folder(path)
    write_agreement(found, path, n_docs=n_docs, progress=progress_bar)
    index = path if path.suffix.lower() == ".html" else path / "index.html"
    typer.echo(f"Pages: {index}", err=True)
