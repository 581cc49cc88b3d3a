"""Readers of CoNLL-U, with the package conllu, and of CoNLL-X."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ..measures.messages import quoted
from .blemishes import SENTENCES, leave_out
from .errors import FormatError, PathLike, Problem, extra_package
from .openings import tree_columns
from .sentences import (
    DependencyToken,
    Sentence,
    dependency_sentence,
    sentence_lines,
    without_tree,
)

_Rows: TypeAlias = tuple[str | None, list[tuple[int, Any]]]  # name, (line, token) of a sentence
_Multiword: TypeAlias = tuple[int, int, str]  # first word, after the last, form
N_COLUMNS = 10
BLANKS = re.compile(" {2,}")
ADVICE = "CoNLL-U has ten columns with tabs between them; ID and HEAD are numbers"


def _as_it_is(columns: Sequence[str], place: int) -> str:
    """A column that is not read."""
    return columns[place]


UNREAD = dict.fromkeys(("xpos", "feats", "deps", "misc"), _as_it_is)


def read_conllu(path: PathLike) -> tuple[list[Sentence], dict[str, int]]:
    """(sentences, notes) of a CoNLL-U file: basic dependencies with their relations.

    Trees are over words: lines of multiword tokens (1-2) and of empty nodes (1.1) are passed over,
    and counted in the notes. The forms of multiword tokens are kept, to align words.
    Names are `sent_id`. A sentence whose heads are all `_` is not annotated; a relation `_` is a
    label like others.
    The relation "ROOT" is read as "root"; spaces around relations do not count.
    """
    package = extra_package("conllu", "CoNLL-U needs the package conllu", "conllu")
    sentences: list[Sentence] = []
    problems: list[Problem] = []
    notes: Counter[str] = Counter()
    for block in sentence_lines(path):
        n_before, found = len(problems), None
        rows = _parse_sentence(package, block, problems)
        if rows:
            name, tokens, multiwords = _words_of(rows, problems, notes)
            if tokens and (found := dependency_sentence(name, tokens, path, problems)):
                found = _with_multiwords(found, multiwords)
        bad = without_tree(_name_of(block), block[0][0], path, problems, n_before)
        sentences += filter(None, [bad or found])
    leave_out(path, problems, SENTENCES)
    if not sentences:
        raise FormatError("no sentences; expected CoNLL-U, one token a line", path)
    return sentences, dict(notes)


def _name_of(block: Sequence[tuple[int, str]]) -> str | None:
    """The name that the comments of a sentence give."""
    matches = (NAME.match(text) for _, text in block)
    return next((match.group(1) for match in matches if match), None)


def _parse_sentence(
    package: Any, block: Sequence[tuple[int, str]], problems: list[Problem]
) -> _Rows | None:
    """(name, [(line, token)]) of the lines of a sentence; None for comments alone, or a problem."""
    lines = [number for number, text in block if not text.lstrip().startswith("#")]
    if not lines:
        return None
    try:
        found = _parse_text(package, "\n".join(text for _, text in block))
    except ValueError:
        problems.append(_first_broken(package, block))
        return None
    return found.metadata.get("sent_id"), list(zip(lines, found))


def _parse_text(package: Any, text: str) -> Any:
    """Tokens of lines, by conllu; raises ValueError for anything that it cannot read.

    To conllu several blanks separate columns; in lines with tabs they are in a form.
    """
    lines = (BLANKS.sub(" ", line) if "\t" in line else line for line in text.split("\n"))
    try:
        return package.parse_token_and_metadata("\n".join(lines), field_parsers=UNREAD)
    except package.exceptions.ParseException as error:
        raise ValueError(str(error)) from error


def _first_broken(package: Any, block: Sequence[tuple[int, str]]) -> Problem:
    """The problem of the first line that conllu cannot read."""
    for number, text in block:
        try:
            _parse_text(package, text)
        except ValueError as error:
            return Problem(number, str(error).strip().rstrip("."), ADVICE)
    return Problem(block[0][0], "these lines cannot be read", ADVICE)


def _words_of(
    rows: _Rows, problems: list[Problem], notes: Counter[str]
) -> tuple[str | None, list[DependencyToken], list[_Multiword]]:
    """The name, the tokens that are words, and multiword tokens; skipped lines are noted."""
    name, tokens = rows
    words, multiwords = [], []
    for line, token in tokens:
        number = token["id"]
        if len(token) < N_COLUMNS or number is None:
            found = (
                f"a line of {len(token)} columns"
                if number is not None
                else "a line without a number"
            )
            problems.append(Problem(line, found, ADVICE))
            return name, [], []
        if isinstance(number, tuple):
            kind = "multiword tokens" if number[1] == "-" else "empty nodes"
            notes[kind] += 1
            if number[1] == "-":
                multiwords.append((number[0] - 1, number[2], token["form"]))
        else:
            words.append(
                DependencyToken(line, number, token["form"], token["head"], token["deprel"])
            )
    if not words:
        problems.append(Problem(tokens[0][0], "a sentence without words", "give it some"))
    return name, words, multiwords


def _with_multiwords(sentence: Sentence, multiwords: Sequence[_Multiword]) -> Sentence:
    """The sentence with its multiword tokens, but for those that are not of words that follow."""
    n_words, after, sound = len(sentence.words or ()), 0, []
    for first, end, form in multiwords:
        if after <= first < end <= n_words:
            sound.append((first, end, form))
            after = end
    return replace(sentence, multiwords=tuple(sound)) if sound else sentence


NUMBER = re.compile(r"\d{1,9}", re.ASCII)
NAME = re.compile(r"#\s*sent_id\s*=\s*(.*\S)")
LEAST = 8  # of ten columns; the last two (projective heads) are often left out
HEAD, DEPREL = 6, 7  # places of these columns
CONLLX_ADVICE = "CoNLL-X has the columns ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL"


def read_conllx(path: PathLike) -> tuple[list[Sentence], dict[str, int]]:
    """(sentences, notes) of a CoNLL-X file: the columns ID, FORM, HEAD and DEPREL.

    Columns are separated by tabs, or by blanks in lines without tabs. Lines that begin with # are
    comments, `# sent_id = X` names the sentence. If all heads are `_`, it is not annotated.
    The relation "ROOT" is read as "root"; spaces around relations do not count.
    """
    sentences: list[Sentence] = []
    problems: list[Problem] = []
    for block in sentence_lines(path):
        name, tokens, n_before = None, [], len(problems)
        for line, text in block:
            if text.startswith("#"):
                match = NAME.match(text)
                name = match.group(1) if match else name
                continue
            token = _token_of(line, tree_columns(text), problems)
            if token is not None:
                tokens.append(token)
        sound = tokens and len(problems) == n_before
        found = dependency_sentence(name, tokens, path, problems) if sound else None
        bad = without_tree(name, block[0][0], path, problems, n_before)
        sentences += filter(None, [bad or found])
    leave_out(path, problems, SENTENCES)
    if not sentences:
        raise FormatError("no sentences; expected CoNLL-X, one token a line", path)
    return sentences, {}


def _token_of(line: int, row: Sequence[str], problems: list[Problem]) -> DependencyToken | None:
    """The token of a line; None if it is not a token."""
    if len(row) < LEAST:
        problems.append(Problem(line, f"a line of {len(row)} columns", CONLLX_ADVICE))
        return None
    number, form, head, relation = row[0], row[1], row[HEAD], row[DEPREL]
    for what, text in (("ID", number), ("HEAD", "0" if head == "_" else head)):
        if not NUMBER.fullmatch(text):
            problems.append(Problem(line, f"{what} is {quoted(text)}, not a number", CONLLX_ADVICE))
            return None
    return DependencyToken(line, int(number), form, None if head == "_" else int(head), relation)
