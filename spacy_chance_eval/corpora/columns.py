"""Which columns of CoNLL files are gold and the prediction, where none are named: content decides.

1. A file with one column of tags: that one.
2. A column of gold that all predictions have, too, beside one of their own, is gold, and their
   copies of it are no predictions.
3. Of several columns, the one whose labels gold and prediction share.

Where this leaves several, those with the labels of the last one are rivals, and several rivals are
an error. One file alone is compared by its last two columns of tags.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ..formats.conll_columns import (
    FileColumns,
    TagColumn,
    file_columns,
    header_names,
    only_last_has_tags,
)
from ..formats.errors import FormatError
from .sources import Source

Choices: TypeAlias = Mapping[int, TagColumn]
GOLD = "gold"  # names of columns in a first line
LISTED = 3  # files of a sentence


class _File(NamedTuple):
    """A source with its columns, None of other formats and of files that cannot be read."""

    source: Source
    columns: FileColumns | None

    def choices(self) -> Choices:
        """The columns that may be meant: the one that is named, or all but the one called gold."""
        source, columns = self
        if columns is None:
            return {}
        if source.layer is not None:
            place = columns.place_of(source.layer)
            return {at: one for at, one in columns.tags.items() if at == place}
        return {
            at: one for at, one in columns.tags.items() if GOLD != (columns.names or {at: ""})[at]
        }

    def beside(self, column: TagColumn, empty: Collection[int]) -> Sequence[TagColumn]:
        """The columns that may be the prediction beside a copy of gold; none without a copy.

        Levels of nested spans may be copies, too, but hardly ever have the same tags. `empty` are
        columns without spans in gold's file.
        """
        columns = self.columns.tags if self.columns else {}
        own = self.choices()
        named = own if self.source.layer is not None else {}
        copies = column.copies_in({at: one for at, one in columns.items() if at not in named})
        left = [one for at, one in own.items() if at not in copies and column.resembles(one)
                and (one.labels or at not in empty)]  # fmt: skip
        return [*left, *(own[at] for at in copies[1:] if at in own)] if copies else []


def with_columns(
    gold: Source, others: Sequence[Source], *, token: int | str | None = None, ranked: bool = False
) -> tuple[Source, list[Source]]:
    """Gold and predictions with their columns as `layer`, and a remark where there is a choice.

    Sources with a column are left as they are. Files that cannot be read are passed over, as
    reading them says why; those with other tokens than gold's say nothing about gold, if any have
    the same.

    Parameters
    ----------
    token : int or str, optional
        Column of the tokens, of files that do not say theirs.
    ranked : bool
        Whether the prediction in gold's own file is a system, too: the last of those returned.
    """
    gold = with_gold_name(gold)
    if not any(map(_is_unusual, (gold, *others))):
        return gold, [*others]
    mine, *files = (_File(one, columns_of(one, token)) for one in (gold, *others))
    known = [one for one in files if one.columns or one.source.format != "conll"]
    if files and not known:
        return gold, [*others]
    alike = [one for one in known if _same_words(one.columns, mine.columns)] or known
    own = mine.choices()
    named = mine.columns is not None and mine.columns.names is not None
    empty = [at for at, one in own.items() if not one.labels]
    alike = [one for one in alike if not _found_nothing(one, own, empty)]
    copied = [
        at
        for at, one in own.items()
        if alike and one.labels and not named and all(two.beside(one, empty) for two in alike)
    ]
    place = _gold_place(mine, copied, alike)
    found = [_with_pred_column(one, mine, place) for one in files]
    if place is None or mine.columns is None or gold.layer is not None:
        return gold, found
    last = max(own)
    theirs = replace(gold.reading.without("repair", "misaligned"), role="pred")
    if ranked and place in copied and place != last and gold.path not in [x.path for x in others]:
        found.append(replace(gold, reading=theirs, layer=_name_of(mine.columns, last)))
    same = [one.source.path for one in alike] if place in copied else None
    return _with_gold_column(gold, mine.columns, place, same, ranked), found


def _same_words(one: FileColumns | None, two: FileColumns | None) -> bool:
    """Whether two files have the same tokens, as far as both were looked at."""
    if one is None or two is None:
        return one is None
    n = min(len(one.words), len(two.words))
    return one.words[:n] == two.words[:n]


def _found_nothing(file: _File, gold: Choices, empty: Collection[int]) -> bool:
    """Whether a system found no spans: its last column is O alone, the others are gold's.

    `empty` are columns of O alone in gold's file: levels of nested spans that it does not have.
    """
    own = file.choices()
    last = max(own, default=0)
    rest = [one for at, one in own.items() if at != last]
    return (
        bool(rest)
        and not own[last].labels
        and last not in empty
        and all(any(map(one.equals, gold.values())) for one in rest)
    )


def _gold_place(gold: _File, copied: Sequence[int], others: Sequence[_File]) -> int | None:
    """The column that is gold; None if its file has no columns."""
    own, columns = gold.choices(), gold.columns
    if len(own) < 2 or columns is None:
        return next(iter(own), None)
    some = [one.choices() for one in others]
    shared = [at for at, one in own.items() if all(_may_be_gold(one, two) for two in some)]
    left = columns.rivals(copied or shared or own)
    if len(left) > 1:
        raise columns.refused(gold.source.path, left, "gold")
    return left[0]


def _may_be_gold(column: TagColumn, others: Choices) -> bool:
    """Whether a prediction has labels of a column, or no columns.

    A column that equals it does not count beside others, nor do those without labels.
    """
    left = [one for one in others.values() if one.labels] or [*others.values()]
    if len(left) > 1:
        left = [one for one in left if not one.equals(column)]
    return not others or any(map(column.shares_labels, left))


def _with_pred_column(file: _File, gold: _File, place: int | None) -> Source:
    """The source of a prediction with the column that is no copy of gold, and shares its labels."""
    (source, columns), own = file, file.choices()
    if columns is None or not own:
        return source
    copies: Sequence[int] = []
    left: Sequence[int] = [*own]
    why = ", by its labels"
    if place is not None and gold.columns is not None:
        reference = gold.choices()[place]
        copies = reference.copies_in(own)
        if place in own and _corresponds(file, gold, place, copies):
            copies, left, why = [], [place], ", as of gold"
        elif copies or len(own) > 1:
            others = gold.columns.tags.values()
            rest = [at for at in own if at not in copies]
            left = (
                [at for at in rest if reference.shares_labels(own[at])]
                or [at for at in rest if not any(map(own[at].equals, others))]
                or copies
                or rest
            )
    left = columns.rivals(left) if not copies else left
    if not all(own[at].equals(own[left[-1]]) for at in left):
        raise columns.refused(source.path, left, "the prediction")
    chosen = left[-1]
    name = _name_of(columns, chosen)
    levels = gold.columns.tags if gold.columns else {}
    if len(own) > 1 and not own[chosen].labels and (chosen not in levels or levels[chosen].labels):
        name = name or str(chosen)  # its reader would take a column with labels
    if source.layer is not None or name is None:
        return source
    same = " and ".join(str(at) for at in copies if at != chosen)
    why = f"; {same} is gold's" if same else why
    remark = f"The prediction is column {chosen} of {source.path}{why}." if len(own) > 1 else ""
    return replace(source, layer=name, remark=remark)


def _corresponds(file: _File, gold: _File, place: int, copies: Sequence[int]) -> bool:
    """Whether the prediction is the column that gold is in its file: named alike, or by the user.

    If that one is a copy of gold, each other column with its labels tells: one with many of the
    same tags is the prediction beside gold, one like that of gold's file a level of nested spans.
    An error if neither is so.
    """
    if file.columns is None or gold.columns is None or file.columns.width != gold.columns.width:
        return False
    if gold.columns.names:
        return file.columns.names == gold.columns.names
    if gold.source.layer is None or copies and place not in copies:
        return False
    own, columns = file.choices(), gold.columns.tags
    reference = columns[place]
    rest = [at for at in own if at not in copies and reference.shares_labels(own[at])]
    if not copies or not rest:
        return True
    if any(own[at].labels and reference.resembles(own[at]) for at in rest):
        return False
    unlike = [at for at in rest if at not in columns or not _are_alike(columns[at], own[at])]
    if unlike:
        raise file.columns.refused(file.source.path, [place, *unlike], "the prediction")
    return True


def _are_alike(one: TagColumn, two: TagColumn) -> bool:
    """Whether two columns have the same tags, or many of them."""
    return one.equals(two) or bool(two.labels) and one.resembles(two)


def _with_gold_column(
    source: Source, columns: FileColumns, place: int, same: Sequence[str] | None, ranked: bool
) -> Source:
    """The source of gold with its column; `same` are the files that have copies of it."""
    name = _name_of(columns, place)
    if name is None or len(columns.tags) < 2:
        return replace(source, layer=name)
    paths = [path for path in dict.fromkeys(same or ()) if path != source.path]
    them = f"{len(paths)} other files" if len(paths) > LISTED else " and ".join(paths)
    why = ", by its labels" if same is None else f" (the same in {them})" if paths else ""
    rest = "the last column of each file is a system" if ranked else "its last column is not used"
    remark = f"Gold is column {place} of {source.path}{why}; {rest}."
    return replace(source, layer=name, remark=remark)


def _name_of(columns: FileColumns, place: int) -> str | None:
    """The name of a column in the first line, or its number; None of the last one."""
    names = columns.names
    if place == columns.width - 1:
        return None
    return names[place] if names and names.count(names[place]) == 1 else str(place)


def columns_beside(source: Source) -> tuple[int | str, int]:
    """The columns of gold and the prediction in one file, where none is named: its two of tags."""
    columns = columns_of(source)
    if columns is None or len(columns.tags) < 2:
        return -2, -1
    places = [*columns.tags]
    gold = columns.names.index(GOLD) if columns.names and GOLD in columns.names else None
    left = [at for at in places if at != gold]
    if gold is None:
        last = columns.tags[left[-1]]
        rivals = [at for at in left if columns.tags[at].shares_labels(last)]
        left = rivals if len(rivals) > 1 else left[-2:]
        gold = left.pop(0)
    if len(left) > 1:
        advice = f"--column {gold} --pred-column {left[0]}"
        raise columns.refused(source.path, [gold, *left], "gold, and which the prediction", advice)
    return (GOLD if columns.names and GOLD in columns.names else gold), left[0]


def with_gold_name(source: Source) -> Source:
    """The source with the column that a first line calls gold, unless one is named."""
    is_open = source.layer is None and not source.reading.column
    names = header_names(source.files[0]) if is_open and _is_conll(source) else None
    return replace(source, layer=GOLD) if names and GOLD in names else source


def check_one_column(
    source: Source, token: int | str | None = None, name: str = "{path}#{places}"
) -> None:
    """Raise FormatError for a source of which several columns may be meant, and none is named.

    `name` is how one is named.
    """
    if source.layer is not None or source.reading.column:
        return
    columns = columns_of(source, token)
    if columns and len(places := columns.rivals()) > 1:
        raise columns.refused(source.path, places, "meant", name)


def nested_columns(gold: Source) -> str | None:
    """The columns of gold, if several were named: those of predictions of which none is named."""
    named = str(gold.reading.column or gold.layer)
    return named if gold.format == "conll" and "," in named else None


def columns_of(source: Source, token: int | str | None = None) -> FileColumns | None:
    """The columns of a source; None of other formats, and of files that cannot be read."""
    try:
        options = {"token": source.reading.token_column or token}
        return file_columns(source.files, options) if _is_conll(source) else None
    except FormatError:  # which reading it will meet, too
        return None


def _is_unusual(source: Source) -> bool:
    """Whether anything else than the last column of a source may be meant."""
    try:
        return _is_conll(source) and only_last_has_tags(source.files[0]) is False
    except FormatError:  # which reading it will meet, too
        return False


def _is_conll(source: Source) -> bool:
    """Whether all files of a source are CoNLL, and none is a pipe."""
    is_conll = source.format == "conll" and source.can_be_read_again
    return is_conll and all(source.format_of(file) == "conll" for file in source.files)
