"""The systems of a leaderboard as users name them: files, columns, layers, pipelines."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec

import srsly

from ..formats.errors import FormatError
from ..formats.files import open_text
from ..formats.paths import is_remote, path_of

LISTS = (".yml", ".yaml", ".json")
READER_OPTIONS = ("format", "scheme", "repair", "documents", "token", "offsets", "misaligned")
KEYS = ("name", "path", "column", "layer", "link", "year", *READER_OPTIONS)


@dataclass(frozen=True, eq=False)
class System:
    """One system: where its predictions are, or the pipeline that makes them.

    Parameters
    ----------
    path : str
        A file, a folder of files, or a trained pipeline.
    part : str, optional
        Column of CoNLL, layer of anything else.
    name, link, year : optional
        How boards show it.
    options : mapping
        For the reader of the file.
    """

    path: str
    part: str | None = None
    name: str | None = None
    link: str | None = None
    year: int | None = None
    options: Mapping = field(default_factory=dict)

    @property
    def source(self):
        """As it can be given on the command line."""
        return self.path if self.part is None else f"{self.path}#{self.part}"


def parse_system(text):
    """The `System` that "PATH", "PATH#PART" or "NAME=PATH..." names.

    Examples
    --------
    >>> parse_system("BERT=out/bert.conll#2").source
    'out/bert.conll#2'
    """
    if os.path.exists(text):
        return System(text)
    name, equals, rest = text.partition("=")
    is_name = equals and "/" not in name and os.sep not in name
    if not is_name and not os.path.exists(rest):
        name, rest = None, text
    path, mark, part = rest.rpartition("#")
    if not mark or os.path.exists(rest):
        path, part = rest, None
    if not path or part == "" or name == "":
        raise ValueError(f"cannot read the system {text!r}; expected [NAME=]PATH[#COLUMN or LAYER]")
    return System(path, part, name)


def is_pipeline(path):
    """Whether a path is a trained pipeline: a folder with its config, or an installed package."""
    folder = path_of(path)
    if is_remote(path):  # spaCy loads from this machine only
        return False
    if folder.is_dir():
        return (folder / "config.cfg").is_file()
    return not folder.exists() and path.isidentifier() and find_spec(path) is not None


def read_systems(path):
    """The systems that a YAML or JSON file lists; paths are relative to the file.

    Raises
    ------
    FormatError
        For anything but a list of objects with a path and known keys.
    """
    with open_text(path) as lines:
        text = lines.read()
    try:
        read = srsly.json_loads if str(path).endswith(".json") else srsly.yaml_loads
        found = read(text)
    except Exception as error:  # srsly passes on whatever its parsers raise
        raise FormatError(f"cannot be read ({type(error).__name__}: {error})", path) from error
    rows = found.get("systems") if isinstance(found, Mapping) else found
    if not isinstance(rows, list) or not rows:
        raise FormatError("expected a list `systems` with a path for each", path)
    return [system_of(row, number, path) for number, row in enumerate(rows, 1)]


def system_of(row, number, path):
    """The `System` of one entry of a list."""
    if not isinstance(row, Mapping) or not isinstance(row.get("path"), str) or not row["path"]:
        raise FormatError(f"system {number} has no path; expected at least `path`", path)
    unknown = [key for key in row if key not in KEYS]
    if unknown:
        known = ", ".join(KEYS)
        raise FormatError(
            f"system {number} has the key {unknown[0]!r}; expected some of {known}", path
        )
    wrong = [key for key in KEYS if isinstance(row.get(key), (list, Mapping, bool))]
    if wrong:
        raise FormatError(f"{wrong[0]!r} of system {number} must be a text or number", path)
    if "column" in row and "layer" in row:
        raise FormatError(f"system {number} has a column and a layer; one says it", path)
    link, year = row.get("link"), row.get("year")
    if link is not None and not str(link).lower().startswith(("http://", "https://")):
        raise FormatError(f"link of system {number} is {link!r}; expected http(s)://...", path)
    if year is not None and type(year) is not int:
        raise FormatError(f"year of system {number} is {year!r}; expected a whole number", path)
    part = row.get("column", row.get("layer"))
    own = row["path"]
    beside = path_of(own) if is_remote(own) else path_of(path).parent / own
    return System(
        str(beside) if beside.exists() or "/" in own or "." in own else own,
        None if part is None else str(part),
        None if row.get("name") is None else str(row["name"]),
        link,
        year,
        {key: str(row[key]) for key in READER_OPTIONS if row.get(key) is not None},
    )


def systems_of(texts):
    """All systems that the arguments name, each with a name of its own.

    Raises
    ------
    ValueError
        If two systems were given the same name.
    """
    found = []
    for text in texts:
        listed = text.lower().endswith(LISTS) and "=" not in text
        found += read_systems(text) if listed else [parse_system(text)]
    return named(found)


def named(systems):
    """The systems with their names; those without one are called by their part or file.

    A folder such as `model-best` says little: where such names are not enough, it is the source.
    """
    own = [
        system.name or system.part or path_of(system.path.removesuffix(".gz")).stem
        for system in systems
    ]
    count = Counter(own)
    names = [
        name if count[name] == 1 or system.name else system.source
        for name, system in zip(own, systems)
    ]
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise ValueError(f"two systems are called {twice[0]!r}; name them apart: NAME=PATH")
    return [replace(system, name=name) for system, name in zip(systems, names)]
