"""Candidates of the chance model of that name: from words, a column or an attribute of a file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..measures.arrays import BoolArray
from ..measures.candidates import (
    ATTRIBUTE,
    NOUN_CHUNKS,
    OF_WORDS,
    candidate_tokens,
    mask_of,
    unknown_rule,
)
from ..measures.messages import listed, quoted
from ..measures.spans import expanded
from .corpus import Corpus, document_title
from .documents import DocumentTable
from .errors import FormatError

COLUMN = "column:"
LAYER = "candidates"  # name of the column while it is read


def check_rule(rule: str) -> str:
    """The rule, if there is such.

    Raises
    ------
    ValueError
        For an unknown one.
    """
    kind, mark, name = rule.partition(":")
    if rule in OF_WORDS or (kind == NOUN_CHUNKS and bool(mark) == bool(name)):
        return rule
    if f"{kind}:" in (COLUMN, ATTRIBUTE) and name:
        return rule
    raise ValueError(unknown_rule(rule))


def column_of(rule: str) -> str | None:
    """The column that a rule names, by number or name; None of other rules."""
    if not rule.startswith(COLUMN):
        return None
    return rule.removeprefix(COLUMN).partition("=")[0]


def looks_at_words(rule: str) -> bool:
    """Whether the tokens alone answer a rule."""
    return rule in OF_WORDS


def asks_docs(rule: str) -> bool:
    """Whether a rule asks spaCy's Docs, where there are any."""
    return rule.partition(":")[0] == NOUN_CHUNKS or rule.startswith(ATTRIBUTE)


def with_candidates(corpus: Corpus, rule: str, mask: BoolArray | None = None) -> Corpus:
    """The corpus with candidates in its documents; a column that says them is no layer any more.

    Parameters
    ----------
    rule : str
        One of `check_rule`.
    mask : boolean array, optional
        The mask of all tokens, where Docs have answered the rule.

    Raises
    ------
    FormatError
        For characters as positions, words that are not known, and documents that do not answer the
        rule.
    """
    if corpus.positions != "token":
        raise FormatError(
            "candidates are tokens, and this file has none: --tokenizer LANG makes some (with "
            "--align characters there are none either)",
            corpus.path,
        )
    table = corpus.table
    if mask is None:
        mask, table = _answered(corpus, table, rule)
    if len(mask) != table.sizes.sum():
        raise FormatError(
            f"{len(mask)} candidates for {table.sizes.sum()} tokens; leave no document out "
            "(--on-error)",
            corpus.path,
        )
    cuts = table.offsets.tolist()
    column = [mask[a:b].tobytes() for a, b in zip(cuts, cuts[1:])]
    table = replace(table, more={**table.more, "candidates": column})
    return replace(corpus, documents=table)


def _answered(corpus: Corpus, table: DocumentTable, rule: str) -> tuple[BoolArray, DocumentTable]:
    """The mask of all tokens by a rule, and the documents without the column that says it."""
    if rule in OF_WORDS:
        if table.words is None and len(table):
            raise FormatError(
                f"the rule {quoted(rule)} looks at words, which this file lacks; give texts "
                "(--texts)",
                corpus.path,
            )
        return candidate_tokens(table.words or (), rule), table
    if rule.startswith(ATTRIBUTE):
        return _by_attribute(corpus, table, rule.removeprefix(ATTRIBUTE)), table
    column = column_of(rule)
    if column is None:
        raise FormatError(
            f"the rule {quoted(rule)} needs spaCy's Docs with a parse (.spacy)", corpus.path
        )
    layer = LAYER if LAYER in table.layers else column
    if layer not in table.layers:
        names = listed(table.layers)
        raise FormatError(
            f"the rule {quoted(rule)} names a column of CoNLL, and there is none; available: "
            f"{names}",
            corpus.path,
        )
    found, label = table.layer(layer), rule.partition("=")[2]
    if label and label not in found.labels:
        raise FormatError(
            f"no tag of column {column} has the label {quoted(label)}; it has "
            f"{', '.join(found.labels)}",
            corpus.path,
        )
    kept = np.isin(found.label, [i for i, one in enumerate(found.labels) if label in ("", one)])
    mask = np.zeros(table.sizes.sum(), bool)
    base = table.offsets[found.doc[kept]]
    mask[expanded(base + found.start[kept], base + found.end[kept])[1]] = True
    layers = {name: one for name, one in table.layers.items() if name != layer}
    return mask, replace(table, layers=layers)


def _by_attribute(corpus: Corpus, table: DocumentTable, name: str) -> BoolArray:
    """The mask of all tokens by an attribute of the documents."""
    masks = [np.zeros(0, bool)]
    for place, document in enumerate(corpus.documents):
        where = f"the attribute {quoted(name)} of {document_title(document, place + 1)}"
        marks = document.attributes.get(name)
        try:
            masks.append(mask_of(marks, int(table.sizes[place]), where))
        except ValueError as error:
            raise FormatError(str(error), document.path or corpus.path) from error
    return np.concatenate(masks)
