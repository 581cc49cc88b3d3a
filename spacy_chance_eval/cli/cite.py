"""The command `cite`: the sources of metrics, as BibTeX or text."""

from ..formats.errors import known
from ..formats.outputs import make_folder, write_atomically
from ..metrics.references import references
from ..reports.citations import bibtex, reference_text
from .parameters import argument, option
from .running import echo

WRITERS = {"bib": bibtex, "text": reference_text}


def cite_command(
    metrics: list[str] = argument(
        None,
        help="Metrics, or whole signatures as reports print them, in quotes. [default: the chance "
        "model]",
    ),
    to: str = option("bib", help=f"Format: {' or '.join(WRITERS)}."),
    output: str | None = option(
        None, "--output", "-o", help="File to write; - for standard output."
    ),
) -> None:
    """Print the sources of metrics, as BibTeX or text.

      cite
      cite span_f krippendorff_alpha
      cite slicm_norm --to text
      cite "span_f()|test=randomisation|ci=bootstrap" -o refs.bib

    This package comes first. A signature has the sources of its metric, its chance model, its
    intervals and its tests. replace_test is the test whether a model may replace an annotator."""
    text = WRITERS[known(to, WRITERS, "format")](references(metrics or ()))
    if output is None or output == "-":
        echo(text.rstrip("\n"))
        return
    make_folder(output)
    write_atomically(output, text)
    echo(f"Written: {output}", err=True)
