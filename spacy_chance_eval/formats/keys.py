"""`Reading`: the keys by which a file is read, in `PATH#key=value,...`, options, lists of systems.

The fields of one dataclass are the table of keys: what they mean, their values, and the names that
readers have for them come from it, wherever a user may write one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from ..measures.messages import quoted
from .errors import PathLike, did_you_mean, known
from .paths import is_there

YES, NO = ("yes", "true"), ("no", "false")
KEYED = re.compile("[a-z_]+=")  # how keys of a path begin
TARGET_KEYS = ("format", "layer", "lang", "ents")
NEXT_KEY = re.compile(r",(?=[a-z_]+=)")  # a comma also stands within values: column=1,2


def key(about: str, *values: str, option: str = "") -> Any:
    """A key: a sentence on it, its values if these are known, and the name that readers have."""
    *most, last = values or ("",)
    about = about.replace("{}", f"{', '.join(most)} or {last}")
    return field(default=None, metadata={"about": about, "values": values, "option": option})


@dataclass(frozen=True)
class Reading:
    """How a file is read; None stands for the default of its format."""

    format: str | None = key("Name of the format. [default: by content]")
    column: str | None = key(
        "Column of tags by number (from 0, negative from the end) or name, or key of rows; 1,2: "
        "levels of nested spans. [default: by content]"
    )
    token_column: str | None = key("Column of the tokens. [default: by content]", option="token")
    layer: str | None = key("Layer of spans, by name; of .spacy files ents or spans:KEY.")
    documents: str | None = key("Documents of CoNLL: {}.", "auto", "docstart", "sentence", "file")
    scheme: str | None = key("Tags: {}.", "auto", "IOB1", "IOB2", "BIOES", "BILUO", "BMES")
    repair: str | None = key(
        "Improper tags: {}. [default: error; of predictions conlleval]",
        *("error", "begin", "drop", "conlleval"),
    )
    offsets: str | None = key("Offsets in JSON: {}. [default of JSONL: token]", "token", "char")
    misaligned: str | None = key(
        "Spans that do not fit the tokens: {}. [default: error; of predictions and annotators "
        "unplaced]",
        *("error", "unplaced"),
    )
    duplicates: str | None = key(
        "Duplicate spans, second answers of an annotator: {}; merge takes equal ones for one, keep "
        "lets GATE's measures count each. [default: merge; GATE's files: keep]",
        *("merge", "last", "error", "keep"),
    )
    on_error: str | None = key(
        "At a blemish, such as a span outside the text or a broken line: stop, or skip, which "
        "leaves out the span, token or document, and counts it. Too many stop all the same; "
        "skip:.5 allows half. [default: stop; skip allows a tenth]"
    )
    trim: str | None = key(
        "Cut off the ends of spans: {}; space is white space, punctuation both.",
        *("space", "punctuation"),
    )
    tokenizer: str | None = key(
        "Language of a spaCy tokenizer, such as en, for files without tokens."
    )
    type: str | None = key(
        "CAS and GATE: type of the annotations; inline: tags; Argilla: question."
    )
    typesystem: str | None = key(
        "CAS: the type system, an XML file. [default: TypeSystem.xml, beside or above the file]"
    )
    feature: str | None = key(
        "CAS, GATE, brat, BioC, inline: feature that has the label. Of the first three, kind=none "
        "labels spans without it.",
        option="label",
    )
    annotator: str | None = key(
        "Key of the annotator in JSON rows, Prodigy: or auto; each annotator is a layer."
    )
    labels: str | None = key(
        "Names of tags that are numbers: O,B-PER,I-PER ..., or a JSON file that has them."
    )
    text: str | None = key(
        "Label Studio, Argilla, mentions: key of the text. Trees: what sentences with other texts "
        "are, error or warn: compared as they are. [default of trees: error]"
    )
    texts: str | None = key(
        "CSV and mentions: a file of any format with the texts of the documents, or a folder of "
        "NAME.txt. [default of mentions without texts: those of gold]"
    )
    sizes: str | None = key(
        "CSV without sizes and texts: {}; with spans, documents end with their last span.",
        *("given", "spans"),
    )
    align: str | None = key(
        "Comparing other tokens, of two treebanks also other sentences: {}. [default: auto, by "
        "characters where the text is the same]",
        *("auto", "tokens", "characters", "position"),
    )
    cycles: str | None = key(
        "Trees: tokens that no root leads to, {}: measure the rest. [default: error]",
        *("error", "reachable"),
    )
    strip_subtypes: str | None = key(
        "Trees: yes reads relations such as nsubj:pass as nsubj.", *YES, *NO
    )
    # what readers are told besides, which are no keys
    role: str = "gold"
    columns: Any = None  # {layer: column} of several layers, or "all"; of `column` {"gold": column}
    decisions: bool = True  # whether Prodigy's answers are layers of categories

    @classmethod
    def of_options(cls, options: Mapping[str, Any] | Reading) -> Reading:
        """The reading of options by the names that readers have for them; of one itself."""
        if isinstance(options, Reading):
            return options
        names = {one.metadata["option"] or name: name for name, one in keys().items()}
        reading = cls(**{names.get(option, option): given for option, given in options.items()})
        for name, one in keys().items():
            value, values = getattr(reading, name), one.metadata["values"]
            of_layers = value.values() if isinstance(value, Mapping) else [value]
            for own in of_layers if values and value is not None else ():
                known(str(own), values, f"value of {name}")
        return reading

    @classmethod
    def of(cls, given: Mapping[str, Any], where: str) -> Reading:
        """The reading of some keys; `where` begins messages about them, if it is not empty.

        Raises
        ------
        ValueError
            For an unknown key or value, with the nearest one.
        """
        table = keys()
        for name, value in given.items():
            if name not in table:
                hint = did_you_mean(name, table)
                raise ValueError(
                    f"{where} has the key {quoted(name)}{hint}; expected some of {', '.join(table)}"
                )
            values = table[name].metadata["values"]
            if isinstance(value, (list, Mapping)) or str(value) == "":
                raise ValueError(f"{where}: {name} must be a text or number")
            if values and str(value) not in values:
                hint, front = did_you_mean(str(value), values), f"{where}: " if where else ""
                raise ValueError(
                    f"{front}unknown value {quoted(value)} of {name}{hint}; "
                    f"expected one of {', '.join(values)}"
                )
        if where and "column" in given and "layer" in given:
            raise ValueError(f"{where} has a column and a layer; give one of them")
        texts: dict[str, Any] = {name: str(value) for name, value in given.items()}
        return cls(**texts)

    @classmethod
    def parse(cls, texts: Iterable[str], where: str) -> Reading:
        """The reading that texts "key=value,..." stand for."""
        return cls.of(values_in(texts, where), where)

    def joined(self, others: Mapping[str, Any]) -> Reading:
        """The reading with keys that options of their own name, None for those that do not.

        Raises
        ------
        ValueError
            For a key that has two values.
        """
        more = {name: value for name, value in others.items() if value is not None}
        twice = [name for name, value in self.given.items() if more.get(name, value) != value]
        if twice:
            raise ValueError(f"--read names {twice[0]}, as its own option does; give it once")
        return Reading.of(self.given | more, "")

    @property
    def given(self) -> dict[str, str]:
        """The keys that were given, with their values."""
        found = {name: getattr(self, name) for name in keys()}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def options(self) -> dict[str, str]:
        """The options of the reader of the file, by its names."""
        others = ("column", "layer", "align")  # which sources have themselves
        return {
            keys()[name].metadata["option"] or name: value
            for name, value in self.given.items()
            if name not in others
        }


def values_in(texts: Iterable[str], where: str) -> dict[str, str]:
    """The values by key in texts "key=value,..."."""
    given: dict[str, str] = {}
    for text in texts:
        for part in NEXT_KEY.split(text):
            name, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"{where}: {quoted(part)}; expected KEY=VALUE")
            if given.setdefault(name, value) != value:
                raise ValueError(f"{where} has {name} twice; give it once")
    return given


def target_keys(path: PathLike) -> tuple[PathLike, dict[str, str]]:
    """(path, keys) of a file to write, "PATH#key=value,..."; its keys are `TARGET_KEYS`."""
    place, mark, part = str(path).rpartition("#")
    if not mark or not KEYED.match(part):
        return path, {}
    given = values_in([part], str(path))
    for name in given:
        if name not in TARGET_KEYS:
            hint = did_you_mean(name, TARGET_KEYS)
            raise ValueError(
                f"{path} has the key {quoted(name)}{hint}; a file to write has "
                f"{', '.join(TARGET_KEYS)}"
            )
    return place, given


def without_keys(path: PathLike) -> tuple[PathLike, dict[str, str]]:
    """(path, keys) of "PATH#key=value,...", where no file has that name."""
    place, mark, part = str(path).rpartition("#")
    if not mark or not KEYED.match(part) or is_there(path):
        return path, {}
    return place, Reading.parse([part], str(path)).given


def named_for_readers(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options by name, where some have the names of keys, by those that readers have for them."""
    table = keys()
    found = {}
    for name, value in options.items():
        own = table[name].metadata["option"] if name in table else ""
        found[own or name] = value
    column = found.pop("column", None)
    return found if column is None else {**found, "columns": {"gold": column}}


def keys_of(options: Iterable[str]) -> list[str]:
    """The keys that stand for options of a reader, by its names for them."""
    names = {one.metadata["option"] or name: name for name, one in keys().items()}
    names |= {"columns": "column"}
    return [names[option] for option in options if option in names]


def keys() -> dict[str, Field[Any]]:
    """{name: field} of all keys."""
    return {one.name: one for one in fields(Reading) if one.metadata}
