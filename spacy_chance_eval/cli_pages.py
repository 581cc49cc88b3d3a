"""Pages of an agreement, as commands write them when they are asked for."""

import typer

from .cli_common import make_folder, progress_bar
from .formats.files import check_ours, real_folder

MOST = 200  # documents or sentences of a pair, unless more are asked for


def check_pages(path):
    """Raise early for a folder that pages must not replace."""
    if shows_documents(path):
        from .report.agreement_pages import NAMES

        check_ours(real_folder(path), path, NAMES)


def shows_documents(path):
    """Whether pages show documents, which then have to be read as a whole: a folder of them."""
    return path is not None and path.suffix.lower() != ".html"


def write_pages(found, path, n_docs):
    """Write the pages of an agreement, if they are asked for, and say where."""
    if path is None:
        return
    make_folder(path)
    writer_of(found)(found, path, n_docs=n_docs, progress=progress_bar)
    index = path if path.suffix.lower() == ".html" else path / "index.html"
    typer.echo(f"Pages: {index}", err=True)


def writer_of(found):
    """The function that makes pages of spans, or that of trees."""
    if found.result["positions"] == "tree":
        from .report.tree_pages import write_tree_agreement

        return write_tree_agreement
    from .report.agreement_pages import write_agreement

    return write_agreement
