"""Which columns of CoNLL files are gold and the prediction, where none are named: content decides.

A file with one column of tags has no choice. Of several, gold is the one of which all predictions
have a copy beside a column of their own, else the one whose labels they share; the prediction is
the one that shares its labels and is no copy. Several that are left are an error. One file alone
is compared by its last two columns of tags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..formats.conll_columns import (
    FileColumns,
    TagColumn,
    columns_at,
    file_columns,
    header_names,
)
from ..formats.errors import FormatError
from ..measures.words import begin_alike
from .sources import Source

Choices: TypeAlias = Mapping[int, TagColumn]
GOLD = "gold"  # names of columns in a first line


def with_columns(
    gold: Source, others: Sequence[Source], *, ranked: bool = False
) -> tuple[Source, list[Source]]:
    """Gold and predictions with their columns as `layer`, and a remark where there is a choice.

    Sources with a column are left as they are. Files that cannot be read are passed over, as
    reading them says why; those with other tokens than gold's say nothing about gold, if any have
    the same.

    Parameters
    ----------
    ranked : bool
        Whether the prediction in gold's own file is a system, too: the last of those returned.
    """
    gold = with_gold_name(gold)
    if not any(map(_is_unusual, (gold, *others))):
        return gold, [*others]
    columns = columns_of(gold)
    files = [(one, columns_of(one)) for one in others]
    known = [(one, its) for one, its in files if its or one.format != "conll"]
    if files and not known:
        return gold, [*others]
    own = _choices(gold, columns)
    place, is_copied = None, False
    if columns and own:
        words = columns.words
        alike = [(one, its) for one, its in known if its and begin_alike(words, its.words)] or known
        # a last column of O alone, of a system that found nothing, tells nothing, but for a copy of
        # gold's last column beside it
        last_tags = columns.tags[max(own)]
        telling = [
            (one, its)
            for one, its in alike
            if not its
            or its.tags[max(its.tags)].labels
            or (last_tags.labels and last_tags.copies_in(its.tags))
        ]
        place, is_copied = _gold_place(gold, columns, telling)
    preds = [_with_pred_column(one, its, gold, columns, place) for one, its in files]
    if ranked and len(preds) > 1:  # of many the last columns are not remarkable
        preds = [one if one.layer is not None else replace(one, remark="") for one in preds]
    if place is None or columns is None or gold.layer is not None:
        return gold, preds
    last = max(own)
    if ranked and is_copied and place != last and gold.path not in [one.path for one in others]:
        theirs = replace(gold.reading.without("repair", "misaligned"), role="pred")
        preds.append(replace(gold, reading=theirs, layer=_name_of(columns, last)))
    name = _name_of(columns, place)
    if name is None or len(columns.tags) < 2:
        return replace(gold, layer=name), preds
    why = " (which the other files have, too)" if is_copied else ", by its labels"
    rest = "" if ranked else "; its last column is not used"
    remark = f"Gold is column {place} of {gold.path}{why}{rest}."
    return replace(gold, layer=name, remark=remark), preds


def _choices(source: Source, columns: FileColumns | None) -> Choices:
    """The columns that may be meant: the one that is named, or all but the one called gold."""
    if columns is None:
        return {}
    if source.layer is not None:
        place = columns.place_of(source.layer)
        return {at: one for at, one in columns.tags.items() if at == place}
    names = columns.names
    return {at: one for at, one in columns.tags.items() if not names or names[at] != GOLD}


def _gold_place(
    gold: Source, columns: FileColumns, others: Sequence[tuple[Source, FileColumns | None]]
) -> tuple[int, bool]:
    """(the column that is gold, whether the others have copies of it)."""
    own = _choices(gold, columns)
    some = [(_choices(one, its), one.layer, its.tags if its else {}) for one, its in others]
    copied, shared, met = [], [], []
    for at, column in own.items():
        beside, shares = [], []  # of each file
        for choices, layer, tags in some:
            named = choices if layer is not None else {}
            copies = column.copies_in({key: one for key, one in tags.items() if key not in named})
            further = [one for key, one in choices.items() if key not in copies[:1]]
            # levels of nested spans may be copies, too, but hardly ever resemble another
            beside.append(bool(copies) and any(map(column.resembles, further)))
            own_tags = [one for one in choices.values() if not one.equals(column)]
            if len(choices) < 2:
                own_tags = [*choices.values()]
            shares.append(not choices or any(map(column.shares_labels, own_tags)))
        if some and all(beside) and column.labels and not columns.names:
            copied.append(at)
        if all(shares):
            shared.append(at)
        if all(any(map(column.shares_labels, choices.values())) for choices, *_ in some if choices):
            met.append(at)
    left = [*own] if len(own) < 2 else columns.rivals(copied or shared or own)
    if not copied and not shared:  # a prediction may be equal to gold
        left = [at for at in left if at in met] or left
    if not all(own[at].equals(own[left[0]]) for at in left):
        raise columns.refused(gold.path, left, "gold")
    return left[0], left[0] in copied


def _with_pred_column(
    source: Source,
    columns: FileColumns | None,
    gold: Source,
    beside: FileColumns | None,
    place: int | None,
) -> Source:
    """The source of a prediction with the column that is no copy of gold, and shares its labels."""
    own = _choices(source, columns)
    if columns is None or not own or source.layer is not None:
        return source
    copies: Sequence[int] = []
    left, why = [*own], ", by its labels"
    if place is not None and beside is not None:
        levels, reference = beside.tags, beside.tags[place]
        copies = reference.copies_in(own)
        rest = [at for at in own if at not in copies]
        alike = [at for at in rest if reference.shares_labels(own[at])]
        new = [at for at in rest if not any(map(own[at].equals, levels.values()))]
        if not any(own[at].labels or at not in levels or levels[at].labels for at in alike):
            alike = []  # levels that are empty in both files
        # a copy behind chunks alone is a prediction equal to gold; beside a column that looks like
        # it, with other labels, it is gold: that column would be the prediction
        of_phrases = all(
            own[at].is_sparse != reference.is_sparse or 2 * own[at].n_outside <= reference.n_outside
            for at in new
        )
        last = copies if copies and copies[-1] == max(own) and of_phrases else []
        left = alike or last or new or copies or rest
        unlike = [at for at in alike if copies and not reference.resembles(own[at])]
        is_meant = place in own
        if beside.names:
            is_meant = is_meant and beside.names[place] in (columns.names or ())[place:][:1]
        elif (
            is_meant := is_meant
            and columns.width == beside.width
            and gold.layer is not None
            and (place not in copies or unlike == alike)
        ):
            # others have to be levels of nested spans, or the copy would be gold itself
            odd = [at for at in unlike if at not in levels or not levels[at].resembles(own[at])]
            if odd:
                raise columns.refused(source.path, [place, *odd], "the prediction")
        if is_meant:
            copies, left, why = [], [place], ", as of gold"
    left = left if copies else columns.rivals(left)
    chosen = left[-1]
    if not all(own[at].equals(own[chosen]) for at in left):
        raise columns.refused(source.path, left, "the prediction")
    if chosen == place and chosen in copies and beside and beside.width == columns.width:
        # both may be phrases, and the prediction in a column that differs
        levels = {at: one for at, one in beside.tags.items() if one.labels}
        odd = [at for at, one in levels.items() if at not in own or not one.equals(own[at])]
        if odd and not columns.names:
            raise beside.refused(gold.path, sorted([chosen, *odd]), "meant")
    name = _name_of(columns, chosen)
    if len(own) > 1 and not own[chosen].labels:
        name = name or str(chosen)  # its reader would take a column with labels
    same = " and ".join(str(at) for at in copies if at != chosen)
    why = f"; {same} is gold's" if same else why
    by_name = columns.names and beside and beside.names == columns.names and gold.layer is not None
    is_said = len(own) > 1 and bool(same or name) and not (by_name and chosen == place)
    remark = f"The prediction is column {chosen} of {source.path}{why}." if is_said else ""
    return replace(source, layer=name, remark=remark)


def _name_of(columns: FileColumns, place: int) -> str | None:
    """The name of a column in the first line, or its number; None of the last one."""
    names = columns.names
    if place == columns.width - 1:
        return None
    return names[place] if names and names.count(names[place]) == 1 else str(place)


def columns_beside(source: Source) -> tuple[int | str, int, str]:
    """The columns of gold and the prediction in one file, where none is named, and a remark.

    They are its last two columns of tags. The remark names others with the labels of the last.
    """
    columns = columns_of(source)
    if columns and len(columns.tags) == 1:
        (place,) = columns.tags
        if place == columns.token + 1 or place < columns.width - 1:
            what = "one column of tags alone; name a file or column to compare with"
            raise FormatError(what, source.path)
    if columns is None or len(columns.tags) < 2:
        return -2, -1, ""
    places = [*columns.tags]
    if columns.names and GOLD in columns.names:
        gold = columns.names.index(GOLD)
        pred, *others = (at for at in places if at != gold)
        if others:
            advice = f"{source.path}#{gold} {source.path}#{pred}"
            raise columns.refused(source.path, [pred, *others], "the prediction", advice)
        return GOLD, pred, ""
    last = columns.tags[places[-1]]
    rivals = [at for at in places if columns.tags[at].shares_labels(last)]
    gold, pred = (rivals if len(rivals) > 1 else places)[-2:]
    if len(rivals) < 3:
        return gold, pred, ""
    remark = (
        f"Gold is column {gold} of {source.path}, and the prediction column {pred}: its last two. "
        f"Column {rivals[0]} has such tags, too; for others name both: {source.path}#{rivals[0]} "
        f"{source.path}#{pred}."
    )
    return gold, pred, remark


def with_gold_name(source: Source) -> Source:
    """The source with the column that a first line calls gold, unless one is named."""
    is_open = source.layer is None and not source.reading.column
    names = header_names(source.files[0]) if is_open and _is_conll(source) else None
    return replace(source, layer=GOLD) if names and GOLD in names else source


def check_one_column(source: Source) -> None:
    """Raise FormatError for a source of which several columns may be meant, and none is named."""
    if source.layer is not None or source.reading.column:
        return
    columns = columns_of(source)
    if columns and len(places := columns.rivals()) > 1:
        raise columns.refused(source.path, places, "meant")


def nested_columns(gold: Source) -> str | None:
    """The columns of gold, if several were named: those of predictions of which none is named."""
    named = str(gold.reading.column or gold.layer)
    return named if gold.format == "conll" and "," in named else None


def columns_of(source: Source) -> FileColumns | None:
    """The columns of a source; None of other formats, and of files that cannot be read."""
    try:
        token = source.reading.token_column
        return file_columns(source.files, token) if _is_conll(source) else None
    except FormatError:  # which reading it will meet, too
        return None


def _is_unusual(source: Source) -> bool:
    """Whether anything else than the last column of a source may be meant."""
    try:
        columns = columns_at(source.files[0]) if _is_conll(source) else None
        return columns is not None and [*columns.tags] != [columns.width - 1]
    except FormatError:  # which reading it will meet, too
        return False


def _is_conll(source: Source) -> bool:
    """Whether all files of a source are CoNLL, and none is a pipe."""
    is_conll = source.format == "conll" and source.can_be_read_again
    return is_conll and all(source.format_of(file) == "conll" for file in source.files)
