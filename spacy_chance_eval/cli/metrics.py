"""The command `metrics`: the catalog, as a list or as a page, and its sources."""

from ..formats.errors import known
from ..metrics.catalog import METRICS
from ..metrics.references import bibtex
from ..reports.scores import metric_text, metrics_text
from .parameters import argument, option
from .running import echo, option_values


def metrics_command(
    names: list[str] = argument(
        None,
        help="Metrics; with --bibtex also signatures, as reports print them, in quotes. [default: "
        "all; with --bibtex the chance model]",
    ),
    sources: bool = option(False, "--bibtex", help="Print their sources as BibTeX."),
) -> None:
    """List the metrics with their parameters, defaults, sources.

      metrics
      metrics span_f   # what it measures
      metrics span_f krippendorff_alpha --bibtex > refs.bib
      metrics "span_f()|test=randomisation|ci=bootstrap" --bibtex

    With --bibtex this package comes first. A signature has the sources of its metric, its chance
    model, its intervals and its tests. replace_test is the test whether a model may replace an
    annotator."""
    if sources:
        text = bibtex(names or ())
    else:
        with option_values():
            asked = [known(name, METRICS, "metric") for name in names or METRICS]
        text = metric_text(asked[0]) if len(asked) == 1 else metrics_text(asked)
    echo(text.rstrip("\n"))
