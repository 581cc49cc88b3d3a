"""Treebanks of dependencies in columns: CoNLL-U, and CoNLL-X."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ..measures.messages import quoted
from .blemishes import SENTENCES, blemishes, leave_out
from .conll_columns import tree_columns
from .errors import FormatError, PathLike, Problem
from .files import open_text
from .sentences import Sentence, root_name

# a word; the words of a multiword token; an empty node
ID = re.compile(r"(\d{1,9})(?:([-.])(\d{1,9}))?", re.ASCII)
HEAD = re.compile(r"\d{1,9}|_", re.ASCII)
NAME = re.compile(r"#\s*sent_id\s*=\s*(.*\S)")
SHAPES = {
    "CoNLL-U": (10, "CoNLL-U has ten columns with tabs between them; ID and HEAD are numbers"),
    # the last two of ten columns, projective heads, are often left out
    "CoNLL-X": (8, "CoNLL-X has the columns ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL"),
}
HEADS = "give heads to all tokens of a sentence, or (not annotated) to none"


def read_conllu(path: PathLike) -> tuple[list[Sentence], dict[str, int]]:
    """(sentences, notes) of a CoNLL-U file: basic dependencies with their relations.

    Trees are over words: lines of multiword tokens (1-2) and of empty nodes (1.1) are passed over,
    and counted in the notes. The forms of multiword tokens are kept, to align words.
    Names are `sent_id`. A sentence whose heads are all `_` is not annotated; a relation `_` is a
    label like others. The relation "ROOT" is read as "root"; spaces around relations do not count.
    """
    return _read(path, "CoNLL-U")


def read_conllx(path: PathLike) -> tuple[list[Sentence], dict[str, int]]:
    """(sentences, notes) of a CoNLL-X file: the columns ID, FORM, HEAD and DEPREL.

    Columns are separated by tabs, or by blanks in lines without tabs. All else is as in CoNLL-U.
    """
    return _read(path, "CoNLL-X")


def _read(path: PathLike, form: str) -> tuple[list[Sentence], dict[str, int]]:
    """(sentences, notes) of a file of one of `SHAPES`."""
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
            n_before, name = len(problems), names[-1] if names else None
            sentence = _sentence_of(name, rows, path, form, problems, notes)
            if len(problems) > n_before and blemishes() is not None:  # others keep their places
                del problems[n_before + 1 :]
                sentence = Sentence(name, None, None, None, block[0][0], str(path))
            sentences += [sentence] if sentence else []
    leave_out(path, problems, SENTENCES)
    if not sentences:
        raise FormatError(f"no sentences; expected {form}, one token a line", path)
    return sentences, dict(notes)


def _sentence_of(
    name: str | None,
    rows: Sequence[tuple[int, list[str]]],
    path: PathLike,
    form: str,
    problems: list[Problem],
    notes: Counter[str],
) -> Sentence | None:
    """The sentence of some lines; None, and a problem, if there is none."""
    least, advice = SHAPES[form]
    words: list[tuple[int, list[str]]] = []
    multiwords = []
    for line, row in rows:
        number = ID.fullmatch(row[0])
        found = f"a line of {len(row)} columns" if len(row) < least else ""
        if not (found or number):
            found = f"ID is {quoted(row[0])}, not a number"
        if not (found or number and number[2] or HEAD.fullmatch(row[6])):
            found = f"HEAD is {quoted(row[6])}, not a number"
        if found or number is None:
            problems.append(Problem(line, found, advice))
            return None
        if number[2] == "-":
            multiwords.append((int(number[1]) - 1, int(number[3]), row[1]))
        if number[2]:
            notes["multiword tokens" if number[2] == "-" else "empty nodes"] += 1
        elif int(number[1]) != len(words) + 1:
            found = f"a token has the number {number[1]}, expected {len(words) + 1}"
            problems.append(Problem(line, found, "number the tokens of a sentence from 1"))
            return None
        else:
            words.append((line, row))
    if not words:
        problems.append(Problem(rows[0][0], "a sentence without words", "give it some"))
        return None
    heads = [None if row[6] == "_" else int(row[6]) for _, row in words]
    labels = tuple(root_name(row[7].strip()) for _, row in words)
    n, is_open = len(words), heads.count(None)
    for token, ((line, _), head, label) in enumerate(zip(words, heads, labels), 1):
        if head is None and is_open < n:
            problems.append(Problem(line, f"token {token} has no head", HEADS))
            is_open = n  # of such tokens the first is enough
        elif head is not None and head > n:
            found = f"token {token} has the head {head}, in a sentence of {n} tokens"
            problems.append(Problem(line, found, "heads are tokens of the sentence, or 0"))
        elif not label and head is not None:
            problems.append(
                Problem(line, f"token {token} has an empty relation", "name it, or write _")
            )
    forms = tuple(row[1] for _, row in words)
    sentence = Sentence(name, forms, None, None, words[0][0], str(path))
    if None not in heads:
        parents = tuple(head - 1 for head in heads if head is not None)
        sentence = replace(sentence, parents=parents, labels=labels)
    after, sound = 0, []
    for first, end, token_form in multiwords:
        if after <= first < end <= n:
            sound.append((first, end, token_form))
            after = end
    return replace(sentence, multiwords=tuple(sound)) if sound else sentence
