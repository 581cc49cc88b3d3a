"""Treebanks of dependencies in columns: CoNLL-U, and CoNLL-X."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ..measures.messages import quoted
from .blemishes import leave_out
from .conll_columns import tree_columns
from .errors import ContentError, FormatError, PathLike, Problem
from .files import open_text
from .sentences import Sentence, root_name

# a word; the words of a multiword token; an empty node
ID = re.compile(r"(\d{1,9})(?:([-.])(\d{1,9}))?", re.ASCII)
HEAD = re.compile(r"\d{1,9}", re.ASCII)
NAME = re.compile(r"#\s*sent_id\s*=\s*(.*\S)")
# the number of columns, and what they are
SHAPES = {
    "conllu": (10, "CoNLL-U has ten columns with tabs between them; ID and HEAD are numbers"),
    # the last two of ten columns, projective heads, are often left out
    "conllx": (8, "CoNLL-X has the columns ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL"),
}


def read_conllu(path: PathLike, format: str = "conllu") -> tuple[list[Sentence], dict[str, int]]:
    """(sentences, notes) of a file of CoNLL-U, or CoNLL-X: dependencies with their relations.

    Trees are over words: lines of multiword tokens (1-2) and of empty nodes (1.1) are passed over,
    and counted in the notes. The forms of multiword tokens are kept, to align words.
    Names are `sent_id`. A sentence whose heads are all `_` is not annotated; a relation `_` is a
    label like others. The relation "ROOT" is read as "root"; spaces around relations do not count.
    Columns are separated by tabs, or by blanks in lines without tabs.
    """
    sentences: list[Sentence] = []
    problems: list[Problem] = []
    notes: Counter[str] = Counter()
    with open_text(path) as file:
        for is_blank, some in groupby(enumerate(file, 1), lambda row: row[1].isspace()):
            block = [] if is_blank else [*some]
            names = [found[1] for _, text in block if (found := NAME.match(text))]
            rows = [(line, tree_columns(text.rstrip("\n"))) for line, text in block
                    if not text.lstrip().startswith("#")]  # fmt: skip
            if not rows:
                continue
            sentence = Sentence(
                names[-1] if names else None, None, None, None, block[0][0], str(path)
            )
            try:
                sentences.append(_annotated(sentence, rows, SHAPES[format], notes))
            except ContentError as mistake:
                problems.append(Problem(mistake.line or 0, mistake.found, mistake.advice))
                sentences.append(sentence)
    leave_out(path, problems)
    if not sentences:
        raise FormatError("no sentences; expected one token a line", path)
    return sentences, dict(notes)


def _annotated(
    sentence: Sentence,
    lines: Sequence[tuple[int, list[str]]],
    shape: tuple[int, str],
    notes: Counter[str],
) -> Sentence:
    """The sentence with the words and the tree of its lines."""
    least, advice = shape
    rows, multiwords = [], []
    for line, row in lines:
        number = ID.fullmatch(row[0])
        if len(row) < least:
            raise ContentError(f"a line of {len(row)} columns", advice, line)
        if number is None:
            raise ContentError(f"ID is {quoted(row[0])}, not a number", advice, line)
        if number[2]:
            notes["multiword tokens" if number[2] == "-" else "empty nodes"] += 1
            if number[2] == "-":
                multiwords.append((int(number[1]) - 1, int(number[3]), row[1]))
            continue
        rows.append((line, row))
        if int(number[1]) != len(rows):
            found = f"a token has the number {number[1]}, expected {len(rows)}"
            raise ContentError(found, "number the tokens of a sentence from 1", line)
    if not rows:
        raise ContentError("a sentence without words", "give it some", lines[0][0])
    is_annotated = any(row[6] != "_" for _, row in rows)
    for line, row in rows if is_annotated else ():
        if not HEAD.fullmatch(row[6]) or int(row[6]) > len(rows):
            found = f"HEAD is {quoted(row[6])}, in a sentence of {len(rows)} tokens"
            advice = "heads are tokens of the sentence, or 0; all are _ without annotation"
            raise ContentError(found, advice, line)
        if not row[7].strip():
            raise ContentError("an empty relation", "name it, or write _", line)
    after, sound = 0, []
    for first, end, text in multiwords:
        if after <= first < end <= len(rows):
            sound.append((first, end, text))
            after = end
    return replace(
        sentence,
        words=tuple(row[1] for _, row in rows),
        parents=tuple(int(row[6]) - 1 for _, row in rows) if is_annotated else None,
        labels=tuple(root_name(row[7].strip()) for _, row in rows) if is_annotated else None,
        line=rows[0][0],
        multiwords=tuple(sound),
    )
