"""Answers of annotators, a row each, as documents with one layer for each annotator."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..measures.arrays import IntArray, distinct
from ..measures.messages import quoted
from .blemishes import ROWS, leave_out, made_of_rows
from .corpus import Corpus, Stretch, joined_layers
from .documents import ABSENT, SEEN, UNSEEN, DocumentTable, LayerTable
from .errors import ContentError, Problem
from .keys import Reading
from .notes import ANSWERS, Place, note
from .rows import brief

SAME_TEXT = "rows of one document need the same text and tokens: correct the row, or its id"
ONE_ANSWER = "keep one answer of each annotator to each document, or have "
# how several answers can be read, by whether they are equal
READ_ONCE = {
    False: "the last one read (--duplicates last)",
    True: "equal ones read as one (--duplicates merge)",
}
NAME_IT = "say in every row whose annotation it is, or leave the annotation out"
ONE_LAYER = "keep one layer in a row that names its annotator"
ONE_ANNOTATOR = (
    "keep the rows of one annotator in the file, or make each of them a layer "
    "(--annotator-field auto)"
)
SINGLE = "spans"  # the layer of the only annotator
# what is said of spans, and of whole documents
KINDS = (("layers", "missing_in", "unplaced", "features", "copies"), ("categories",))


class Answer(NamedTuple):
    """What a row says of the answer in it.

    `annotator` is None where nobody is named, `time` where none is known. An answer without
    annotation gives way to others of the annotator, unless it is `final`: a task was rejected.
    Rows are of one document if they have the same `document`; without that the same name, or
    without names the same tokens, or text.
    """

    annotator: str | None
    time: float | None = None
    final: bool = False
    document: Hashable = None


def annotator_of(row: Mapping[str, Any], key: str) -> str | None:
    """The annotator that a JSON object names under a key; None without a name."""
    found = row.get(key)
    if found is not None and type(found) is not int and (type(found) is not str or not found):
        raise ContentError(
            f"{quoted(key)} is {brief(found)}", "an annotator is a non-empty string or a number"
        )
    return found if found is None else str(found)


def merge_answers(
    corpus: Corpus, answers: Sequence[Answer], how: str = "merge", *, single: bool = False
) -> Corpus:
    """A corpus of rows as one of documents, with a layer for each annotator.

    Of several answers of an annotator to a document, equal ones are one. Of others the latest
    counts if all have a time; else they are an error. Attributes are kept that no two rows of a
    document contradict. Documents come in the order of their first rows.

    Parameters
    ----------
    corpus : Corpus
        Each row as a document, with at most one layer of spans and one of categories.
    answers : sequence of Answer
        Of each row. Rows without annotation need no annotator.
    how : "error", "merge", "last" or "keep"
        error: a second answer is one. last: the last answer in the file counts.
    single : bool
        Whether the file is that of one annotator: answers of several are an error, and the layer is
        "spans".
    """
    rows_of: dict[Hashable, list[int]] = {}
    for row, key in enumerate(_keys(corpus.table, answers)):
        rows_of.setdefault(key, []).append(row)
    if single and len(rows_of) == len(answers):
        return corpus
    merge = _Merge(corpus, answers, how, single)
    documents = merge.documents([*rows_of.values()])
    if any(one.document is None for one in answers):  # else a row of the file had several answers
        made_of_rows(len(documents))
    problems = merge.problems
    leave_out(corpus.path, [problems[row] for row in sorted(problems)], ROWS)
    names = corpus.table.all_names()
    left = [
        Place(corpus.path, merge.line(row), f"document {quoted(names[row])}" if names[row] else "")
        for row in sorted(merge.given_way - problems.keys())
    ]
    return replace(corpus, documents=documents, notes=corpus.notes + note(ANSWERS, left))


def join_answers(corpus: Corpus, answers: Sequence[Answer], reading: Reading) -> Corpus:
    """The corpus of rows that each have an answer of a named annotator, as `merge_answers`."""
    return merge_answers(corpus, answers, reading.duplicates or "merge")


def _keys(table: DocumentTable, answers: Sequence[Answer]) -> Iterator[Hashable]:
    """What rows of the same document have in common."""
    words = table.document_words() if None in table.all_names() else [()] * len(table)
    texts = table.column("text", None)
    for name, answer, tokens, text in zip(table.all_names(), answers, words, texts):
        if answer.document is not None:
            yield "document", answer.document
        elif name is not None:
            yield "name", name
        else:
            yield ("tokens", tokens) if tokens else ("text", text)


class _Merge:
    """Rows on their way to documents: what is wrong with some, and which have given way."""

    def __init__(self, corpus: Corpus, answers: Sequence[Answer], how: str, single: bool) -> None:
        self.table, self.answers, self.how, self.single = corpus.table, answers, how, single
        self.problems: dict[int, Problem] = {}
        self.given_way: set[int] = set()
        states = [one.state for one in self.table.layers.values()]
        found = np.array(states, np.int8).reshape(-1, len(answers))
        self.layer = found.argmax(axis=0) if states else np.zeros(len(answers), np.int64)
        self.labels = self.table.column("categories", {})
        # of each row, by kind
        self.states: tuple[list[int], ...] = (
            found.max(axis=0, initial=ABSENT).tolist(),
            [ABSENT if not one else UNSEEN if None in one.values() else SEEN
             for one in self.labels],
        )  # fmt: skip
        several = {*np.flatnonzero((found != ABSENT).sum(axis=0) > 1).tolist()}
        for row in several | {row for row, one in enumerate(self.labels) if len(one) > 1}:
            names = self.table[row].layers if row in several else self.labels[row]
            found_there = f"the layers {', '.join(map(repr, sorted(names)))} in one row"
            self.leave_out(row, found_there, ONE_LAYER)

    def line(self, row: int) -> int:
        """The line of a row."""
        found = self.table.column("lines", None)[row]
        return found[0] if found else 0

    def leave_out(self, row: int, found: str, advice: str) -> None:
        """Leave out a row."""
        self.problems[row] = Problem(self.line(row), found, advice)

    def chosen(self, kind: int, rows: Sequence[int]) -> dict[str, int]:
        """The rows of a document that count, by annotator."""
        state = self.states[kind]
        of: dict[str | None, list[int]] = {}
        for row in rows:
            if state[row] != ABSENT and row not in self.problems:
                of.setdefault(self.answers[row].annotator, []).append(row)
        last = {who: self.last(kind, who, own) for who, own in of.items()}
        seen = [row for row in last.values() if state[row] == SEEN]
        if self.single and last:
            for row in seen[1:]:
                where = f"in line {self.line(seen[0])}"
                self.leave_out(row, f"an answer beside that of another {where}", ONE_ANNOTATOR)
            return {SINGLE: (seen or [*last.values()])[0]}
        if None in last and last[None] in seen:
            self.leave_out(last[None], "an annotation without its annotator", NAME_IT)
        return {who: row for who, row in last.items() if who is not None}

    def last(self, kind: int, who: str | None, rows: list[int]) -> int:
        """The row that counts of those of one annotator."""
        state, answers = self.states[kind], self.answers
        own = [row for row in rows if state[row] == SEEN or answers[row].final] or rows[-1:]
        times = [answers[row].time for row in own]
        if None not in times and self.how != "error":
            latest = max(time for time in times if time is not None)
            self.given_way.update(row for row, time in zip(own, times) if time != latest)
            own = [row for row, time in zip(own, times) if time == latest]
        for row in own[1:] if self.how != "last" else ():
            equal = self.content(kind, row) == self.content(kind, own[0])
            if not equal or self.how == "error":
                what = f"a second, {'equal' if equal else 'other'} answer of {quoted(who)}"
                found = f"{what}, who also has one in line {self.line(own[0])}"
                self.leave_out(row, found, ONE_ANSWER + READ_ONCE[equal])
        own = [row for row in own if row not in self.problems]
        self.given_way.update(own[:-1])
        return own[-1]

    def content(self, kind: int, row: int) -> object:
        """What a row says, under whatever name of the layer."""
        one = self.table[row]
        return one.missing, [[*getattr(one, name).values()] for name in KINDS[kind]]

    def documents(self, groups: Sequence[list[int]]) -> DocumentTable:
        """The documents, each of a group of rows."""
        by_kind = [[self.chosen(kind, rows) for rows in groups] for kind in (0, 1)]
        empty = {row for row, two in enumerate(zip(*self.states)) if two == (ABSENT, ABSENT)}
        used = []
        for rows, *both in zip(groups, *by_kind):
            taken = empty.union(*(one.values() for one in both))
            used.append([row for row in rows if row in taken])
        shared = self.shared_columns(used)
        used = [[row for row in rows if row not in self.problems] for rows in used]
        spans, labels = (
            [{who: row for who, row in one.items() if row in rows}
             for one, rows in zip(some, used) if rows]
            for some in by_kind
        )  # fmt: skip
        used = [rows for rows in used if rows]
        table = self.table.taken(np.array([rows[0] for rows in used], np.int64))
        more = dict(table.more)
        for name, column in shared.items():
            givers = [next((row for row in rows if column[row]), rows[0]) for rows in used]
            shared[name] = [column[row] for row in givers]
            more |= {name: shared[name]} if name in more else {}
        for name, chosen in (("features", spans), ("copies", spans), ("categories", labels)):
            if (said_there := self.table.more.get(name)) is not None:
                more[name] = [
                    {who: said for who, row in one.items() for said in said_there[row].values()}
                    for one in chosen
                ]
        if (said_there := self.table.more.get("attributes")) is not None:
            more["attributes"] = [_common([said_there[row] for row in rows]) for rows in used]
        sents = [(n, start) for n, some in enumerate(shared["sents"]) for start in some]
        layers, missing = self.layers(spans, used)
        return replace(
            table,
            layers=layers,
            sents=np.array(sents, np.int64).reshape(-1, 2),
            missing=missing,
            more=more,
        )

    def shared_columns(self, used: Sequence[Sequence[int]]) -> dict[str, Sequence[Any]]:
        """What all rows of a document that say it have to agree in; others are left out."""
        sents: list[list[int]] = [[] for _ in self.answers]
        for row, start in self.table.sents.tolist():
            sents[row].append(start)
        columns: dict[str, Sequence[Any]] = {
            "words": [*self.table.document_words()],
            "text": self.table.column("text", None),
            "spaces": self.table.column("spaces", None),
            "sents": sents,
        }
        for name, column in columns.items():
            for rows in used:
                first, *others = [row for row in rows if column[row]] or [0]
                for row in others:
                    if column[row] != column[first]:
                        found = f"other {name} than line {self.line(first)} has"
                        self.leave_out(row, f"{found} for the same document", SAME_TEXT)
        return columns

    def layers(
        self, chosen: Sequence[Mapping[str, int]], used: Sequence[Sequence[int]]
    ) -> tuple[dict[str, LayerTable], IntArray]:
        """(a layer for each annotator, the positions that all of a document leave out)."""
        n_rows, parts = len(self.answers), [*self.table.layers.values()]
        if not parts:
            return {}, self.table.missing[:0]
        # all layers one after the other, and one more document, in which there is none
        whole = joined_layers(parts, range(0, n_rows * len(parts), n_rows))
        whole = replace(whole, state=np.append(whole.state, ABSENT))
        places = defaultdict[str, tuple[list[int], list[int]]](lambda: ([], []))
        for doc, one in enumerate(chosen):
            for who, row in one.items():
                places[who][0].append(doc)
                places[who][1].append(self.layer[row] * n_rows + row)
        layers = {}
        for who, (docs, rows) in places.items():
            order = np.full(len(used), len(whole.state) - 1)
            order[docs] = rows
            layers[who] = _used_labels(whole.taken(order))
        gaps = defaultdict[int, set[Stretch]](set)
        for row, start, end in self.table.missing.tolist():
            gaps[row].add((start, end))
        for n, part in enumerate(parts):
            for row, start, end in part.missing.tolist():
                gaps[row] |= {(start, end)} if self.layer[row] == n else set()
        missing, own = [], defaultdict[str, list[tuple[int, int, int]]](list)
        for doc, one in enumerate(chosen) if gaps else ():
            seen = {who: gaps[row] for who, row in one.items() if self.states[0][row] == SEEN}
            everywhere = set.intersection(*seen.values()) if seen else gaps[used[doc][0]]
            missing += [(doc, *some) for some in sorted(everywhere)]
            for who, some in seen.items():
                own[who] += [(doc, *stretch) for stretch in sorted(some - everywhere)]
        layers = {who: replace(one, missing=_gaps(own[who])) for who, one in layers.items()}
        return layers, _gaps(missing)


def _gaps(rows: Sequence[tuple[int, int, int]]) -> IntArray:
    """Rows (document, start, end) as an array."""
    return np.array(rows, np.int64).reshape(-1, 3)


def _used_labels(layer: LayerTable) -> LayerTable:
    """A layer without labels that do not occur."""
    used = distinct(layer.label, layer.unplaced[:, 2])
    unplaced = np.column_stack([layer.unplaced[:, :2], used.searchsorted(layer.unplaced[:, 2])])
    labels = tuple(layer.labels[code] for code in used.tolist())
    return replace(layer, label=used.searchsorted(layer.label), labels=labels, unplaced=unplaced)


def _common(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The attributes that no two rows contradict."""
    found: dict[str, list[Any]] = {}
    for key, value in (pair for row in rows for pair in row.items()):
        found.setdefault(key, []).append(value)
    return {
        key: values[0]
        for key, values in found.items()
        if all(type(one) is type(values[0]) and one == values[0] for one in values)
    }
