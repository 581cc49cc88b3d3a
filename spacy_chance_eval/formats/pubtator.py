"""PubTator: abstracts of PubMed with mentions of chemicals, diseases, genes."""

import re
from collections.abc import Sequence

from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import open_text
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import RELATIONS
from .rows import brief, clip
from .standoff import check_copy

LETTER = re.compile(r"[^\W\d]")
NUMBER = re.compile("[0-9]{1,9}")
PASSAGE = re.compile(r"([^|\s]+)\|([a-z])\|")
SHAPE = "lines are ID|t|title, ID|a|abstract, or separated by tabs: ID, start, end, mention, type"


def read_pubtator(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a file of PubTator. Positions are characters.

        1|t|Ada Byron slept
        1|a|in Oslo.
        1<tab>0<tab>9<tab>Ada Byron<tab>Person<tab>Q7259

    The text is the title, a blank and the abstract. A document without mentions is annotated. Lines
    with other columns are relations: a note counts them.
    """
    documents: list[list[tuple[int, str]]] = [[]]
    name: str | None = None
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            passage = PASSAGE.match(line)
            if passage and (passage[2] == "t" or passage[1] != name):
                documents += [[]] * (name is not None)
                name = passage[1]
            documents[-1].append((number, line.rstrip("\n")))
    if name is None:
        raise FormatError(f"no documents; {SHAPE}", path)
    first = [one[0][0] for one in documents]
    return read_form(Rows(str(path), documents, first), Form(_translate), reading)


def _translate(lines: Sequence[tuple[int, str]], reading: Reading) -> tuple[Row, str]:
    """The row of the numbered lines of a document.

    Its relations are a kind, two concepts, maybe "Novel". Concepts may be numbers, those of genes,
    for example.
    """
    texts, spans, names, notes = [], [], [], []
    for line, row in lines:
        passage, fields = PASSAGE.match(row), row.split("\t")
        if passage:
            names.append(passage[1])
            texts.append(row[passage.end() :])
        elif 2 < len(fields) < 6 and LETTER.match(fields[1]):
            notes.append((RELATIONS, brief(row.rstrip()), line))
        elif row.strip():
            is_mention = len(fields) > 4 and all(map(NUMBER.fullmatch, fields[1:3]))
            if not is_mention or fields[0] not in names:
                raise ContentError(f"a line {brief(clip(row))}", SHAPE, line)
            start, end = map(int, fields[1:3])
            check_copy(" ".join(texts), [(start, end)], fields[3], "mention", line)
            said = {"identifier": "".join(fields[5:6]), "details": "\t".join(fields[6:])}
            features = {key: value for key, value in said.items() if value}
            place = {"start": start, "end": end, "line": line}
            spans.append({**place, "label": fields[4], "features": features})
    return {"id": names[0], "text": " ".join(texts), "spans": spans, "*notes": notes}, "char"
