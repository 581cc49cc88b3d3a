"""Recipes for Prodigy 1.12 or later: `prodigy chance.iaa --help`.

Each parses, calls one function of `prodigy_results` and prints. Where Prodigy is missing, or is
older and has no `Arg`, this module can still be imported: the recipes are then plain functions.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any, Optional, TypeAlias

from ..formats.outputs import output_set, write_atomically
from ..reports.scores import score_report
from ..scoring.intervals import Resampling
from ..scoring.replacement import ReplacementTest
from .prodigy_results import agreement_in_dataset, progress_bar, replacement_in_dataset, score_of

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
Text: TypeAlias = Optional[str]  # noqa: UP045
Texts: TypeAlias = Optional[list[str]]  # noqa: UP045

SOURCE = Arg(
    help="dataset:NAME, or a JSONL file made by db-out. Its sessions are the annotators "
    "(_annotator_id, else _session_id). Several, joined by commas: one for each annotator"
)
ANNOTATORS = Arg(
    "--annotators", "-a", help="Annotators to compare, joined by commas; by default all"
)
LABELS = Arg("--labels", "-l", help="Labels to compare, joined by commas; by default all")
METRIC = Arg(
    "--metric",
    "-m",
    help="A metric, such as 'token_f(encoding=BIO)'; repeat it for more. All of them: "
    "spacy-chance-eval metrics",
)
DUPLICATES = Arg(
    "--duplicates",
    help="Second answers of a session to a task, and duplicate spans: merge, last, keep or error",
)
ON_ERROR = Arg(
    "--on-error",
    help="At a blemish, such as a span outside the text: stop, or skip, which leaves out "
    "its task and counts it; skip:.5 allows half of the file",
)
CHANCE = Arg("--chance", help="Chance model: disjoint, overlapping, nested, uniform or none")
RESAMPLES = Arg("--resamples", "-r", help="Bootstrap resamples for intervals; 0: no intervals")
SEED = Arg("--seed", help="Seed of resamples and random annotations")
HTML = Arg(
    "--html", help="Folder for pages: matrices of the annotators, and the texts of each pair"
)
OUTPUT = Arg("--output", "-o", help="JSON file with everything; - for standard output")


@recipe(
    "chance.iaa",
    source=SOURCE,
    annotators=ANNOTATORS,
    labels=LABELS,
    partial=Arg(
        "--partial", "-P", help="Add an agreement by which spans of one label need only overlap"
    ),
    metric=METRIC,
    chance=CHANCE,
    resamples=RESAMPLES,
    seed=SEED,
    html=HTML,
    duplicates=DUPLICATES,
    on_error=ON_ERROR,
    output=OUTPUT,
)
def iaa(
    source: str,
    annotators: Texts = None,
    labels: Texts = None,
    partial: bool = False,
    metric: Texts = None,
    chance: Text = None,
    resamples: int = 1000,
    seed: int = 0,
    html: Text = None,
    duplicates: str = "merge",
    on_error: str = "stop",
    output: Text = None,
) -> None:
    """How far do annotators agree on spans, beyond chance?

    Pairs are compared over the tasks that both accepted; rejected, ignored and flagged tasks count
    as not seen. Decisions on suggestions (ner.teach) are for chance.iaa.doc. Prints a summary
    with intervals, all pairs, labels and the worst texts.

    Example: prodigy chance.iaa dataset:news -a news-alice,news-bob -l PERSON,ORG -o iaa.json
    """
    how = {"duplicates": duplicates, "on_error": on_error, "resamples": resamples, "seed": seed}
    more = {"metrics": metric or (), "partial": partial, "chance": chance}
    _show_agreement(source, annotators, labels, html, output, **how, **more)


@recipe(
    "chance.iaa.doc",
    source=SOURCE,
    annotators=ANNOTATORS,
    labels=Arg(
        "--labels",
        "-l",
        help="Options of choices, or labels that were decided on, joined by commas; by default all",
    ),
    metric=METRIC,
    resamples=RESAMPLES,
    seed=SEED,
    html=HTML,
    duplicates=DUPLICATES,
    on_error=ON_ERROR,
    output=OUTPUT,
)
def iaa_doc(
    source: str,
    annotators: Texts = None,
    labels: Texts = None,
    metric: Texts = None,
    resamples: int = 1000,
    seed: int = 0,
    html: Text = None,
    duplicates: str = "merge",
    on_error: str = "stop",
    output: Text = None,
) -> None:
    """How far do annotators agree on whole texts, beyond chance? For choice and binary tasks.

    Of choices, the options in "accept" are compared. Of binary decisions accept and reject are, for
    each text and label, or each text and suggested span. Ignored and flagged tasks are not seen.

    Example: prodigy chance.iaa.doc dataset:topics -m krippendorff_alpha -m gwet_ac1
    """
    how = {"duplicates": duplicates, "on_error": on_error, "resamples": resamples, "seed": seed}
    more = {"metrics": metric or (), "categories": True}
    _show_agreement(source, annotators, labels, html, output, **how, **more)


@recipe(
    "chance.replace",
    source=SOURCE,
    candidate=Arg(
        "--candidate",
        "-c",
        help="Who may replace an annotator: dataset:NAME, a JSONL file, or one of the annotators; "
        "several, joined by commas",
    ),
    annotators=Arg(
        "--annotators", "-a", help="Annotators beside the candidates, joined by commas; else all"
    ),
    labels=LABELS,
    metric=Arg("--metric", "-m", help="The similarity of two annotations; by default span_f"),
    epsilon=Arg(
        "--epsilon",
        "-e",
        help="Advantage granted to a candidate: .2 against experts, .15 skilled annotators, .1 "
        "crowd workers",
    ),
    min_instances=Arg("--min-instances", help="Texts that an annotator needs to be tested"),
    resamples=RESAMPLES,
    seed=SEED,
    duplicates=DUPLICATES,
    on_error=ON_ERROR,
    output=OUTPUT,
)
def replace(
    source: str,
    candidate: Texts = None,
    annotators: Texts = None,
    labels: Texts = None,
    metric: Text = None,
    epsilon: float = 0.2,
    min_instances: int = 30,
    resamples: int = 1000,
    seed: int = 0,
    duplicates: str = "merge",
    on_error: str = "stop",
    output: Text = None,
) -> None:
    """May a model replace an annotator? The alternative annotator test.

    The candidate passes if it agrees with the others as well as at least half of the annotators,
    epsilon granted. Of choices and decisions, the labels are compared, else the spans. Prints a
    verdict, the p-value of each annotator, and how many texts would decide.

    Example: prodigy chance.replace dataset:news --candidate dataset:news_gpt
    """
    with _errors_as_messages() as say:
        if not candidate:
            raise ValueError("no candidate; name one: --candidate dataset:NAME")
        found = replacement_in_dataset(
            _several(source),
            {"duplicates": duplicates, "on_error": on_error},
            _several(candidate),
            ReplacementTest(epsilon, min_instances=min_instances, seed=seed),
            annotators=_several(annotators),
            labels=_several(labels),
            metric=metric,
            resamples=resamples,
        )
        _show(found.to_dict(), str(found), output, say)


@recipe(
    "chance.score",
    model=Arg(help="Name or folder of a spaCy pipeline"),
    source=Arg(help="The gold annotation: dataset:NAME, or a JSONL file made by db-out"),
    annotator=Arg("--annotator", "-a", help="Whose answers are gold, if tasks have several"),
    labels=Arg("--labels", "-l", help="Labels to score, joined by commas; by default all"),
    layer=Arg("--layer", help="Predictions of the pipeline: ents or spans:KEY; by default found"),
    metric=METRIC,
    chance=CHANCE,
    resamples=RESAMPLES,
    seed=SEED,
    gpu_id=Arg("--gpu-id", "-g", help="GPU, or -1 for the CPU"),
    duplicates=DUPLICATES,
    on_error=ON_ERROR,
    output=OUTPUT,
)
def score(
    model: str,
    source: str,
    annotator: Text = None,
    labels: Texts = None,
    layer: Text = None,
    metric: Texts = None,
    chance: Text = None,
    resamples: int = 0,
    seed: int = 0,
    gpu_id: int = -1,
    duplicates: str = "merge",
    on_error: str = "stop",
    output: Text = None,
) -> None:
    """How well does a pipeline predict the spans of a dataset, beyond chance?

    The pipeline reads the texts of all accepted tasks; its spans are compared on the tokens of the
    dataset. Labels that were not annotated count as wrong predictions: leave them out with -l.

    Example: prodigy chance.score en_core_web_sm dataset:news_gold -l PERSON,ORG
    """
    with _errors_as_messages() as say:
        result = score_of(
            model,
            source,
            {"duplicates": duplicates, "on_error": on_error},
            Resampling(resamples, seed),
            annotator=annotator,
            labels=_several(labels),
            layer=layer,
            metrics=metric or (),
            chance=chance,
            gpu_id=gpu_id,
        )
        _show(result, score_report(result), output, say)


def _several(given: str | list[str] | None) -> list[str]:
    """The parts of an argument, which are joined by commas or come one by one."""
    texts = [given] if isinstance(given, str) else given or ()
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _show_agreement(
    source: str, annotators: Texts, labels: Texts, html: Text, output: Text, **options: Any
) -> None:
    """Print the agreement in a dataset; write its pages and its JSON, where they are asked for."""
    with _errors_as_messages() as say:
        agreement = agreement_in_dataset(
            _several(source),
            annotators=_several(annotators),
            labels=_several(labels),
            **options,
        )
        if html:
            from ..reports.agreement_pages import write_agreement  # loads jinja2 and displaCy

            write_agreement(agreement, html, progress=progress_bar)
            say(f"Pages: {html}")
        _show(agreement.to_dict(), str(agreement), output, say)


def _show(
    result: Mapping[str, Any], tables: str, output: str | None, say: Callable[..., None]
) -> None:
    """Write the JSON and print the tables, to standard error if the JSON is printed."""
    text = json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False)
    printed = output == "-"
    say(tables.rstrip("\n"), file=sys.stderr if printed else sys.stdout)
    if printed:
        say(text)
    elif output:
        write_atomically(output, text + "\n")
        say(f"All of it as JSON: {output}")


@contextmanager
def _errors_as_messages() -> Iterator[Callable[..., None]]:
    """A block of which bad input ends the program, and whose outputs are one set.

    The program then says why, with exit code 1. The block gets a function like `print`: what it is
    given is printed when all is written.
    """
    texts: list[tuple[str, IO[str]]] = []

    def say(text: str, file: IO[str] = sys.stdout) -> None:
        texts.append((text, file))

    try:
        with output_set():
            yield say
        with suppress(BrokenPipeError):  # nobody reads on
            for text, file in texts:
                print(text, file=file, flush=True)
    except (ValueError, OSError, ImportError) as error:
        raise SystemExit(f"\u2718 {error}") from error
