"""Files of any format, `.spacy` included, and which of their layers they are mostly about."""

from .. import formats
from ..formats.paths import DOCBINS, docbins_at, is_several

MAIN_LAYERS = ("gold", "spans", "ents")


def read_corpus(path, *, role="gold", **options):
    """The `Corpus` of a file of any format, `.spacy` included, or of several.

    A folder stands for its files, and a pattern with * ? or [ ] for those that match it.
    """
    if not is_docbin(path):
        read = formats.read_folder if is_several(path) else formats.read
        return read(path, role=role, **options)
    if options:
        raise ValueError(f"{path} is a .spacy file, which has no option {min(options)!r}")
    from ..spacy_docs.docbin import read_docbin

    return read_docbin(path, role=role)


def is_docbin(path):
    """Whether a path is a `.spacy` file, or a folder or pattern that stands for some."""
    return bool(docbins_at(path)) if is_several(path) else str(path).endswith(DOCBINS)


def one_file(path):
    """The file itself, or the first one of several: its columns are those of all."""
    return formats.files_of(path)[0] if is_several(path) else path


def format_of(path, options):
    """Name of the format of a file or folder: "spacy", or one of `formats.READERS`."""
    if is_docbin(path):
        return "spacy"
    return options.get("format") or formats.format_of(path)


def possible_options(path, options):
    """Names of the options that the reader of a file or folder has; of `.spacy` there are none."""
    return () if is_docbin(path) else formats.options_of(path, format=options.get("format"))


def with_shared(paths, sides, shared):
    """The options of each file, with those of `shared` that its format has; one must have them."""
    possible = [possible_options(path, side) for path, side in zip(paths, sides)]
    for name in shared:
        if not any(name in options for options in possible):
            files = " or ".join(map(str, dict.fromkeys(paths)))
            raise ValueError(f"the format of {files} has no option {name!r}")
    return [
        {**side, **{name: value for name, value in shared.items() if name in options}}
        for side, options in zip(sides, possible)
    ]


def layer_of(corpus, wanted=None, *, avoid=None):
    """A layer of a corpus: the one wanted, or the one that the file is mostly about."""
    names = [name for name in corpus.layer_names if name != avoid]
    if wanted is not None:
        return wanted
    if not names and avoid is None:
        raise ValueError(f"{corpus.path}: no document has any layer of spans")
    if not names:
        raise ValueError(f"{corpus.path} has one layer only; name a file or column to compare with")
    return next((name for name in MAIN_LAYERS if name in names), names[0])
