"""`Reading`: the keys by which a file is read, in `PATH#key=value,...`, options, lists of systems.

The fields of one dataclass are the table of keys: what they mean and their values come from it,
wherever a user may write one. Which of them a format knows says `formats.READERS`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from ..measures.messages import quoted
from .errors import PathLike, known
from .paths import is_remote, is_there

YES, NO = ("yes", "true"), ("no", "false")
KEYED = re.compile("[a-z_]+=")  # how keys of a path begin
INNER = ("role", "columns")
TARGET_KEYS = ("format", "layer", "lang", "ents")
NEXT_KEY = re.compile(r",(?=[a-z_]+=)")  # a comma also stands within values: column=1,2


def key(about: str, *values: str) -> Any:
    """A key: a sentence on it, and its values if these are known."""
    *most, last = values or ("",)
    about = about.replace("{}", f"{', '.join(most)} or {last}")
    return field(default=None, metadata={"about": about, "values": values})


@dataclass(frozen=True)
class Reading:
    """How a file is read; None stands for the default of its format.

    Values are texts and numbers; in Python, `labels` and `type` may be lists, `texts` a path, and
    `tokenizer` a function from a text to the boundaries of its tokens.
    """

    format: Any = key("Name of the format. [default: by content]")
    column: Any = key(
        "Column of tags by number (from 0, negative from the end) or name, or key of rows; 1,2: "
        "levels of nested spans. [default: by content]"
    )
    token_column: Any = key("Column of the tokens. [default: by content]")
    layer: Any = key("Layer of spans, by name; of .spacy files ents or spans:KEY.")
    documents: Any = key("Documents of CoNLL: {}.", "auto", "docstart", "sentence", "file")
    scheme: Any = key("Tags: {}.", "auto", "IOB1", "IOB2", "BIOES", "BILUO", "BMES")
    repair: Any = key(
        "Improper tags, such as I-PER after O: {}, which leaves out their spans. [default: "
        "conlleval]",
        *("conlleval", "drop"),
    )
    offsets: Any = key("Offsets in JSON: {}. [default of JSONL: token]", "token", "char")
    misaligned: Any = key(
        "Spans that do not fit the tokens: {}. [default: error; of predictions and annotators "
        "unplaced]",
        *("error", "unplaced"),
    )
    duplicates: Any = key(
        "Duplicate spans, second answers of an annotator: {}; merge takes equal ones for one, keep "
        "lets GATE's measures count each. [default: merge; GATE's files: keep]",
        *("merge", "last", "keep"),
    )
    on_error: Any = key(
        "At a blemish, such as a span outside the text or a broken line: {}; skip leaves out its "
        "document, and counts it, up to half of a file. [default: stop]",
        *("stop", "skip"),
    )
    trim: Any = key("Cut off the ends of spans: space, which is white space.", "space")
    tokenizer: Any = key("Language of a spaCy tokenizer, such as en, for files without tokens.")
    type: Any = key("CAS and GATE: type of the annotations; inline: tags; Argilla: question.")
    feature: Any = key(
        "CAS, WebAnno, GATE, brat, BioC, inline: feature that has the label; kind=none labels "
        "spans without it."
    )
    annotator: Any = key(
        "Key of the annotator in JSON rows, Prodigy: or auto; each annotator is a layer."
    )
    labels: Any = key(
        "Names of tags that are numbers: O,B-PER,I-PER ..., or a JSON file that has them."
    )
    text: Any = key(
        "Label Studio, Argilla, mentions: key of the text. Trees: what sentences with other texts "
        "are, error or warn: compared as they are. [default of trees: error]"
    )
    texts: Any = key(
        "Mentions: a file of any format with the texts of the documents. [default: those of gold]"
    )
    align: Any = key(
        "Comparing other tokens, of two treebanks also other sentences: {}. [default: auto, by "
        "characters where the text is the same]",
        *("auto", "tokens", "characters", "position"),
    )
    cycles: Any = key(
        "Trees: tokens that no root leads to, {}: measure the rest. [default: error]",
        *("error", "reachable"),
    )
    strip_subtypes: Any = key("Trees: yes reads relations such as nsubj:pass as nsubj.", *YES, *NO)
    match: Any = key(
        "Trees: how sentences are matched, {}. [default: auto, ids where each has its own]",
        *("auto", "id", "place"),
    )
    rename: Any = key("Labels that are called otherwise: PER:Person,LOC:Place.")
    only_labels: Any = key("Labels that count, PER,LOC; decisions of Prodigy on these.")
    batch_size: Any = key("Pipelines: documents of a batch.")
    skip_bad: Any = key(
        "Of several files, yes leaves out those that are missing or truncated, and says "
        "so. [default: stop]",
        *YES,
        *NO,
    )
    # what no user writes
    role: str = "gold"
    columns: Any = None  # {layer: column}, or "all": several layers; of `column` {"gold": column}
    pipeline: Any = None  # arguments of a pipeline: code, gpu_id, n_process, progress

    @classmethod
    def of(cls, given: Mapping[str, Any], where: str = "") -> Reading:
        """The reading of some keys; `where` begins messages about what a user wrote.

        In Python `role` and `columns` may be among them. An unknown key or value is a `ValueError`.
        """
        table = keys()
        plain: dict[str, Any] = {}
        for name, value in given.items():
            plain[name] = _as_text(value)
            if name in INNER and not where:
                continue
            values = known(name, table, "key", where) and table[name].metadata["values"]
            no_text = (list,) if name == "rename" else (list, Mapping)
            if where and isinstance(value, no_text) or str(value) == "":
                wrong = f"{name} must be a text or number"
                raise ValueError(f"{where}: {wrong}" if where else wrong)
            if values and type(plain[name]) is str:
                known(plain[name], values, f"value of {name}", where)
        if where and "column" in given and "layer" in given:
            raise ValueError(f"{where} has a column and a layer; give one of them")
        return cls(**plain)

    @classmethod
    def parse(cls, texts: Iterable[str], where: str) -> Reading:
        """The reading that texts "key=value,..." stand for."""
        return cls.of(values_in(texts, where), where)

    @property
    def given(self) -> dict[str, Any]:
        """The keys that were given, with their values."""
        every = {name: getattr(self, name) for name in keys()}
        return {name: value for name, value in every.items() if value is not None}

    def only(self, names: Collection[str]) -> Reading:
        """The reading without keys but some."""
        return self.without(*(name for name in self.given if name not in names))

    def without(self, *names: str) -> Reading:
        """The reading without some of its keys."""
        nothing: dict[str, Any] = dict.fromkeys(names)
        return replace(self, **nothing)

    def __or__(self, other: Reading) -> Reading:
        """The reading with the keys of another one, which decide."""
        return replace(self, **other.given)


def _as_text(value: Any) -> Any:
    """A text or number as users write it; other values as they are."""
    if type(value) is bool:
        return (YES if value else NO)[0]
    return str(value) if type(value) in (str, int, float) else value


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


def target_keys(path: PathLike, *more: str) -> tuple[PathLike, dict[str, str]]:
    """(path, keys) of a file to write, "PATH#key=value,..."; keys are `TARGET_KEYS` and `more`."""
    place, mark, part = str(path).rpartition("#")
    if not mark or not KEYED.match(part):
        return path, {}
    given = values_in([part], str(path))
    for name in given:
        known(name, (*TARGET_KEYS, *more), "key of a file to write", str(path))
    return place, given


def split_path(text: object) -> tuple[str, str | None, Reading]:
    """(path, column or layer, keys) of "PATH", "PATH#COLUMN or LAYER", "PATH#key=value,...".

    An existing file is a path, even with such signs in its name.
    """
    path, mark, part = str(text).rpartition("#")
    keyed = bool(KEYED.match(part))
    if not mark or not path or not part or not keyed and ("/" in part or os.sep in part):
        return str(text), None, Reading()
    if (not keyed and "." in part) if is_remote(path) else is_there(str(text)):
        return str(text), None, Reading()
    if keyed:
        return path, None, Reading.parse([part], str(text))
    return path, part, Reading()


def keys() -> dict[str, Field[Any]]:
    """{name: field} of all keys."""
    return {one.name: one for one in fields(Reading) if one.metadata}
