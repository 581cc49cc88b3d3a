"""Tokens by spaCy for texts that come without."""

import spacy


def borders_of(lang):
    """A function from texts to the (start, end) of their tokens, white space left out.

    Raises
    ------
    ValueError
        For a language that spaCy does not know.
    """
    try:
        tokenizer = spacy.blank(lang).tokenizer
    except ImportError as error:
        raise ValueError(
            f"spaCy has no language {lang!r}; expected a code such as en, de or xx"
        ) from error

    def borders(text):
        tokens = (token for token in tokenizer(text) if not token.is_space)
        return [(token.idx, token.idx + len(token)) for token in tokens]

    return borders
