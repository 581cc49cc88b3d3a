"""Recipes for Prodigy 1.12 or later: `prodigy chance.iaa --help`. Each calls a command on datasets.

Where Prodigy is missing, or is older and has no `Arg`, this module can still be imported: the
recipes are then plain functions.
"""

import re
from collections.abc import Iterable
from typing import Any, Optional, TypeAlias

try:
    from prodigy.core import Arg, recipe
except ImportError:

    def Arg(*names: str, help: str) -> Any:
        """The help of an argument, which is all that it is without Prodigy."""
        return help

    def recipe(name: str, **arguments: Any) -> Any:
        """A decorator that leaves the function as it is."""
        return lambda function: function


# for Prodigy's parser, which knows Optional, but no X | None and no annotations that are postponed
Texts: TypeAlias = Optional[list[str]]  # noqa: UP045
Number: TypeAlias = Optional[int]  # noqa: UP045
COMMAS = re.compile(",(?![a-z_]+=)")  # those of "PATH#key=value,key=value" join its keys

SOURCE = Arg(
    help="dataset:NAME, or a file, with keys if need be: dataset:NAME#duplicates=last. Its "
    "sessions are the annotators; several, joined by commas: one for each annotator"
)
ANNOTATORS = Arg(
    "--annotators", "-a", help="Annotators to compare, joined by commas; by default all"
)
SCORING = {
    "labels": Arg(
        "--labels",
        "-l",
        help="Labels that count, or that are decided on, joined by commas; by default all",
    ),
    "metric": Arg(
        "--metric",
        "-m",
        help="A metric, such as 'token_f(encoding=BIO)'; repeat it for more. All of them: "
        "spacy-chance-eval metrics",
    ),
    "resamples": Arg("--resamples", "-r", help="Bootstrap resamples for intervals; 0: none"),
    "output": Arg(
        "--output",
        "-o",
        help="File to write, by its ending: .json, .tex ...; a folder gets pages; - prints the "
        "JSON",
    ),
}


@recipe("chance.iaa", source=SOURCE, annotators=ANNOTATORS, **SCORING)
def iaa(
    source: str,
    annotators: Texts = None,
    labels: Texts = None,
    metric: Texts = None,
    resamples: Number = None,
    output: Texts = None,
) -> None:
    """How far do annotators agree on spans, beyond chance?

    Pairs are compared over the tasks that both accepted; rejected, ignored and flagged tasks count
    as not seen. Decisions on suggestions (ner.teach) are for chance.iaa.doc. Prints a summary
    with intervals, all pairs, labels and the worst texts.

    Example: prodigy chance.iaa dataset:news -a ann,bob -l PERSON,ORG -o iaa.json
    """
    _run("agree", source, labels, metric, resamples, output, layer=annotators)


@recipe("chance.iaa.doc", source=SOURCE, annotators=ANNOTATORS, **SCORING)
def iaa_doc(
    source: str,
    annotators: Texts = None,
    labels: Texts = None,
    metric: Texts = None,
    resamples: Number = None,
    output: Texts = None,
) -> None:
    """How far do annotators agree on whole texts, beyond chance? For choice and binary tasks.

    Of choices, the options in "accept" are compared. Of binary decisions accept and reject are, for
    each text and label, or each text and suggested span. Ignored and flagged tasks are not seen.

    Example: prodigy chance.iaa.doc dataset:topics -m krippendorff_alpha -m gwet_ac1
    """
    _run("agree", source, labels, metric, resamples, output, "--categories", layer=annotators)


@recipe(
    "chance.replace",
    source=SOURCE,
    candidate=Arg(
        "--candidate",
        "-c",
        help="Who may replace an annotator: dataset:NAME, a file, or one of the annotators; "
        "several, joined by commas",
    ),
    annotators=Arg(
        "--annotators", "-a", help="Annotators, with the candidates among them; by default all"
    ),
    categories=Arg("--categories", help="Compare choices, or decisions, instead of spans"),
    **SCORING,
)
def replace(
    source: str,
    candidate: Texts = None,
    annotators: Texts = None,
    labels: Texts = None,
    metric: Texts = None,
    categories: bool = False,
    resamples: Number = None,
    output: Texts = None,
) -> None:
    """May a model replace an annotator? The alternative annotator test.

    The candidate passes if it agrees with the others as well as at least half of the annotators,
    .2 granted. Prints a verdict and the p-value of each annotator.

    Example: prodigy chance.replace dataset:news --candidate dataset:news_gpt
    """
    if not candidate:
        raise SystemExit("\u2718 no candidate; name one: --candidate dataset:NAME")
    words = ["--categories"] if categories else []
    more = {"layer": annotators, "candidate": candidate}
    _run("agree", source, labels, metric, resamples, output, *words, **more)


@recipe(
    "chance.score",
    model=Arg(help="Name or folder of a spaCy pipeline"),
    source=Arg(help="The gold annotation: dataset:NAME, or a file, with keys if need be"),
    annotator=Arg("--annotator", "-a", help="Whose answers are gold, if tasks have several"),
    **SCORING,
)
def score(
    model: str,
    source: str,
    annotator: Texts = None,
    labels: Texts = None,
    metric: Texts = None,
    resamples: Number = None,
    output: Texts = None,
) -> None:
    """How well does a pipeline predict the spans of a dataset, beyond chance?

    The pipeline reads the texts of all accepted tasks; its spans are compared on the tokens of the
    dataset. Labels that were not annotated count as wrong predictions: leave them out with -l.

    Example: prodigy chance.score en_core_web_sm dataset:news_gold -l PERSON,ORG
    """
    who = ["--read", "annotator=auto"] if annotator else []
    _run("score", source, labels, metric, resamples, output, model, *who, layer=annotator)


def _run(
    command: str,
    source: str,
    labels: Texts,
    metric: Texts,
    resamples: Number,
    output: Texts,
    *words: str,
    **lists: Texts,
) -> None:
    """Run a command; of `lists`, each value is an option of that name."""
    options = {"metric": metric or (), "output": output or ()}
    options |= {name: _parts(texts or ()) for name, texts in lists.items()}
    if labels:
        options["read"] = [f"only_labels={','.join(_parts(labels))}"]
    given = [word for name, some in options.items() for one in some for word in (f"--{name}", one)]
    if resamples is not None:
        given += ["--resamples", str(resamples)]
    called = [command, *_parts([source]), *words, *given]
    from . import app  # made when it is asked for

    try:
        app(called)
    except SystemExit as ended:
        if ended.code:
            raise


def _parts(texts: Iterable[str]) -> list[str]:
    """Values given as one string with commas, or as a list."""
    parts = (part.strip() for text in texts for part in COMMAS.split(text))
    return [part for part in parts if part]
