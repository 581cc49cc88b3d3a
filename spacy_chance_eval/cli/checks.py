"""Inputs of commands: whether an output file is one of them, or would become one."""

import os
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

from ..formats import READERS, format_of_trees
from ..formats.paths import (
    files_at,
    is_docbin,
    is_hidden,
    is_pattern,
    is_remote,
    is_several,
    path_of,
)

ENDINGS = {suffix for reader in READERS.values() for suffix in reader.suffixes}


def resolved_path(path: str | Path) -> Path:
    """The absolute path of a file, all links followed; of file:// as of its path."""
    text = str(path)
    return Path(text.removeprefix("file://") if text.startswith("file:///") else path).resolve()


@dataclass(frozen=True)
class Input:
    """A file, folder or pattern that is read, and its format if it was named."""

    path: str | Path
    format: str | None = None

    @cached_property
    def place(self) -> Path:
        """Its absolute path."""
        return resolved_path(self.path)

    @cached_property
    def several(self) -> bool:
        """Whether it stands for its files; a pipeline does not, nor what cannot be reached."""
        try:
            return is_several(self.path) and not (path_of(self.path) / "config.cfg").is_file()
        except (ValueError, OSError):
            return False

    @cached_property
    def files(self) -> list[Path]:
        """All of its files; [] if there are none."""
        try:
            return files_at(self.path)
        except (ValueError, OSError):
            return []

    def check(self, path: str | Path, place: Path) -> None:
        """Raise if a file at `place`, called `path`, is read, or will be once it is written."""
        if is_remote(self.path) and not str(self.path).startswith("file:///"):
            return
        text = self.place.suffix.lower() == ".ann" and place == self.place.with_suffix(".txt")
        if text or place == self.place or self.several and self._links_to(place):
            raise ValueError(f"{path} is read, too; write to another file")
        if not self.several or not self._is_around(path, place):
            return
        if place.exists() and self._reads(place):
            raise ValueError(f"{path} is read, too, as a part of {self.path}; write elsewhere")
        if self._reads(place):
            raise ValueError(
                f"{path} would be read as a part of {self.path} next time; write elsewhere"
            )

    def _links_to(self, place: Path) -> bool:
        """Whether one of the files is a link to the file at `place`."""
        if not place.is_file():
            return False
        if not is_pattern(self.path) and place.is_relative_to(self.place):
            return False
        return any(file.exists() and file.samefile(place) for file in self.files)

    def _is_around(self, path: str | Path, place: Path) -> bool:
        """Whether a file is, or would be, one of those of the folder or pattern."""
        if not is_pattern(self.path):
            inside = place.is_relative_to(self.place)
            return inside and not is_hidden(place.relative_to(self.place))
        return PurePath(os.path.abspath(path)).match(os.path.abspath(self.path))

    def _reads(self, place: Path) -> bool:
        """Whether a file of that name would be read among the others."""
        kinds = Counter(map(_kind_of, self.files if place.exists() else [*self.files, place]))
        brat = (
            self.format == "brat"
            or not self.format
            and any(file.suffix == ".ann" for file in self.files)
        )
        if kinds["trees"] and kinds["trees"] >= kinds["spans"]:
            read = "trees"
        else:
            read = "spacy" if kinds["spacy"] else "spans"
        if brat and read == "spans" and not is_pattern(self.path):
            return place.suffix in (".ann", ".txt")
        return self.format is not None or _kind_of(place) == read


def _kind_of(file: Path) -> str | None:
    """The content of a file, by its ending: "spacy", "trees" or "spans"; None: it is not read."""
    if is_docbin(file):
        return "spacy"
    if format_of_trees(file):
        return "trees"
    return "spans" if ENDINGS & {suffix.lower() for suffix in file.suffixes} else None
