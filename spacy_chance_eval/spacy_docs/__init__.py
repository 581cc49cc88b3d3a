"""spaCy's Docs, `.spacy` files and pipelines as corpora, spans and trees, and back."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .docbin import docs_of_corpus, read_docbin, read_docs, write_docbin
    from .docs import borders_of, lexeme_information, spans_of_examples
    from .pipeline import predict
    from .tree_docs import predicted_treebanks, treebank_of_docbin, trees_of_docs, trees_of_examples

__all__ = [
    "borders_of",
    "read_docs",
    "docs_of_corpus",
    "lexeme_information",
    "predict",
    "predicted_treebanks",
    "read_docbin",
    "spans_of_examples",
    "treebank_of_docbin",
    "trees_of_docs",
    "trees_of_examples",
    "write_docbin",
]

# loaded when they are asked for: spans need no trees
MODULES = {
    "borders_of": "docs",
    "read_docs": "docbin",
    "docs_of_corpus": "docbin",
    "lexeme_information": "docs",
    "predict": "pipeline",
    "predicted_treebanks": "tree_docs",
    "read_docbin": "docbin",
    "spans_of_examples": "docs",
    "treebank_of_docbin": "tree_docs",
    "trees_of_docs": "tree_docs",
    "trees_of_examples": "tree_docs",
    "write_docbin": "docbin",
}

if not TYPE_CHECKING:  # else every name would be known

    def __getattr__(name: str) -> Any:
        """A name of `__all__`, from its module."""
        if name not in MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{MODULES[name]}", __name__), name)
