"""Columns of tags: CoNLL-2003 and its many relatives."""

from functools import cache
from itertools import accumulate, chain
from sys import intern

from .columns import NO_DOCUMENTS, UNSEEN
from .conll_lines import START, body, facts, groups_of, stretches
from .conll_out import write_conll
from .conll_settled import settled
from .corpus import Corpus, Document
from .errors import FormatError, Problem, raise_first
from .tags import spans_of_tags

__all__ = ["read_conll", "write_conll"]

# Comments that name what follows, the best first.
SENTENCE_NAMES = ("id", "sent_id", "doc_id", "newdoc id")
DOCUMENT_NAMES = ("newdoc id", "doc_id")


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
    options = {
        "columns": columns, "scheme": scheme, "repair": repair, "separator": separator,
        "documents": documents, "token": token,
    }  # fmt: skip
    texts = cache(lambda: list(stretches(path)))  # once: it may be a pipe
    reading = settled(path, texts, **options)
    return corpus_of(path, texts(), reading)


def corpus_of(path, texts, reading, border=START):
    """The corpus of the texts of a file, or of its texts from a border on.

    Raises
    ------
    FormatError
        Once, for all bad lines.
    """
    problems = []
    groups = groups_of(body(texts, reading.header), reading, problems, border)
    documents = [document_of(group, reading, problems) for group in groups]
    raise_first(path, problems)
    if not documents:
        raise FormatError(NO_DOCUMENTS, path)
    return Corpus(path, documents, repair=repair_name(reading.repairs))


def repair_name(repairs):
    """One word if all layers are read alike, else layer=repair, sorted."""
    names = set(repairs.values())
    if len(names) == 1:
        return names.pop()
    return ",".join(f"{layer}={repairs[layer]}" for layer in sorted(repairs)) or "none"


def name_of(comments, keys):
    """The name that comments give under the first of the keys that they have."""
    if not comments:
        return None
    found = facts(comments)
    return next((found[key] for key in keys if found.get(key)), None)


def document_of(group, reading, problems):
    """The `Document` of a group; what is wrong with its tags is added to `problems`."""
    sentences = group.sentences
    layers, missing_in = {}, {}
    for layer, place in reading.places.items():
        scheme, repair = reading.schemes[layer], reading.repairs[layer]
        layers[layer], missing = spans_of_group(group, place, scheme, repair, problems)
        if missing:
            missing_in[layer] = missing
    named, attributes = DOCUMENT_NAMES, {}
    if reading.by_sentence:
        named, attributes = SENTENCE_NAMES, attributes_of(group.comments)
        if reading.articles:
            attributes["article"] = group.article
    sizes = [len(sentence.numbers) for sentence in sentences]
    words = [sentence.columns[reading.token] for sentence in sentences]
    return Document(
        map(intern, words[0] if len(words) == 1 else chain.from_iterable(words)),
        layers,
        name=name_of(group.comments, named),
        sents=[0, *accumulate(sizes[:-1])] if sizes else (),
        lines=numbers_of([sentence.numbers for sentence in sentences]),
        attributes=attributes,
        missing_in=missing_in,
    )


def attributes_of(comments):
    """What comments say behind tabs: `key=value`."""
    if not comments:
        return {}
    more = [pair for comment in comments for pair in comment.split("\t")[1:] if "=" in pair]
    pairs = (pair.partition("=") for pair in more)
    return {key.strip(): value.strip() for key, _, value in pairs}


def numbers_of(sentences):
    """The numbers of all lines; a range, which takes no room, if they follow each other."""
    if len(sentences) == 1:
        return sentences[0]
    numbers = tuple(number for sentence in sentences for number in sentence)
    whole = range(numbers[0], numbers[-1] + 1) if numbers else range(0)
    return whole if len(whole) == len(numbers) else numbers


def spans_of_group(group, place, scheme, repair, problems):
    """(spans, missing stretches) of one group; spans are None if it was not seen.

    What is wrong is added to `problems`.
    """
    spans, missing, offset = [], [], 0
    for sentence in group.sentences:
        tags = sentence.columns[place]
        if tags.count("O") < len(tags):
            if " " in "".join(tags):
                tags = [tag.strip(" ") for tag in tags]
            if UNSEEN in tags:
                missing += [offset + i for i, tag in enumerate(tags) if tag == UNSEEN]
                tags = ["O" if tag == UNSEEN else tag for tag in tags]
            found, wrong = spans_of_tags(tags, scheme=scheme, repair=repair)
            spans += [(start + offset, end + offset, label) for start, end, label in found]
            for problem in wrong:
                line = sentence.numbers[problem.place]
                problems.append(Problem(line, f"column {place}: {problem.found}", problem.advice))
        offset += len(tags)
    if missing and len(missing) == offset:
        return None, ()
    return spans, stretches_of(missing)


def stretches_of(positions):
    """Rising positions as stretches (start, end)."""
    found = []
    for at in positions:
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found
