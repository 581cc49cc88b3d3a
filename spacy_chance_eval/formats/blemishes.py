"""`--on-error`: whether a blemish stops a reader, or costs its own document.

Mistakes are met deep inside the readers. The policy therefore is a context, as in `decimal`:
`reading` opens it around a reader, which asks it through `leave_out`. Without a context, or with
the policy "stop", a mistake is an error. What is left out is a whole document: a row of JSON, a
file of a folder, a sentence of a column file or of a treebank.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Any

import numpy as np

from .corpus import Corpus, Document, all_letters
from .documents import joined_tables, table_of
from .errors import FormatError, NotInBlocksError, Problem, known, raise_first
from .files import Excerpt
from .notes import DOCUMENTS, FILES, UNITS, Kind, Notes, Place, add_notes, note

STOP, SKIP = "stop", "skip"


@dataclass(eq=False)
class Blemishes:
    """The documents of a file that were left out so far.

    Parameters
    ----------
    path : object
        The file, or an `Excerpt` of one that is read in blocks.
    found : list of (path, Problem)
    documents : list of int
        Places, among the documents of the file, of those that were left out.
    """

    path: object
    found: list[tuple[str, Problem]] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)

    def notes(self, n_left: int, unit: str = DOCUMENTS) -> Notes:
        """Notes on the documents left out, beside the number of documents or sentences."""
        kinds: dict[Kind, list[Place]] = {}
        for path, problem in sorted(self.found, key=lambda one: one[1].place):
            place = Place(path, problem.place or None, problem.found)
            kinds.setdefault(Kind(unit, problem.advice), []).append(place)
        notes = add_notes(note(kind, places) for kind, places in kinds.items())
        return replace(notes, sizes={unit: n_left})


_blemishes: ContextVar[Blemishes | None] = ContextVar("blemishes", default=None)


@contextmanager
def reading(path: object, on_error: str) -> Iterator[Blemishes | None]:
    """A block in which a file is read with a policy: the blemishes, None if these are errors."""
    skips = known(on_error, (STOP, SKIP), "value of on_error") == SKIP
    found = Blemishes(path) if skips else None
    token = _blemishes.set(found)
    try:
        yield found
    finally:
        _blemishes.reset(token)


def blemishes() -> Blemishes | None:
    """The blemishes of the file that is being read; None if a blemish is an error."""
    return _blemishes.get()


def leave_out(path: object, problems: Collection[Problem], places: Collection[int] = ()) -> None:
    """Leave out documents with problems, or raise a `FormatError` for all of them.

    `places` are those of the documents among all that were not left out before.
    """
    if (found := blemishes()) is None:
        raise_first(path, problems)
        return
    found.found += ((str(path), problem) for problem in problems)
    before = {*found.documents}
    rest = (place for place in count() if place not in before)
    kept = list(islice(rest, max(places, default=-1) + 1))
    found.documents += (kept[place] for place in places)


def leave_out_document(path: object, error: FormatError, place: int) -> None:
    """Leave out a document that cannot be read, at a place of the whole corpus, or raise."""
    if (found := blemishes()) is None:
        raise error
    found.found.append((error.path or str(path), problem_in(error)))
    found.documents.append(place)


def sound_file(read: Callable[[Any], Corpus], unit: str, path: object) -> Corpus:
    """The corpus `read(path)`; without documents if it cannot be read, which its notes say.

    `unit` is what the file is: one of the documents, or one of the files.
    """
    try:
        corpus = read(path)
    except FormatError as error:
        found = Blemishes(path, [(error.path or str(path), problem_in(error))])
        skipped = (0,) if unit == DOCUMENTS else ()
        return Corpus(str(path), (), notes=found.notes(0, unit), skipped=skipped)
    sizes = {unit: 1} if unit == FILES else {}
    return replace(corpus, notes=corpus.notes + Notes(sizes=sizes))


def problem_in(error: FormatError) -> Problem:
    """The mistake that an error is about."""
    found, _, advice = str(error.args[0]).removesuffix(".").partition("; ")
    return Problem(error.line or 0, found, advice or found)


def check_left(path: object, n_left: int, message: str = "no documents") -> None:
    """Raise if no documents are left of a file, or of a part of it."""
    if n_left:
        return
    found = blemishes()
    if found is not None and isinstance(found.path, Excerpt):
        raise NotInBlocksError("a part of the file without documents", path)
    if found is not None and found.found:
        first = found.found[0][0]
        raise_first(first, [problem for own, problem in found.found if own == first])
    raise FormatError(message, path)


def with_blemishes(corpus: Corpus, found: Blemishes | None) -> Corpus:
    """The corpus with notes of everything that was left out of its file."""
    if found is None:
        return corpus
    if found.found:
        check_left(found.path, len(corpus.documents))
    notes = corpus.notes + found.notes(len(corpus.documents))
    return replace(corpus, notes=notes, skipped=tuple(sorted({*found.documents})))


def check_share(notes: Notes, path: object) -> None:
    """Raise if more than half of a file was left out: it probably is of another format."""
    for unit in UNITS:
        n_skipped, n = notes.skipped(unit)
        if 2 * n_skipped > n:
            kind = max((one for one in notes.blemishes if one.unit == unit), key=notes.count)
            first = notes.places[kind][0]
            raise FormatError(
                f"{n_skipped:,} of {n:,} {unit} would be left out: {first.what}; {kind.advice}",
                first.path or path,
                first.line,
            )


def completed(gold: Corpus, pred: Corpus, layer: str = "") -> Corpus:
    """The prediction with the documents of gold, where blemished ones were left out of either.

    A document that the prediction left out is there without annotation; one that gold left out is
    not there. Documents have their partners by name, else by text if each is there once and gold
    has all of the prediction (blocks are in order), else by place. `layer` is that of predictions,
    which no document of a block may have.
    """
    if not (gold.skipped or pred.skipped):
        return pred
    named = gold.table.has_names_of_their_own and pred.table.has_names_of_their_own
    mine: Sequence[Any]
    theirs: Sequence[Any]
    mine, theirs = (one.names() if named else all_letters(one) for one in (gold, pred))
    unique = all(len({*texts}) == len(texts) for texts in (mine, theirs))
    if not named and not (gold.first is None and unique and {*theirs} <= {*mine}):
        if gold.n_in_file != pred.n_in_file:
            return pred
        mine, theirs = gold.places, pred.places
    at = {key: place for place, key in enumerate(mine)}
    kept = [place for place, key in enumerate(theirs) if key in at]
    lacking = [at[key] for key in at.keys() - {*theirs}]
    if len(theirs) - len(kept) > len(gold.skipped) or len(lacking) > len(pred.skipped):
        return pred
    nothing = dict.fromkeys([*pred.layer_names, *filter(None, [layer])])
    unseen = []
    for one in (gold.documents[place] for place in lacking):
        words, text, sents = one.words, one.text, one.sents
        if gold.positions != pred.positions:
            text = " ".join(words) if text is None else text
            words, sents = text.split() if pred.positions == "token" else (), ()
        unseen.append(Document(words, nothing, one.name, sents, text=text, size=one.size))
    table = pred.table.taken(np.array(kept, np.int64))
    if unseen:
        table = joined_tables([table, table_of(unseen, pred.positions)])
    order = np.argsort([*(at[theirs[place]] for place in kept), *lacking])
    return replace(pred, documents=table.taken(order), skipped=())


def all_completed(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Corpora whose documents have their partners by place, each with those it left out."""
    sizes = {one.n_in_file for one in corpora}
    if len(sizes) > 1 or not any(one.skipped for one in corpora):
        return [*corpora]
    found: dict[int, Document] = {}
    for one in corpora:
        found |= zip(one.places, one.documents)
    places = sorted(found)
    left_out = tuple(place for place in range(sizes.pop()) if place not in found)
    documents = [found[place] for place in places]
    team = replace(corpora[0], documents=documents, skipped=left_out)
    return [completed(team, one) for one in corpora]
