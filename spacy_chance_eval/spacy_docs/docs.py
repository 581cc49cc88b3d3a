"""spaCy's documents as `Spans`: predictions are carried over to the gold tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import TypeAlias

import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..measures.messages import quoted
from ..measures.spans import Spans

Examples: TypeAlias = Sequence[Example]


def spans_of_examples(
    examples: Iterable[Example],
    gold_layer: str,
    pred_layer: str | None = None,
    *,
    words: bool = False,
    filtered: bool = False,
) -> tuple[Spans, Spans]:
    """Gold and predicted `Spans` of a layer of some Examples, on the gold tokens.

    A predicted span that does not begin and end where gold tokens do is unplaced: it still counts
    as predicted. One over gold tokens with missing annotation is ignored, as spaCy does. Repeated
    spans of a group are one. Documents without gold annotation are not seen.

    Parameters
    ----------
    examples : sequence of spacy.training.Example
    gold_layer, pred_layer : str
        "ents" or "spans:KEY"; by default the same.
    words : bool
        Keep the gold words, for token information.
    filtered : bool
        Of overlapping spans of a group keep the longest, then the first, then the one whose label
        comes first in the alphabet.

    Raises
    ------
    ValueError
        For an unknown layer.
    """
    return Spans.from_examples(examples, gold_layer, pred_layer, words=words, filtered=filtered)


def lexeme_information(vocab: Vocab) -> LexemeInformation:
    """Bits of words from spaCy's table of log probabilities: a callable for `token_information`.

    Raises
    ------
    ValueError
        If the table is not loaded: spaCy would answer -20 for every word and say nothing.
    """
    if not vocab.lookups.has_table("lexeme_prob"):
        raise ValueError(
            "the vocabulary has no table 'lexeme_prob' of word probabilities; install the extra "
            "'lookups' (pip install 'spacy-chance-eval[lookups]'), which has one for de, el, en "
            "and es, and load it into the pipeline ([initialize.lookups] with the tables "
            "lexeme_prob and lexeme_settings), or use token_information='corpus'"
        )

    return LexemeInformation(vocab)


# packages that spaCy's tokenizers of some languages need, and how to install them
PACKAGES = {
    "ja": ("SudachiPy and SudachiDict-core", "pip install 'spacy[ja]'"),
    "ko": ("mecab-ko and natto-py", "pip install 'spacy[ko]', after mecab-ko and mecab-ko-dic"),
    "th": ("PyThaiNLP", "pip install 'spacy[th]'"),
    "vi": ("Pyvi", "pip install pyvi"),
}


class LexemeInformation:
    """Bits of a word, by the log probability that spaCy has for it."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab, self.signature = vocab, f"lexeme_prob:{vocab.lang}"

    def __call__(self, word: str) -> float:
        return max(-self.vocab[word].prob / math.log(2), 0.0)


def borders_of(lang: str) -> Callable[[str], list[tuple[int, int]]]:
    """A function from texts to the (start, end) of their tokens, without white space.

    Raises
    ------
    ValueError
        For a language that spaCy does not know, or whose tokenizer needs a package.
    """
    try:
        _tokenizer(lang)
    except Exception as error:  # natto has an error of its own where MeCab is missing
        if lang not in PACKAGES and not isinstance(error, ImportError):
            raise
        if isinstance(error.__cause__, ModuleNotFoundError):  # there is no spacy.lang.LANG
            raise ValueError(
                f"spaCy has no language {quoted(lang)}; expected a code such as en, de or xx"
            ) from error
        package, command = PACKAGES.get(lang, ("a package that is not installed", ""))
        how = f"install it: {command}" if command else " ".join(str(error).split())
        raise ValueError(f"spaCy's tokenizer of {quoted(lang)} needs {package}; {how}") from error
    return partial(_borders, lang)


@lru_cache(maxsize=4)
def _tokenizer(lang: str) -> Callable[[str], Doc]:
    """The tokenizer of a language, made once in each process."""
    return spacy.blank(lang).tokenizer


def _borders(lang: str, text: str) -> list[tuple[int, int]]:
    """The boundaries of the tokens of a text."""
    tokens = (token for token in _tokenizer(lang)(text) if not token.is_space)
    return [(token.idx, token.idx + len(token)) for token in tokens]


def prefix_of(pair: Sequence[str]) -> str:
    """How the scores of a layer begin: `ents`, `spans_sc`, `ents_vs_spans_ruler`."""
    names = [layer.replace(":", "_") for layer in pair]
    return names[0] if names[0] == names[1] else "_vs_".join(names)
