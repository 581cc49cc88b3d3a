"""The embedded sample: a small newswire-like corpus, split, with overlapping spans; a treebank."""

from pathlib import Path

FILES = ("dev.jsonl", "gazetteer.json", "test.jsonl", "train.jsonl", "treebank.conllu")


def path(name: str) -> Path:
    """Path of a sample file.

    Parameters
    ----------
    name : str
        One of `FILES`.

    Raises
    ------
    ValueError
        For any other name; lists the files that exist.

    Examples
    --------
    >>> path("dev.jsonl").name
    'dev.jsonl'
    """
    if name not in FILES:
        raise ValueError(f"no sample file {name!r}; expected one of {', '.join(FILES)}")
    return Path(__file__).with_name(name)
