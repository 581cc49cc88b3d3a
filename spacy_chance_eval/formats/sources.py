"""What a path stands for: one file, the files of a folder, or those that match a pattern."""

from .errors import FormatError
from .remote import WILDCARD, matching, path_of

DOCBINS = (".spacy", ".spacy.gz")


def is_pattern(path):
    """Whether a path with * ? or [ ] stands for others: nothing is called so itself."""
    return bool(WILDCARD.search(str(path))) and not path_of(path).exists()


def is_there(path):
    """Whether there is such a file or folder, or a file that matches such a pattern."""
    return bool(matching(path)) or path_of(path).exists()


def is_several(path):
    """Whether a path is a folder or a pattern."""
    return path_of(path).is_dir() or is_pattern(path)


def files_at(path):
    """The file itself, all files of a folder that are not hidden, or those that match a pattern.

    They are sorted.

    Raises
    ------
    FormatError
        If nothing matches a pattern.
    """
    if is_pattern(path):
        found = matching(path)
        if not found:
            raise FormatError("no file matches this pattern; check the path", path)
        return found
    if not path_of(path).is_dir():
        return [path_of(path)]
    folder = path_of(path)
    every = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return [file for file in every if not is_hidden(file.relative_to(folder))]


def is_hidden(path):
    """Whether a path in a folder begins with a dot, or is in a folder that does."""
    return any(part.startswith(".") for part in path.parts)


def docbins_at(path):
    """The `.spacy` files of a folder, or among those that match a pattern."""
    return [file for file in files_at(path) if file.name.endswith(DOCBINS)]
