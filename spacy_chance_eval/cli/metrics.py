"""The command `metrics`: the catalog, as a list or as a page."""

from ..reports.scores import metrics_markdown, metrics_text
from .parameters import option
from .running import echo


def metrics_command(
    markdown: bool = option(False, "--markdown", help="As the page docs/metrics.md."),
) -> None:
    """List the metrics, their parameters with defaults, their sources."""
    echo((metrics_markdown() if markdown else metrics_text()).rstrip("\n"))
