"""The embedded sample: news and prose, with outputs of systems and annotators; a treebank."""

from pathlib import Path

SYSTEMS = ("early", "gazetteer", "late", "middle", "over-marker", "shifted")
ANNOTATORS = ("anna", "ben", "carla", "dan")
FILES = (
    *(f"annotators/{name}.jsonl" for name in ANNOTATORS),
    "dev.jsonl",
    "gazetteer.json",
    *(f"systems/{name}.jsonl" for name in SYSTEMS),
    "test.jsonl",
    "train.jsonl",
    "treebank.conllu",
)


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
    return Path(__file__).parent / name
