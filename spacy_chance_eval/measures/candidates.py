"""Which tokens a random annotator may mark: rules that make a mask of the words of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import BoolArray
from .docs import is_doc
from .messages import quoted

ATTRIBUTE = "attribute:"  # in front of the name of an attribute of Docs, or of a key of rows
NOUN_CHUNKS = "noun-chunks"
OF_WORDS: dict[str, Callable[[str], bool]] = {
    "capitalised": lambda word: word[:1].isupper() or word[:1].istitle(),
    "not-punctuation": lambda word: any(map(str.isalnum, word)),
}


def candidate_tokens(tokens: Iterable[Any], rule: str) -> BoolArray:
    """Whether each token of a corpus is a candidate of the chance model "candidates".

    Parameters
    ----------
    tokens : iterable of str or of spacy.tokens.Doc
        All tokens of the corpus, one document after the other; or its Docs.
    rule : str
        "capitalised": the first character is a capital letter. "not-punctuation": the token has a
        letter or a digit. Of Docs also "noun-chunks": the token lies in one of `doc.noun_chunks`;
        and "attribute:NAME": `doc.user_data["NAME"]` or `doc._.NAME` has a boolean for each token,
        or the numbers of the candidates.

    Raises
    ------
    ValueError
        For an unknown rule, one that words do not answer, Docs without noun chunks or without the
        attribute, and a mask of another length.

    Examples
    --------
    >>> candidate_tokens(["Anna", "met", "Ben", "."], "capitalised").tolist()
    [True, False, True, False]
    """
    items = list(tokens)
    if items and all(map(is_doc, items)):
        parts = [_of_doc(doc, rule, number) for number, doc in enumerate(items, 1)]
        return np.concatenate(parts)
    of_docs = rule == NOUN_CHUNKS or rule.startswith(ATTRIBUTE)
    if rule not in OF_WORDS:
        raise ValueError(
            f"the rule {quoted(rule)} is one for Docs; words alone do not answer it"
            if of_docs
            else unknown_rule(rule)
        )
    of_word = OF_WORDS[rule]
    known = {word: of_word(word) for word in set(items)}
    return np.fromiter((known[word] for word in items), bool, len(items))


def unknown_rule(rule: str) -> str:
    """The message for a rule of candidates that there is not."""
    names = ", ".join((*OF_WORDS, NOUN_CHUNKS))
    return (
        f"unknown rule of candidates {quoted(rule)}; expected one of {names}, column:N, "
        "attribute:NAME"
    )


def _of_doc(doc: Any, rule: str, number: int) -> BoolArray:
    """The mask of one Doc."""
    if rule == NOUN_CHUNKS:
        return _in_noun_chunks(doc, number)
    if not rule.startswith(ATTRIBUTE):
        return candidate_tokens([token.text for token in doc], rule)
    name = rule.removeprefix(ATTRIBUTE)
    if name in doc.user_data:
        return mask_of(
            doc.user_data[name], len(doc), f"user_data[{quoted(name)}] of document {number}"
        )
    stored = doc.user_data.get(("._.", name, None, None))  # of an extension, in a file
    if stored is not None:
        return mask_of(stored, len(doc), f"doc._.{name} of document {number}")
    if not doc.has_extension(name):
        raise ValueError(
            f"Docs have no attribute {quoted(name)}; set it: Doc.set_extension({quoted(name)}, "
            "default=None)"
        )
    return mask_of(doc._.get(name), len(doc), f"doc._.{name} of document {number}")


def _in_noun_chunks(doc: Any, number: int) -> BoolArray:
    """Whether each token of a Doc lies in a noun chunk."""
    mask = np.zeros(len(doc), bool)
    if not len(doc):
        return mask
    if doc.noun_chunks_iterator is None or not doc.has_annotation("DEP"):
        raise ValueError(
            f"document {number} has no noun chunks; they need a parse, and a language for which "
            f"spaCy knows them (this one is {quoted(doc.lang_)}): run a pipeline with a parser "
            "first"
        )
    for chunk in doc.noun_chunks:
        mask[chunk.start : chunk.end] = True
    return mask


def mask_of(marks: Sequence[Any] | None, n_tokens: int, where: str) -> BoolArray:
    """The mask of a document, from a boolean for each token or the numbers of the candidates.

    Raises
    ------
    ValueError
        For anything else, with `where` it stands.
    """
    expected = f"expected a list of {n_tokens} booleans, or of numbers of tokens from 0"
    if isinstance(marks, str) or not hasattr(marks, "__len__"):
        raise ValueError(f"{where} is {quoted(marks)}; {expected}")
    values = list(marks)  # type: ignore[arg-type]  # it has a length
    if all(isinstance(one, (bool, np.bool_)) for one in values) and len(values) == n_tokens:
        return np.array(values, bool)
    whole = all(isinstance(one, (int, np.integer)) and type(one) is not bool for one in values)
    if not whole or any(not 0 <= one < n_tokens for one in values):
        raise ValueError(f"{where} has {len(values)} values that are no mask; {expected}")
    mask = np.zeros(n_tokens, bool)
    mask[values] = True
    return mask


def checked_mask(candidates: ArrayLike, n_tokens: int) -> BoolArray:
    """A mask with a boolean for each token.

    Raises
    ------
    ValueError
        For other values, or another number of them.
    """
    mask = np.asarray(candidates)
    if mask.dtype != bool and not np.isin(mask, (0, 1)).all():
        raise ValueError("candidates must be booleans, one for each token of the corpus")
    mask = mask.astype(bool).reshape(-1)
    if len(mask) != n_tokens:
        raise ValueError(f"{len(mask)} candidates for {n_tokens} tokens; expected one for each")
    return mask
