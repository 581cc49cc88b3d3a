"""The command `metrics`: the catalog, as a list or as a page."""

import typer

from ..reports.scores import metrics_markdown, metrics_text


def metrics_command(
    markdown: bool = typer.Option(False, "--markdown", help="As the page docs/metrics.md."),
) -> None:
    """List the metrics, their parameters with defaults, their sources."""
    typer.echo((metrics_markdown() if markdown else metrics_text()).rstrip("\n"))
