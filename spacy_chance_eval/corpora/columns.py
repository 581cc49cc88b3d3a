"""Which columns of CoNLL files are gold and the prediction, where none are named: content decides.

1. A file with one column of tags: that one. Columns of O alone are passed over unless they are the
   last, and so are base phrases beside other labels.
2. A column of gold that all predictions have, too, beside one of their own, is gold, and their
   copies of it are no predictions.
3. Of several columns, the one whose labels gold and prediction share.

One file alone is compared by its two columns of tags. What this does not decide is an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ..formats.conll_columns import FileColumns, TagColumn, file_columns
from ..formats.conll_lines import header_names, place_of, read_chunks, width_of
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
        """The columns that may be meant: the one that is named, or all candidates."""
        source, columns = self
        if columns is None:
            return {}
        names = header_names(source.files[0])
        if source.layer is not None:
            place = place_of(source.path, source.layer, columns.width, names)
            return {at: one for at, one in columns.tags.items() if at == place}
        gold = names.index(GOLD) if names and GOLD in names else None
        return {at: one for at, one in columns.candidates.items() if at != gold}

    def has_copy(self, column: TagColumn) -> bool:
        """Whether a prediction has a column of gold beside one of its own."""
        columns = self.columns.candidates if self.columns else {}
        named = self.choices() if self.source.layer is not None else {}
        rest = {at: one for at, one in columns.items() if at not in named}
        return bool(column.copies_in(rest)) and len(rest) + len(named) > 1


def with_columns(
    gold: Source, others: Sequence[Source], *, token: int | str | None = None, ranked: bool = False
) -> tuple[Source, list[Source]]:
    """Gold and predictions with their columns as `layer`, and a remark, unless these are the last.

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
    if not any(one.layer is None and is_wide(one) for one in (gold, *others)):
        return gold, [*others]
    mine, *files = (_File(one, columns_of(one, token)) for one in (gold, *others))
    known = [one for one in files if one.columns or not _is_conll(one.source)]
    if files and not known:
        return gold, [*others]
    words = mine.columns and mine.columns.words
    alike = [one for one in known if not one.columns or one.columns.words == words] or known
    own = mine.choices()
    copied = [at for at, one in own.items() if alike and all(two.has_copy(one) for two in alike)]
    place = _gold_place(own, copied, [one.choices() for one in alike])
    if own and place is None:
        assert mine.columns is not None
        raise mine.columns.refused(gold.path, own, "gold")
    found = [_with_pred_column(one, mine, place) for one in files]
    if place is None or mine.columns is None or gold.layer is not None:
        return gold, found
    last = mine.columns.width - 1
    if ranked and place in copied and place != last and gold.path not in [x.path for x in others]:
        found.append(replace(gold, role="pred"))
    same = [one.source.path for one in alike] if place in copied else None
    return _with_gold_column(gold, mine.columns, place, same, ranked), found


def _gold_place(own: Choices, copied: Sequence[int], others: Sequence[Choices]) -> int | None:
    """The column that is gold; None if nothing tells."""
    if len(own) < 2 or len(copied) == 1:
        return next(iter(copied or own), None)
    digests = [one.digest for one in own.values()]
    if len(own) == 2 and all([one.digest for one in some.values()] == digests for some in others):
        return copied[0] if copied else None  # the same file, which is compared as one alone
    shared = [
        at for at, one in own.items()
        if others and all(any(map(one.shares_labels, some.values())) for some in others)
    ]  # fmt: skip
    if copied or len(shared) != 1:
        return None
    # a prediction that equals a column beside others: gold's file may have copied it
    return None if any([*some.values()] == [own[shared[0]]] for some in others) else shared[0]


def _with_pred_column(file: _File, gold: _File, place: int | None) -> Source:
    """The source of a prediction with the column that is no copy of gold, and shares its labels."""
    (source, columns), own = file, file.choices()
    if columns is None or not own:
        return source
    left = own
    reference = gold.choices()[place] if place is not None else None
    copies = reference.copies_in(own) if reference else []
    if reference is not None:
        left = {at: one for at, one in own.items() if at not in copies} or own
        if len(left) > 1:
            left = {at: one for at, one in left.items() if reference.shares_labels(one)}
    if len({one.digest for one in left.values()}) != 1:
        raise columns.refused(source.path, left or own, "the prediction")
    chosen = max(left)
    if reference and gold.source.layer is None and not reference.shares_labels(left[chosen]):
        assert gold.columns is not None
        tags = gold.columns.tags
        if any(one.labels and one.shares_labels(left[chosen]) for one in tags.values()):
            raise gold.columns.refused(gold.source.path, tags, "gold")
    if source.layer is not None or chosen == columns.width - 1:
        return source
    why = f"; {' and '.join(map(str, copies))} is gold's" if copies else ", by its labels"
    remark = f"The prediction is column {chosen} of {source.path}{why}."
    return replace(source, layer=_name_of(source, chosen), remark=remark)


def _with_gold_column(
    source: Source, columns: FileColumns, place: int, same: Sequence[str] | None, ranked: bool
) -> Source:
    """The source of gold with its column; `same` are the files that have copies of it."""
    empty = [at for at, one in columns.tags.items() if not one.labels and at != place]
    if place == columns.width - 1:
        if same is not None or not empty:
            return source
        remark = (
            f"Gold is column {place} of {source.path}, the last one; column {empty[0]} is all O."
        )
        return replace(source, remark=remark)
    paths = [path for path in dict.fromkeys(same or ()) if path != source.path]
    them = f"{len(paths)} other files" if len(paths) > LISTED else " and ".join(paths)
    why = ", by its labels" if same is None else f" (the same in {them})" if paths else ""
    rest = "the last column of each file is a system" if ranked else "its last column is not used"
    remark = f"Gold is column {place} of {source.path}{why}; {rest}."
    return replace(source, layer=_name_of(source, place), remark=remark)


def _name_of(source: Source, place: int) -> str:
    """The name of a column in the first line, or its number."""
    names = header_names(source.files[0])
    return names[place] if names and names.count(names[place]) == 1 else str(place)


def columns_beside(source: Source) -> tuple[int | str, int]:
    """The columns of gold and the prediction in one file, where none is named: its two of tags."""
    if not is_wide(source) or (columns := columns_of(source)) is None:
        return -2, -1
    names = header_names(source.files[0]) or []
    own = columns.candidates
    places = [*(own if len(own) > 1 else columns.tags)]
    gold = names.index(GOLD) if GOLD in names else places[0] if places else None
    others = [at for at in places if at != gold]
    if len(others) > 1:
        advice = f"--column {gold} --pred-column {others[0]}"
        raise columns.refused(source.path, places, "gold, and which the prediction", advice)
    return (GOLD if GOLD in names else places[0], others[0]) if others else (-2, -1)


def with_gold_name(source: Source) -> Source:
    """The source with the column that a first line calls gold, unless one is named."""
    is_open = source.layer is None and not source.options.get("columns") and _is_conll(source)
    names = header_names(source.files[0]) if is_open else None
    return replace(source, layer=GOLD) if names and GOLD in names else source


def check_one_column(
    source: Source, token: int | str | None = None, name: str = "{path}#{places}"
) -> None:
    """Raise FormatError for a source of which several columns may be meant, and none is named.

    `name` is how one is named.
    """
    if source.layer is not None or source.options.get("columns") or not is_wide(source):
        return
    columns = columns_of(source, token)
    if columns and len(columns.candidates) > 1:
        raise columns.refused(source.path, columns.candidates, "meant", name)


def nested_columns(gold: Source) -> str | None:
    """The columns of gold, if several were named: those of predictions of which none is named."""
    columns = gold.options.get("columns") or {"gold": gold.layer}
    named = str(columns["gold"])
    return named if gold.format == "conll" and "," in named else None


def _is_conll(source: Source) -> bool:
    """Whether all files of a source are CoNLL, and none is a pipe."""
    is_conll = source.format == "conll" and source.can_be_read_again
    return is_conll and all(source.format_of(file) == "conll" for file in source.files)


def is_wide(source: Source) -> bool:
    """Whether a source is of CoNLL, with several columns that may have tags."""
    try:
        separator = source.options.get("separator")
        return (
            _is_conll(source) and width_of(source.path, read_chunks(source.files[0]), separator) > 2
        )
    except FormatError:  # which reading it will meet, too
        return False


def columns_of(source: Source, token: int | str | None = None) -> FileColumns | None:
    """The columns of a source; None of other formats, and of files that cannot be read."""
    try:
        options = {"token": token, **source.options}
        return file_columns(source.files, options) if _is_conll(source) else None
    except FormatError:  # which reading it will meet, too
        return None
