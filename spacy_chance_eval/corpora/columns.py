"""Which column of a CoNLL file is gold, where none is named and there are predictions, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from ..formats.conll_columns import FileColumns, file_columns
from ..formats.conll_lines import header_names, places_of, read_chunks, width_of
from ..formats.errors import FormatError
from .sources import Source

GOLD = "gold"  # names of columns in a first line
LISTED = 3  # files of a sentence


def with_gold_column(
    gold: Source, others: Sequence[Source], *, token: int | str | None = None, ranked: bool = False
) -> Source:
    """The source of gold with its column as `layer`, and a remark, unless that is the last one.

    A first line that calls a column "gold" decides. Else tags do. *Rivals* of the last column are
    the columns of tags before it that have a label, but not base phrases beside other labels:
    of CoNLL-2003 (`token POS chunk entity`) the chunks are no rival. Without rivals, columns of O
    alone may be gold that has no spans.

    | the last column of gold | the other files, of the same tokens | gold |
    | --- | --- | --- |
    | has no rival, or has no tags | any | the last |
    | has rivals | all have the first rival, beside the column of their system | the first rival |
    | has rivals | all have another rival, or the last column, beside it | that column |
    | has rivals | some have none of these, or no columns | an error |
    | has rivals | there are none: only pipelines | an error |
    | has rivals | there are none: all have other tokens, and are not compared | the last |
    | has none, but columns of O alone | all have one of these, beside their system's | an error |
    | has none, but columns of O alone | some do not | the last, with a remark |

    Files that cannot be read are passed over, as reading them says why.

    Parameters
    ----------
    gold : Source
        CoNLL, of which no column was named. Pipes, and folders that hold other
        formats, too, are left as they are.
    others : sequence of Source
        Predictions; `layer` is the column of the system, by default the last one.
    token : int or str, optional
        Column of the tokens, of files that do not say theirs.
    ranked : bool
        Whether the predictions in gold's own file are a system, too.

    Raises
    ------
    FormatError
        If nothing tells which column is gold; with what to write.
    """
    if not gold.can_be_read_again or any(gold.format_of(file) != "conll" for file in gold.files):
        return gold  # a pipe, or a folder with other formats
    header = header_names(gold.files[0])
    if header is not None and GOLD in header:
        return replace(gold, layer=GOLD)
    first, separator = gold.files[0], gold.options.get("separator")
    if not others or width_of(first, read_chunks(first), separator) < 3:
        return gold
    mine = file_columns(gold.files, _options(gold, token))
    last = mine.width - 1
    rivals = mine.rivals()
    empty = [place for place, one in mine.tags.items() if not one.labels and place != last]
    if last not in mine.tags or not (rivals or empty):
        return gold
    files = [one for one in others if not one.is_pipeline]
    alike = list(_files_alike(files, token, mine))
    if files and not alike or not (files or rivals):
        return gold
    references = [_references(one, columns) for one, columns in alike]

    def is_shared(place: int) -> bool:
        """Whether all other files have the column beside that of their system."""
        return bool(references) and all(mine.tags[place].digest in one for one in references)

    for place in (*rivals, last):
        if is_shared(place):
            if place == last:
                return gold
            remark = _remark(gold, place, [one for one, _ in alike], ranked)
            return replace(gold, layer=str(place), remark=remark)
    if not rivals and not any(map(is_shared, empty)):
        remark = f"Gold is column {last} of {gold.path}, the last one; column {empty[0]} is all O."
        return replace(gold, remark=remark)
    _refuse_rivals(gold.path, rivals or empty, last)


def with_only_column(source: Source, token: int | str | None = None) -> Source:
    """The source of one annotator with its column as `layer`, if the first line calls it gold.

    Parameters
    ----------
    source : Source
        Of any format; one with a column is left as it is.
    token : int or str, optional
        Column of the tokens.

    Raises
    ------
    FormatError
        If several columns have tags, and nothing tells which one is meant; with what to write.
    """
    chosen = source.layer is not None or source.options.get("columns")
    if source.format != "conll" or chosen or not source.can_be_read_again:
        return source
    named = with_gold_column(source, [])
    if named.layer is None and all(source.format_of(file) == "conll" for file in source.files):
        columns = file_columns(source.files, _options(source, token))
        if rivals := columns.rivals():
            _refuse_rivals(source.path, rivals, columns.width - 1)
    return named


def _refuse_rivals(path: str, rivals: Sequence[int], last: int) -> NoReturn:
    """Raise for columns of tags of which each may be gold."""
    places = (*rivals, last)
    raise FormatError(
        f"columns {' and '.join(map(str, places))} have tags (counted from 0), and nothing tells "
        f"which of them is gold; name it: {path}#{rivals[0]}; or all, if they are levels of nested "
        f"spans: {path}#{','.join(map(str, places))}",
        path,
    )


def nested_columns(gold: Source) -> str | None:
    """The columns of gold, if several were named: those of predictions of which none is named."""
    columns = gold.options.get("columns") or {"gold": gold.layer}
    named = str(columns["gold"])
    return named if gold.format == "conll" and "," in named else None


def gold_column_beside(source: Source) -> int | str:
    """The column of gold in a file that has a prediction in its last one, where none is named.

    The one that the first line calls gold; else the last but one, as in conlleval.

    Raises
    ------
    FormatError
        If further columns have tags, and nothing tells which two to compare.
    """
    if not source.can_be_read_again:
        return -2
    first, separator = source.files[0], source.options.get("separator")
    header = header_names(first) or []
    if width_of(first, read_chunks(first), separator) > 3:
        columns = file_columns(source.files, _options(source, None))
        last = columns.width - 1
        gold = header.index(GOLD) if GOLD in header else last - 1
        tagged = sorted({*columns.rivals(), gold, last})
        if len(tagged) > 2 or gold == last:
            gold = gold if GOLD in header else tagged[0]
            pred = next(place for place in tagged if place != gold)
            raise FormatError(
                f"columns {', '.join(map(str, tagged))} have tags (counted from 0), and nothing "
                f"tells which two to compare; name them: --column {gold} "
                f"--pred-column {pred}",
                source.path,
            )
    return GOLD if GOLD in header else -2


def with_last_column(source: Source) -> Source:
    """The source of one of several annotators, with a remark if it has columns that are not read.

    Files that cannot be read are left as they are, as reading them says why.
    """
    try:
        found = unread_columns(source, f"{source.path}#N reads column N")
    except FormatError:
        return source
    return replace(source, remark=f"{found[0]}.") if found else source


def unread_columns(source: Source, advice: str = "--column") -> list[str]:
    """A sentence about columns that may be gold as well as the last one, which is read.

    `advice` is how another one is named.
    """
    chosen = source.layer is not None or source.options.get("columns")
    if source.format != "conll" or chosen or not source.can_be_read_again:
        return []
    first, separator = source.files[0], source.options.get("separator")
    if width_of(first, read_chunks(first), separator) < 3:
        return []
    if any(source.format_of(file) != "conll" for file in source.files):
        return []
    columns = file_columns(source.files, _options(source, None))
    places = ", ".join(map(str, columns.rivals()))
    last = columns.width - 1
    sentence = f"Column {last} of {source.path}, the last one, was read; {places} ha"
    one = len(columns.rivals()) == 1
    return [f"{sentence}{'s' if one else 've'} tags, too: {advice}"] if places else []


def _files_alike(
    sources: Iterable[Source], token: int | str | None, gold: FileColumns
) -> Iterator[tuple[Source, FileColumns | None]]:
    """The sources that have the tokens of gold, with their columns; those of other formats may."""
    for source in sources:
        if source.format != "conll" or not source.can_be_read_again:
            yield source, None
            continue
        try:
            columns = file_columns(source.files, _options(source, token))
        except FormatError:  # which reading it will meet, too
            continue
        if columns.words == gold.words:
            yield source, columns


def _options(source: Source, token: int | str | None) -> dict[str, Any]:
    """The options for the reader of a source."""
    return {"token": token, **source.options}


def _references(source: Source, columns: FileColumns | None) -> set[bytes]:
    """Digests of the columns of tags that are not the system's."""
    if columns is None:
        return set()
    path = source.files[0]
    places = places_of(path, source.layer or "-1", columns.width, header_names(path))
    return {one.digest for at, one in columns.tags.items() if at not in places}


def _remark(gold: Source, place: int, others: Sequence[Source], ranked: bool) -> str:
    """The remark about a column that was found to be gold."""
    paths = list(dict.fromkeys(one.path for one in others if one.path != gold.path))
    same = f"{len(paths)} other files" if len(paths) > LISTED else " and ".join(paths)
    same = f" (the same in {same})" if paths else ""
    rest = "the last column of each file is a system"
    if not ranked:
        rest = "its last column is not used"
    return f"Gold is column {place} of {gold.path}{same}; {rest}."
