"""spaCy's Docs, `.spacy` files and pipelines as corpora, spans and trees, and back."""

from typing import TYPE_CHECKING

from ..about import lazy

if TYPE_CHECKING:
    from .docbin import docs_of_corpus, read_docbin, read_docs, write_docbin
    from .docs import borders_of, lexeme_information, spans_of_examples
    from .pipeline import predict
    from .tree_docs import predicted_treebanks, treebank_of_docbin, trees_of_docs, trees_of_examples

# loaded when they are asked for: spans need no trees
__all__, __getattr__ = lazy(
    __name__,
    {
        "docbin": "docs_of_corpus read_docbin read_docs write_docbin",
        "docs": "borders_of lexeme_information spans_of_examples",
        "pipeline": "predict",
        "tree_docs": "predicted_treebanks treebank_of_docbin trees_of_docs trees_of_examples",
    },
)
