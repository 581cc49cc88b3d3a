"""Reader of CoNLL-X, the format of the shared tasks of 2006 and 2007."""

import re

from .errors import FormatError, Problem, raise_first
from .sentences import Token, blocks, dependency_sentence

NUMBER = re.compile(r"\d{1,9}", re.ASCII)
NAME = re.compile(r"#\s*sent_id\s*=\s*(.*\S)")
N_COLUMNS = 8  # the last two of ten (projective heads) are often left out
ADVICE = "CoNLL-X has the columns ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL"


def read_conllx(path):
    """(sentences, notes) of a CoNLL-X file: the columns ID, FORM, HEAD and DEPREL.

    Columns are separated by tabs, or by blanks in lines without tabs. Lines that begin with # are
    comments, `# sent_id = X` names the sentence. If all heads are `_`, it is not annotated.
    The relation "ROOT" is read as "root"; spaces around relations do not count.

    Raises
    ------
    FormatError
        With the first place, if lines have fewer columns, tokens are not numbered from 1, heads
        are not in the sentence, only some tokens have one, or a relation is empty.
    """
    sentences, problems = [], []
    for block in blocks(path):
        name, tokens, n_before = None, [], len(problems)
        for line, text in block:
            if text.startswith("#"):
                match = NAME.match(text)
                name = match.group(1) if match else name
                continue
            token = token_of(line, columns_of(text), problems)
            if token is not None:
                tokens.append(token)
        if tokens and len(problems) == n_before:
            sentences.append(dependency_sentence(name, tokens, path, problems))
    raise_first(path, problems)
    if not sentences:
        raise FormatError("no sentences; expected CoNLL-X, one token a line", path)
    return sentences, {}


def columns_of(text):
    """The columns of a line. Only tabs or blanks separate: a token may be another space."""
    if "\t" in text:
        return [column.strip(" ") for column in text.split("\t")]
    return [column for column in text.split(" ") if column]


def token_of(line, columns, problems):
    """The token of a line; None if it is none."""
    if len(columns) < N_COLUMNS:
        problems.append(Problem(line, f"a line of {len(columns)} columns", ADVICE))
        return None
    number, form, head, relation = columns[0], columns[1], columns[6], columns[7]
    for what, text in (("ID", number), ("HEAD", "0" if head == "_" else head)):
        if not NUMBER.fullmatch(text):
            problems.append(Problem(line, f"{what} is {text!r}, not a number", ADVICE))
            return None
    return Token(line, int(number), form, None if head == "_" else int(head), relation)
