"""CoNLL-U Plus: columns that the first line names; and CoNLL-U with spans in its column MISC."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..measures.messages import quoted
from .conll import corpus_of, repairs_of
from .conll_bytes import UNSEEN, Shape, read_pieces, width_of
from .conll_documents import Columns, Layout, TagColumn
from .corpus import Corpus
from .errors import FormatError, PathLike
from .keys import Reading
from .tags import is_tag

NAMES = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
STANDARD = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()


def read_conllup(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a file of CoNLL-U Plus; each column of tags is a layer of its name.

        # global.columns = ID FORM NER
        1	Ada	B-PER
        2	slept	O

    Columns of tags are those beside the ten of CoNLL-U whose values mostly are tags. Without such a
    column, or such a first line, each key of the column MISC whose values mostly are tags is a
    layer: `misc:name` of `name=B-PER`, as in NorNE. Tokens without it are outside.
    """
    pieces = [*read_pieces(path)]
    names, header = _names_of(path, pieces)
    own = {name: [at] for at, name in enumerate(names) if name not in STANDARD}
    ids, misc = (names.index(name) if name in names else None for name in ("ID", "MISC"))
    shape = Shape(len(names), names.index("FORM"), ids)
    layout = Layout(shape, own, {}, header, misc)
    found = Columns(pieces, layout)
    columns = {name: found.tags[place].counts for name, (place,) in own.items()}
    layers: Mapping[str, Sequence[Any]] = {
        name: own[name]
        for name, counts in columns.items()
        if _are_tags({*counts, *(["O"] if counts.total() < found.n_tokens else [])})
    }
    if not layers and found.misc is not None:
        layers = {key: [key] for key in _add_keys(found, found.misc)}
    if not layers:
        raise FormatError(
            "no column of tags such as B-PER beside those of CoNLL-U, and no tags in MISC "
            f"(name=B-PER); the columns are {', '.join(names)}. Codes such as 1:VID: convert to "
            "JSONL. Trees: --format conllu",
            path,
        )
    layout = layout._replace(layers=layers, repairs=repairs_of(layers, reading.repair))
    layout = layout.settled(path, found, reading)
    return corpus_of(path, found, layout)


def _names_of(path: PathLike, pieces: Sequence[bytes]) -> tuple[list[str], bool]:
    """The names of the columns, and whether the first line names them."""
    first = b"".join(pieces[:1]).partition(b"\n")[0].decode()
    match = NAMES.fullmatch(first.strip())
    if not match and pieces and width_of(pieces[0]) == len(STANDARD):
        return STANDARD, False
    given = match[1].split() if match else []
    names = [name.upper() if name.upper() in STANDARD else name for name in given]
    if len({*names}) < len(names) or "FORM" not in names:
        raise FormatError(
            f"the first line is {quoted(first[:60])}; expected '# global.columns = ID FORM ...', "
            "with a name for each column, FORM among them, or the ten columns of CoNLL-U",
            path,
            1,
        )
    return names, True


def _add_keys(found: Columns, misc: TagColumn) -> Iterator[str]:
    """The keys of the column MISC that have tags, each of which becomes a column."""
    facts = {
        value: dict(pair.partition("=")[::2] for pair in value.split("|") if "=" in pair)
        for value in misc.counts
    }
    for key in dict.fromkeys(key for own in facts.values() for key in own):
        values = {own[key] for own in facts.values() if key in own}
        if _are_tags(values) and values != {"O"}:
            tags = {value: own.get(key, "O") for value, own in facts.items()}
            found.tags[f"misc:{key}"] = misc.read_as(tags, found.begins)
            yield f"misc:{key}"


def _are_tags(values: Collection[str]) -> bool:
    """Whether most of the different values are tags; those for nothing are not counted."""
    rest = {*values} - {"_", UNSEEN}
    return sum(map(is_tag, rest)) > len(rest) / 2
