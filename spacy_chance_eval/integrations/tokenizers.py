"""Tokens by spaCy for texts that come without."""

from functools import lru_cache, partial

import spacy


def borders_of(lang):
    """A function from texts to the (start, end) of their tokens, white space left out.

    Raises
    ------
    ValueError
        For a language that spaCy does not know.
    """
    try:
        tokenizer_of(lang)
    except ImportError as error:
        raise ValueError(
            f"spaCy has no language {lang!r}; expected a code such as en, de or xx"
        ) from error
    return partial(borders, lang)


@lru_cache(maxsize=4)
def tokenizer_of(lang):
    """The tokenizer of a language, made once in each process."""
    return spacy.blank(lang).tokenizer


def borders(lang, text):
    """The borders of the tokens of a text."""
    tokens = (token for token in tokenizer_of(lang)(text) if not token.is_space)
    return [(token.idx, token.idx + len(token)) for token in tokens]
