"""Columns of tags: CoNLL-2003 and its many relatives."""

import re
from typing import NamedTuple

from .columns import DOCSTART, FACT, header_of, place_of, read_lines, starts_document, width_of
from .corpus import Corpus, Document, title
from .errors import FormatError, Problem, known, raise_first
from .files import write_atomically
from .tags import REPAIRS, SCHEMES, families, spans_of_tags, tags_of_spans

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

    Parameters
    ----------
    path : str or Path
    columns : dict of str to (int or str), optional
        Layer to its column, from 0 or, if negative, from the end; or by its name in a first line
        like `#token<tab>gold<tab>system`. By default the last column is the layer "gold".
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
    columns = {"gold": -1} if columns is None else dict(columns)
    known(scheme, ("auto", *SCHEMES), "scheme")
    known(documents, DOCUMENTS, "value of documents")
    repairs = repair if isinstance(repair, dict) else dict.fromkeys(columns, repair)
    repairs = {layer: known(repairs.get(layer, "error"), REPAIRS, "repair") for layer in columns}
    lines = read_lines(path, separator)
    width = width_of(path, lines)
    header = header_of(lines, width)
    places = {layer: place_of(path, column, width, header) for layer, column in columns.items()}
    token = place_of(path, token, width, header)
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
        spans = spans_of_column(groups, place, scheme, repairs[layer], problems)
        for document, found in zip(made, spans):
            document["layers"][layer] = found
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
        "lines": [line.number for line in tokens],
    }


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
    """The spans of each group by one column; what is wrong is added to `problems`."""
    if scheme == "auto":
        tags = (line.fields[place] for g in groups for s in g.sentences for line in s.tokens)
        found = families(tags)
        if len(found) > 1:
            first = next(s.tokens[0].number for g in groups for s in g.sentences)
            both = " and ".join(f"{tag} of {name}" for name, tag in sorted(found.items()))
            advice = "a column has one scheme: correct the tags, or name it with --scheme"
            problems.append(Problem(first, f"column {place} has both {both}", advice))
            return [()] * len(groups)
        scheme = next(iter(found), "IOB2")
    layer = []
    for group in groups:
        spans, offset = [], 0
        for sentence in group.sentences:
            tags = [line.fields[place].strip(" ") for line in sentence.tokens]
            found, wrong = spans_of_tags(tags, scheme=scheme, repair=repair)
            spans += [(start + offset, end + offset, label) for start, end, label in found]
            for problem in wrong:
                line = sentence.tokens[problem.place].number
                problems.append(Problem(line, f"column {place}: {problem.found}", problem.advice))
            offset += len(tags)
        layer.append(spans)
    return layer


def write_conll(path, corpus, layers, *, scheme="IOB2"):
    """Write words, tags of the layers, sentences and names, one column a layer.

    Documents of one sentence stand between empty lines, others begin with a -DOCSTART- line.

    Raises
    ------
    FormatError
        For what columns cannot hold: overlapping spans, spans across sentences, unplaced spans,
        missing tokens, documents that were not annotated, tokens with tabs or newlines, characters
        as positions.
    """
    known(scheme, SCHEMES, "scheme")
    if corpus.positions != "token":
        raise FormatError("a corpus without tokens; columns need them, JSONL does not", path)
    single = all(doc.words and doc.sents in ((), (0,)) for doc in corpus.documents)
    lines = []
    for place, document in enumerate(corpus.documents, 1):
        try:
            lines += conll_lines(document, layers, scheme, single)
        except ValueError as error:
            raise FormatError(f"{title(document, place)}: {error}; write JSONL", path) from error
    write_atomically(path, lines)


def conll_lines(document, layers, scheme, single):
    """The lines of one document."""
    check_writable(document, layers)
    lines = [] if single else [f"{DOCSTART} -X- O O", ""]
    if document.name is not None:
        lines.append(f"# id {document.name}" if single else f"# doc_id = {document.name}")
    cuts = sorted({0, *document.sents, len(document.words)})
    for start, end in zip(cuts, cuts[1:]):
        tags = [
            tags_of_spans(
                [(s - start, e - start, label) for s, e, label in document.layers[layer]
                 if start <= s < end],
                end - start,
                scheme=scheme,
            )
            for layer in layers
        ]  # fmt: skip
        lines += map("\t".join, zip(document.words[start:end], *tags))
        lines.append("")
    return lines


def check_writable(document, layers):
    """Raise for what the columns would lose or read back as something else."""
    if document.missing or any(document.unplaced.get(layer) for layer in layers):
        raise ValueError("columns have no place for missing tokens and unplaced spans")
    absent = [layer for layer in layers if document.layers.get(layer) is None]
    if absent:
        raise ValueError(f"not annotated in the layer {absent[0]!r}")
    texts = [label for layer in layers for *_, label in document.layers[layer]]
    texts += [] if document.name is None else [document.name]
    for text in (*document.words, *texts):
        if not text or re.search(r"[\t\n\r]|^\ufeff", text):
            raise ValueError(f"{text!r} is empty or has a tab or newline")
    for text in texts:
        if text != text.strip(" ") or text.startswith("="):
            raise ValueError(f"{text!r} begins or ends with a blank or begins with =")
    for word in document.words:
        if word.split()[:1] == [DOCSTART] or FACT.match(word):
            raise ValueError(f"the token {word!r} would be read as something else")
