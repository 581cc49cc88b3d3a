"""Columns of tags: CoNLL-2003 and its many relatives."""

from typing import NamedTuple

from .columns import (
    FACT,
    UNSEEN,
    all_places,
    header_of,
    place_of,
    read_lines,
    starts_document,
    width_of,
)
from .conll_out import write_conll
from .corpus import Corpus, Document
from .errors import Problem, known, raise_first
from .tags import REPAIRS, SCHEMES, families, spans_of_tags

__all__ = ["read_conll", "write_conll"]

DOCUMENTS = ("auto", "docstart", "sentence")
# Comments that name what follows, the best first.
SENTENCE_NAMES = ("id", "sent_id", "doc_id", "newdoc id")
DOCUMENT_NAMES = ("newdoc id", "doc_id")


class Sentence(NamedTuple):
    """Lines of tokens, and the comments in front."""

    tokens: list
    comments: list


class Group(NamedTuple):
    """The sentences of a document, the comments in front, and how many -DOCSTART- came before."""

    sentences: list
    comments: list
    article: int


def read_conll(
    path, *, columns=None, scheme="auto", repair="error", separator=None, documents="auto", token=0
):
    """The corpus of a file with one token a line and an empty line after each sentence.

    In front of a sentence, a line that begins with # is a comment if its number of columns is not
    that of the tokens, or if it is `# id X`, `# key = value` or `# newdoc`. `# id X` and
    `# sent_id = X` name a sentence, `# doc_id = X` and `# newdoc id = X` a document; `key=value`
    after a tab is an attribute of a document of one sentence.

    A hyphen instead of a tag says that the annotator did not annotate the token; instead of all
    tags of a document, that the annotator has not seen it.

    Parameters
    ----------
    path : str or Path
    columns : "all", or dict of str to (int or str), optional
        Layer to its column, from 0 or, if negative, from the end; or by its name in a first line
        like `#token<tab>gold<tab>system`. By default the last column is the layer "gold". "all":
        every column but the token's is a layer, for example of one annotator, called by its name in
        such a line, or by its number.
    scheme : "auto", "IOB1", "IOB2", "BIOES" or "BILUO"
        "auto": BIOES if a column has E- or S-, BILUO if it has L- or U-, else IOB2.
    repair : str or dict of str to str
        How improper tags are read, see `spans_of_tags`; for all layers, or by layer.
    separator : str, optional
        By default a tab in lines that have one, else blanks.
    documents : "auto", "docstart" or "sentence"
        "docstart": documents begin at -DOCSTART- lines and at `# newdoc`. "sentence": each sentence
        is a document, its attribute "article" the number of its -DOCSTART-. "auto": "docstart" if
        there are such lines, else "sentence".
    token : int or str
        Column of the tokens.

    Raises
    ------
    FormatError
        Once, for all bad lines.
    """
    if type(columns) is str:
        known(columns, ("all",), "value of columns")
    columns = {"gold": -1} if columns is None else columns
    known(scheme, ("auto", *SCHEMES), "scheme")
    known(documents, DOCUMENTS, "value of documents")
    for one in repair.values() if isinstance(repair, dict) else [repair]:
        known(one, REPAIRS, "repair")
    lines = read_lines(path, separator)
    width = width_of(path, lines)
    header = header_of(lines, width)
    token = place_of(path, token, width, header)
    if columns == "all":
        places = all_places(path, width, header, token)
    else:
        places = {layer: place_of(path, column, width, header) for layer, column in columns.items()}
    repairs = repair if isinstance(repair, dict) else dict.fromkeys(places, repair)
    repairs = {layer: repairs.get(layer, "error") for layer in places}
    groups, problems = grouped(lines[1:] if header else lines, width, token)
    articles = len(groups) > 1 or groups[0].article > 0
    if documents == "sentence" or (documents == "auto" and not articles):
        groups = [
            Group([s], s.comments, group.article) for group in groups for s in group.sentences
        ]
        made = [sentence_document(group, token, articles) for group in groups]
    else:
        made = [document_of(group, token) for group in groups]
    for layer, place in places.items():
        found = spans_of_column(groups, place, scheme, repairs[layer], problems)
        for document, (spans, missing) in zip(made, found):
            document["layers"][layer] = spans
            if missing:
                document.setdefault("missing_in", {})[layer] = missing
    raise_first(path, problems)
    return Corpus(path, [Document(**fields) for fields in made], repair=repair_name(repairs))


def repair_name(repairs):
    """One word if all layers are read alike, else layer=repair, sorted."""
    names = set(repairs.values())
    if len(names) == 1:
        return names.pop()
    return ",".join(f"{layer}={repairs[layer]}" for layer in sorted(repairs)) or "none"


def opens_document(comment):
    """Whether a comment is a `# newdoc`."""
    return any(key.startswith("newdoc") for key in facts([comment]))


def is_comment(line, width, in_front):
    """Whether a line with # is no token: in front of a sentence, not a #hashtag without a tag."""
    if not in_front:
        return False
    if FACT.match(line.text):
        return True
    return len(line.fields) != width and (len(line.fields) > 1 or line.text == "#")


def grouped(lines, width, token):
    """The groups between the borders of documents, and the problems of single lines."""
    groups, comments, sentence, problems = [Group([], [], 0)], [], None, []
    for line in lines:
        if not line.fields:
            sentence = None
        elif starts_document(line):
            sentence, comments = None, []
            groups.append(Group([], [], groups[-1].article + 1))
        elif line.text[0] == "#" and is_comment(line, width, sentence is None):
            if opens_document(line.text):
                sentence = None
                last = groups[-1]
                if not last.article or last.sentences or any(map(opens_document, last.comments)):
                    groups.append(Group([], [], last.article + 1))
            comments.append(line.text)
            if not groups[-1].sentences:
                groups[-1].comments.append(line.text)
        elif len(line.fields) != width:
            advice = f"the tokens of this file have {width} columns: correct the line"
            problems.append(Problem(line.number, f"{len(line.fields)} columns", advice))
        elif not line.fields[token]:
            problems.append(Problem(line.number, "an empty token", "put a token before the tags"))
        else:
            if sentence is None:
                sentence, comments = Sentence([], comments), []
                groups[-1].sentences.append(sentence)
            sentence.tokens.append(line)
    unused = len(groups) > 1 and not groups[0].sentences
    return groups[unused:], problems


def facts(comments):
    """{key: value} of comments like `# key = value` and `# id X`."""
    found = {}
    for comment in comments:
        match = FACT.fullmatch(comment.split("\t")[0])
        if match:
            key, value, identity, name, newdoc = match.groups()
            found[key or identity or newdoc] = (value or name or "").strip(" ")
    return found


def name_of(comments, keys):
    """The name that comments give under the first of the keys that they have."""
    if not comments:
        return None
    found = facts(comments)
    return next((found[key] for key in keys if found.get(key)), None)


def document_of(group, token):
    """Fields of the `Document` of a group, still without layers."""
    tokens = [line for sentence in group.sentences for line in sentence.tokens]
    sents, size = [], 0
    for sentence in group.sentences:
        sents.append(size)
        size += len(sentence.tokens)
    return {
        "words": [line.fields[token] for line in tokens],
        "layers": {},
        "name": name_of(group.comments, DOCUMENT_NAMES),
        "sents": sents,
        "lines": numbers_of(tokens),
    }


def numbers_of(lines):
    """The numbers of lines; a range, which takes no room, if they follow each other."""
    numbers = [line.number for line in lines]
    whole = range(numbers[0], numbers[-1] + 1) if numbers else range(0)
    return whole if len(whole) == len(numbers) else numbers


def sentence_document(group, token, articles):
    """Fields of the `Document` of one sentence."""
    more = [pair for comment in group.comments for pair in comment.split("\t")[1:] if "=" in pair]
    pairs = (pair.partition("=") for pair in more)
    attributes = {key.strip(): value.strip() for key, _, value in pairs} if more else {}
    if articles:
        attributes["article"] = group.article
    name = name_of(group.comments, SENTENCE_NAMES)
    return document_of(group, token) | {"name": name, "attributes": attributes}


def spans_of_column(groups, place, scheme, repair, problems):
    """(spans, missing stretches) of each group by one column; spans are None if it was not seen.

    What is wrong is added to `problems`.
    """
    tokens = (line.fields[place] for g in groups for s in g.sentences for line in s.tokens)
    tags = dict.fromkeys(tokens)
    if {tag.strip(" ") for tag in tags} == {UNSEEN}:
        first = next(s.tokens[0].number for g in groups for s in g.sentences)
        advice = "name a column of tags; a layer needs a document that was annotated"
        problems.append(Problem(first, f"column {place} has hyphens alone", advice))
    if scheme == "auto":
        found = families(tags)
        if len(found) > 1:
            first = next(s.tokens[0].number for g in groups for s in g.sentences)
            both = " and ".join(f"{tag} of {name}" for name, tag in sorted(found.items()))
            advice = "a column has one scheme: correct the tags, or name it with --scheme"
            problems.append(Problem(first, f"column {place} has both {both}", advice))
            return [((), ())] * len(groups)
        scheme = next(iter(found), "IOB2")
    return [spans_of_group(group, place, scheme, repair, problems) for group in groups]


def spans_of_group(group, place, scheme, repair, problems):
    """(spans, missing stretches) of one group."""
    spans, missing, offset = [], [], 0
    for sentence in group.sentences:
        tags = [line.fields[place].strip(" ") for line in sentence.tokens]
        if UNSEEN in tags:
            missing += [offset + i for i, tag in enumerate(tags) if tag == UNSEEN]
            tags = ["O" if tag == UNSEEN else tag for tag in tags]
        found, wrong = spans_of_tags(tags, scheme=scheme, repair=repair)
        spans += [(start + offset, end + offset, label) for start, end, label in found]
        for problem in wrong:
            line = sentence.tokens[problem.place].number
            problems.append(Problem(line, f"column {place}: {problem.found}", problem.advice))
        offset += len(tags)
    if missing and len(missing) == offset:
        return None, ()
    return spans, stretches(missing)


def stretches(positions):
    """Rising positions as stretches (start, end)."""
    found = []
    for at in positions:
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found
