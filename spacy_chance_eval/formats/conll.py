"""CoNLL, one token a line: reading as a whole and in blocks, and writing."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, chain
from sys import intern
from typing import Any, TypeAlias

from ..measures.spans import Copy
from ..measures.words import ByteWords
from .blemishes import LINES, SPANS, TOKENS, blemishes, leave_out, leave_out_parts
from .conll_bytes import Columns, NotPlainError, sentence_ends
from .conll_lines import (
    DOCSTART,
    DOCUMENT_NAMES,
    FURTHER,
    GIVE_TOKEN,
    NO_DOCUMENTS,
    SENTENCE_NAMES,
    SOME,
    START,
    UNSEEN,
    ArticleState,
    Chunk,
    Group,
    Item,
    Reading,
    SentenceColumns,
    Splitter,
    TagEvidence,
    all_items,
    attributes_of,
    chunks_of,
    empty_blank_lines,
    groups_of,
    has_marks,
    header_of,
    in_articles,
    line_numbers,
    name_of,
    opens_document,
    parse_items,
    place_of,
    places_of,
    read_chunks,
    read_pieces,
    splitter,
    tag_columns,
    width_of,
    without_header,
)
from .corpus import (
    Corpus,
    Document,
    Span,
    Stretch,
    check_words,
    document_title,
    join_stretches,
    one_piece,
)
from .documents import Tags
from .errors import FormatError, PathLike, Problem, known, raise_first
from .files import BlockReader, Excerpt, Run, count_lines, name_by_file
from .notes import NUMBERED, SLASHES, Place, note
from .openings import treebank_at
from .outputs import write_atomically
from .tags import (
    ADVICE,
    ONE_SCHEME,
    REPAIRS,
    SCHEMES,
    families,
    iob_scheme,
    spans_beside,
    spans_of_tags,
    tags_of_spans,
)

ColumnNames: TypeAlias = str | Mapping[str, int | str | Sequence[int | str]] | None
Repair: TypeAlias = str | Mapping[str, str]
FILE = "file"
USUAL = ("PER", "LOC", "ORG", "MISC")  # labels that tokens end with, if tagged in place
DOCUMENTS = ("auto", "docstart", "sentence", FILE)
NO_TAG = "is not a tag"  # how problems end that trees have, too
TREES_ADVICE = "the file has columns of trees, which score and agree read with --format {format}"


def _resolve_reading(
    path: object,
    pieces: Callable[[], Iterable[bytes]],
    *,
    keep: bool,
    columns: ColumnNames,
    scheme: str,
    repair: Repair,
    separator: str | None,
    documents: str,
    token: int | str,
) -> tuple[Reading, Columns | None]:
    """How a file is read: the options of `read_conll`, completed by a look at the file.

    And its columns, if they are kept and can be read as bytes.

    `pieces` returns the pieces of the file from its beginning, each time it is called.
    """
    _check_options(columns, scheme, repair, documents)
    width = width_of(path, chunks_of(pieces()), separator)
    first = next(iter(pieces())).partition(b"\n")[0]
    header = header_of(first.decode(), width, separator)
    token = place_of(path, token, width, header)
    if isinstance(columns, str):
        places = tag_columns(path, width, header, token)
    else:
        given = {"gold": -1} if columns is None else columns
        places = {
            f"{layer}{FURTHER}{number}" if number else layer: place
            for layer, column in given.items()
            for number, place in enumerate(places_of(path, column, width, header))
        }
    repairs = {layer: _repair_of(layer, repair) for layer in places}
    schemes = dict.fromkeys(places, scheme)
    reading = Reading(separator, width, token, places, schemes, repairs, True, False, bool(header))
    # a repair reads IOB1 as well, and says what becomes of improper tags
    repaired = {at for layer, at in places.items() if repairs[layer] != "error"}
    kept: Columns | None = None
    try:
        kept = Columns.of(pieces(), reading, keep=keep)
        found = kept.evidence(repaired)
    except NotPlainError:
        kept = None
        body = without_header(chunks_of(pieces()), bool(header))
        found = gather_evidence(body, reading, repaired)
    check_columns(path, found, places, scheme)
    if scheme == "auto":
        schemes = {
            layer: next(iter(found.tags[at]), found.iob.get(at, "IOB2"))
            for layer, at in places.items()
        }
    by_sentence = documents == "sentence" or (documents == "auto" and not found.articles)
    name = None if documents != FILE or found.articles else name_by_file(str(path))
    reading = reading._replace(
        schemes=schemes, by_sentence=by_sentence, articles=found.articles, name=name
    )
    return reading, kept if keep else None


def _repair_of(layer: str, repair: Repair) -> str:
    """How the improper tags of a layer, or of a further column of one, are read."""
    return repair if isinstance(repair, str) else repair.get(layer.partition(FURTHER)[0], "error")


def _check_options(columns: ColumnNames, scheme: str, repair: Repair, documents: str) -> None:
    """Raise for unknown values of options."""
    if isinstance(columns, str):
        known(columns, ("all",), "value of columns")
    known(scheme, ("auto", *SCHEMES), "scheme")
    known(documents, DOCUMENTS, "value of documents")
    for one in [repair] if isinstance(repair, str) else repair.values():
        known(one, REPAIRS, "repair")


def gather_evidence(
    chunks: Iterable[Chunk], reading: Reading, repaired: Iterable[int]
) -> TagEvidence:
    """The evidence in a file.

    Columns in which improper tags are repaired are IOB2 unless their tags are of no IOB scheme.
    """
    places = {*reading.places.values()}
    found = TagEvidence(
        None, {place: {} for place in places}, dict.fromkeys(repaired, "IOB2"), False, places
    )
    for _, item in all_items(chunks, reading, []):
        found = _with_item(found, item)
    return found


def _with_item(found: TagEvidence, item: Item) -> TagEvidence:
    """The evidence with one more item of a file."""
    if not isinstance(item, SentenceColumns):
        return found._replace(articles=found.articles or item == DOCSTART or opens_document(item))
    cells = {place: _tags_in(item, place) for place in found.tags}
    tags = {place: families(cells[place]) | old for place, old in found.tags.items()}
    unseen = {place for place in found.untagged if {*cells[place]} == {UNSEEN}}
    iob = dict(found.iob)
    for place in found.tags:
        scheme = iob_scheme(cells[place]) if iob.get(place) != "IOB2" else None
        if scheme is not None:
            iob[place] = scheme
    return found._replace(first=found.first or item.numbers[0], tags=tags, iob=iob, untagged=unseen)


def _tags_in(sentence: SentenceColumns, place: int) -> Sequence[str]:
    """The tags of a column, without blanks beside a tab."""
    tags = sentence.columns[place]
    return [tag.strip(" ") for tag in tags] if " " in "".join(tags) else tags


def check_columns(path: object, found: TagEvidence, places: Mapping[str, int], scheme: str) -> None:
    """Raise for a column of hyphens alone, and for tags of two schemes in one."""
    for place in places.values():
        if found.first is None:
            return
        if place in found.untagged:
            advice = "name a column of tags; a layer needs a document that was annotated"
            raise_first(path, [Problem(found.first, f"column {place} has hyphens alone", advice)])
        if scheme == "auto" and len(found.tags[place]) > 1:
            tags = sorted(found.tags[place].items())
            both = " and ".join(f"{tag} of {name}" for name, tag in tags)
            advice = f"a column has one scheme; {ONE_SCHEME}"
            raise_first(path, [Problem(found.first, f"column {place} has both {both}", advice)])


def read_conll(
    path: PathLike,
    *,
    columns: ColumnNames = None,
    scheme: str = "auto",
    repair: Repair = "error",
    separator: str | None = None,
    documents: str = "auto",
    token: int | str = 0,
) -> Corpus:
    """The corpus of a file with one token a line and an empty line after each sentence.

    In front of a sentence, a line that begins with # is a comment if its number of columns is not
    that of the tokens, or if it is `# id X`, `# key = value` or `# newdoc`. `# id X` and
    `# sent_id = X` name a sentence, `# doc_id = X` and `# newdoc id = X` a document; `key=value`
    after a tab is an attribute of a document of one sentence.

    A hyphen instead of a tag says that the annotator did not annotate the token; instead of all
    tags of a document, that the annotator has not seen it.

    Parameters
    ----------
    columns : "all", or dict of str to (int, str or sequence of these), optional
        Layer to its column, from 0 or, if negative, from the end; or by its name in a first line
        like `#token<tab>gold<tab>system`. Several columns, as a sequence or joined by commas, are
        one layer of nested spans. By default the last column is the layer "gold". "all":
        every column but the token's is a layer, for example of one annotator, called by its name in
        such a line, or by its number.
    scheme : "auto", "IOB1", "IOB2", "BIOES" or "BILUO"
        "auto": BIOES if a column has E- or S-, BILUO if it has L- or U-; IOB1 if spans begin with
        I, B only divides spans of one label that touch, and improper tags are an error; else IOB2.
    repair : str or dict of str to str
        How improper tags are read, for all layers or by layer. "error": not at all. "begin": an
        improper continuation begins a span, and an unfinished span ends. "drop": an improper chunk
        is ignored as a whole. "conlleval": by the rule of that script (the same spans as "begin").
    separator : str, optional
        By default a tab in lines that have one, else blanks.
    documents : "auto", "docstart", "sentence" or "file"
        "docstart": documents begin at -DOCSTART- lines and at `# newdoc`. "sentence": each sentence
        is a document, its attribute "article" the number of its -DOCSTART-. "file": as "docstart",
        and a file without such lines is a document that is called as the file. "auto": "docstart"
        if there are such lines, else "sentence".
    token : int or str
        Column of the tokens.
    """
    pieces = cache(lambda: list(read_pieces(path)))  # once: it may be a pipe
    reading, found = _resolve_reading(
        path,
        pieces,
        keep=True,
        columns=columns,
        scheme=scheme,
        repair=repair,
        separator=separator,
        documents=documents,
        token=token,
    )
    return _corpus_of(path, pieces(), reading, found=found)


def _corpus_of(
    path: object,
    pieces: Iterable[bytes],
    reading: Reading,
    state: ArticleState = START,
    first: int = 1,
    found: Columns | None = None,
) -> Corpus:
    """The corpus of a file, or of some pieces of it.

    `state` and `first`, a line, are those at their beginning; `found` are the columns, if known.
    """
    repair = _repair_name(reading.repairs)
    try:
        if reading.is_nested:
            raise NotPlainError
        found = found or Columns.of(pieces, reading, first)
        table = found.table(reading, state)
        if reading.name is not None and table.names is None:
            table = replace(table, names=[reading.name])
        return _with_doubts(Corpus(str(path), table, repair=repair))
    except NotPlainError:
        pass
    problems: list[Problem] = []
    chunks = without_header(chunks_of(pieces, first), reading.header)
    groups = groups_of(chunks, reading, problems, state)
    documents = [document_of(group, reading, problems) for group in groups]
    found_wrong = _with_advice_of_trees(path, problems)
    leave_out_parts(path, [(unit_of(problem), problem) for problem in found_wrong])
    if not documents:
        raise FormatError(NO_DOCUMENTS, path)
    return _with_doubts(Corpus(str(path), documents, repair=repair))


def _with_doubts(corpus: Corpus) -> Corpus:
    """The corpus with notes of tokens that are numbers, or end with labels ("Minneapolis/LOC")."""
    table = corpus.table
    labels = {*USUAL, *(label for layer in table.layers.values() for label in layer.labels)}
    ends = tuple(f"/{label}" for label in sorted(labels))
    numbered = isinstance(table.words, Sequence) and [*table.words[:2]] == ["1", "2"]
    if isinstance(table.words, ByteWords) and not numbered:
        if not any(f"{end}\0".encode() in table.words.data for end in ends):
            return corpus
    slashes, numbers = [], []
    for document in corpus.documents:
        path = document.path or corpus.path
        slashes += [
            Place(path, document.line(at), word)
            for at, word in enumerate(document.words)
            if word.endswith(ends) and word not in ends
        ]
        if document.words[:2] == ("1", "2") and all(map(str.isdecimal, document.words)):
            numbers.append(Place(path, document.line(0), " ".join(document.words[:4])))
    return replace(corpus, notes=corpus.notes + note(SLASHES, slashes) + note(NUMBERED, numbers))


def unit_of(problem: Problem) -> str:
    """The unit a problem costs: a span for an improper tag, a line without a token, or a token."""
    if problem.advice == GIVE_TOKEN:
        return LINES
    return SPANS if problem.advice.startswith(ADVICE) else TOKENS


def _with_advice_of_trees(path: object, problems: Sequence[Problem]) -> Sequence[Problem]:
    """The problems; in a file with columns of trees those of tags say so."""
    malformed = [one for one in problems if one.found.endswith(NO_TAG)]
    if malformed and (format := treebank_at(str(path))):
        advice = TREES_ADVICE.format(format=format)
        return [one._replace(advice=advice) for one in malformed]
    return problems


def _repair_name(repairs: Mapping[str, str]) -> str:
    """The repair of all layers if they have the same, else layer=repair of each, sorted."""
    names = set(repairs.values())
    if len(names) == 1:
        return names.pop()
    layers = sorted(layer for layer in repairs if FURTHER not in layer)
    return ",".join(f"{layer}={repairs[layer]}" for layer in layers) or "none"


def document_of(group: Group, reading: Reading, problems: list[Problem]) -> Document:
    """The `Document` of a group; errors in its tags are added to `problems`."""
    sentences = group.sentences
    layers: dict[str, list[Span] | None] = {}
    missing_in: dict[str, Sequence[Stretch]] = {}
    for name, place in reading.places.items():
        scheme, repair = reading.schemes[name], reading.repairs[name]
        found, missing = _spans_of_group(group, place, scheme, repair, problems)
        layer = name.partition(FURTHER)[0]
        before = layers.get(layer, [])
        layers[layer] = None if found is None or before is None else before + found
        if missing:
            missing_in[layer] = join_stretches((*missing_in.get(layer, ()), *missing))
    copies: dict[str, dict[Span, Sequence[Copy]]] = {}
    if reading.is_nested:
        for layer, spans in layers.items():
            counts = Counter(spans or ())
            copies[layer] = {span: [Copy({})] * (n - 1) for span, n in counts.items()}
            layers[layer] = None if spans is None else [*counts]
    tags = {}
    if not reading.is_nested and {*reading.repairs.values()} != {"error"}:
        for name, place in reading.places.items():
            if reading.repairs[name] != "error":
                cells = chain.from_iterable(_tags_in(sentence, place) for sentence in sentences)
                rows = {at: tag for at, tag in enumerate(cells) if tag != "O"}
                tags[name] = Tags(reading.schemes[name], reading.repairs[name], rows)
    attributes = attributes_of(group.comments) if reading.by_sentence else {}
    if reading.by_sentence and reading.articles:
        attributes["article"] = group.article
    own_name = name_of(group.comments, SENTENCE_NAMES if reading.by_sentence else DOCUMENT_NAMES)
    sizes = [len(sentence.numbers) for sentence in sentences]
    words = [sentence.columns[reading.token] for sentence in sentences]
    return Document(
        tuple(map(intern, words[0] if len(words) == 1 else chain.from_iterable(words))),
        layers,
        name=reading.name if own_name is None else own_name,
        sents=[0, *accumulate(sizes[:-1])] if sizes else (),
        lines=line_numbers([sentence.numbers for sentence in sentences]),
        attributes=attributes,
        missing_in={name: gaps for name, gaps in missing_in.items() if layers[name] is not None},
        copies=copies,
        tags=tags,
    )


def _spans_of_group(
    group: Group, place: int, scheme: str, repair: str, problems: list[Problem]
) -> tuple[list[Span] | None, Sequence[Stretch]]:
    """(spans, missing stretches) of one group; spans are None if it was not seen.

    Errors are added to `problems`.
    """
    spans: list[Span] = []
    missing, offset = [], 0
    for sentence in group.sentences:
        tags = _tags_in(sentence, place)
        if tags.count("O") < len(tags):
            unseen = [place for place, tag in enumerate(tags) if tag == UNSEEN]
            plain = ["O" if tag == UNSEEN else tag for tag in tags] if unseen else tags
            found, wrong = spans_of_tags(plain, scheme=scheme, repair=repair)
            if blemishes() is not None and (wrong or unseen and problems):
                lines = {one.place for one in problems}
                blemished = [one for one in unseen if sentence.numbers[one] in lines]
                found, wrong, beside = spans_beside(plain, blemished, scheme=scheme, repair=repair)
                unseen = [*{*unseen, *beside}]
            missing += [offset + place for place in unseen]
            spans += [(start + offset, end + offset, label) for start, end, label in found]
            for problem in wrong:
                line = sentence.numbers[problem.place]
                problems.append(Problem(line, f"column {place}: {problem.found}", problem.advice))
        offset += len(tags)
    if missing and len(missing) == offset:
        return None, ()
    return spans, join_stretches([(at, at + 1) for at in missing])


DEFAULTS = {
    name: parameter.default
    for name, parameter in inspect.signature(read_conll).parameters.items()
    if name != "path"
}


BEGUN = ArticleState(START.article, True)


def blocks_of_conll() -> BlockReader:
    """How CoNLL files are read in blocks of documents."""
    return BlockReader(
        _open_documents, b"".join, _read_some_documents, "token", again=_raw_documents
    )


def _open_documents(
    path: PathLike, options: Mapping[str, Any]
) -> tuple[Reading, Iterator[Run | tuple[bytes, ArticleState]]]:
    """(how the file is read, its documents)."""
    how = {name: options.get(name, default) for name, default in DEFAULTS.items()}
    reading, _ = _resolve_reading(path, partial(read_pieces, path), keep=False, **how)
    return reading, _raw_documents(path, reading)


def _raw_documents(path: PathLike, reading: Reading) -> Iterator[Run | tuple[bytes, ArticleState]]:
    """(text, state in front) of each document; the texts make up the file to its last document.

    Of sentences, many at a time.
    """
    if not reading.by_sentence or reading.articles:
        yield from _documents_of_items(path, reading)
        return
    state, front, first = START, b"", 1
    for data in read_pieces(path):
        n_lines = count_lines(data)
        try:
            ends = sentence_ends(data, reading, header=first == 1)
        except NotPlainError:
            data = empty_blank_lines(data)
            ends = _ends_of_items(path, first, data.decode(), reading)
        first += n_lines
        if ends:
            shifted = [len(front) + end for end in ends]
            yield Run(front + data[: ends[-1]], state, shifted, BEGUN)
            state, front, data = BEGUN, b"", data[ends[-1] :]
        front += data
    if state is START:
        raise FormatError(NO_DOCUMENTS, path)


def _documents_of_items(path: PathLike, reading: Reading) -> Iterator[tuple[bytes, ArticleState]]:
    """The same of any documents, item by item."""
    state, full = START, False
    texts: list[str] = []
    chunks = (_raw_items(path, *chunk, reading) for chunk in read_chunks(path))
    items = (item for some in chunks for item in some)
    for opens, article, text, item in in_articles(items, START):
        if full and (reading.by_sentence or opens):
            yield "".join(texts).encode(), state
            state, texts, full = ArticleState(article - opens, True), [], False
        texts.append(text)
        full = full or isinstance(item, SentenceColumns) or (opens and not reading.by_sentence)
    if full:
        yield "".join(texts).encode(), state
    elif state is START:
        raise FormatError(NO_DOCUMENTS, path)


def _ends_of_items(path: PathLike, first: int, text: str, reading: Reading) -> list[int]:
    """Where sentences of some lines end, in bytes."""
    ends, at = [], 0
    for more, item in _raw_items(path, first, text, reading):
        at += len(more.encode())
        if isinstance(item, SentenceColumns):
            ends.append(at)
    return ends


def _raw_items(
    path: PathLike, first: int, text: str, reading: Reading
) -> Iterator[tuple[str, Item]]:
    """(text, item) of all items of some lines, the text with all lines as they are in the file."""
    at, counted, split, marked = 0, 0, None, has_marks(text)
    if reading.header and first == 1:
        at = text.find("\n") + 1 or len(text)
        yield text[:at], ""
    while at < len(text):
        start, end = at, text.find("\n\n", at) + 2
        at = end if end > 1 else len(text)
        paragraph = text[start:at]
        if marked and has_marks(paragraph):
            split = split or splitter(text, reading.separator)
            first, counted = first + text.count("\n", counted, start), start
            yield from _marked_items(path, paragraph, first, split, reading)
        else:
            yield paragraph, SOME if paragraph[0] != "\n" or paragraph.strip("\n") else ""


def _marked_items(
    path: PathLike, paragraph: str, line: int, split: Splitter, reading: Reading
) -> Iterator[tuple[str, Item]]:
    """(text, item) of the items of a paragraph that does not have tokens alone."""
    problems: list[Problem] = []
    lines = paragraph.split("\n")
    blank = paragraph[0] == "\n"
    items = parse_items(paragraph.strip("\n"), line + blank, split, reading, problems)
    # nobody else might: the lines may be in no document, unless these keep all of them
    leave_out(path, problems, TOKENS)
    starts = [0, *(number - line for number, _ in items[1:]), len(lines)]
    for start, end, (_, item) in zip(starts, starts[1:], items):
        yield "\n".join(lines[start:end]) + "\n" * (end < len(lines)), item


def _read_some_documents(
    excerpt: Excerpt, reading: Reading, options: Mapping[str, Any], state: ArticleState
) -> Corpus:
    """The corpus of some documents of a file."""
    return _corpus_of(excerpt, [excerpt.content], reading, state, excerpt.first)


def write_conll(
    path: PathLike, corpus: Corpus, layers: Sequence[str] | None = None, *, scheme: str = "IOB2"
) -> None:
    """Write tokens, tags, sentences and names.

    Without `layers`, all of them are written, and a first line `#token<tab>name...` names them:
    `read_conll(path, columns="all")` returns the corpus. Documents of one sentence stand between
    empty lines, others begin with a -DOCSTART- line. The tags of a document that was not annotated
    are hyphens, and so are those of missing tokens. Attributes of a document of one sentence follow
    its name.

    The corpus is what `losses.reduced` leaves. A document without sentences comes back as one
    sentence, missing tokens as missing in each layer, an absent layer as not annotated. Tags of
    IOB1 are read with scheme="IOB1".

    Parameters
    ----------
    layers : sequence of str, optional
        Layers to write, without their names.
    scheme : "IOB1", "IOB2", "BIOES" or "BILUO"
    """
    known(scheme, SCHEMES, "scheme")
    if corpus.positions != "token":
        raise FormatError(
            "a corpus without tokens; --tokenizer LANG makes some, JSONL does without", path
        )
    check_words(corpus, path)
    single = all(doc.words and doc.sents in ((), (0,)) for doc in corpus.documents)
    lines = [] if layers is not None else ["\t".join(["#token", *corpus.layer_names])]
    layers = corpus.layer_names if layers is None else layers
    for place, document in enumerate(corpus.documents, 1):
        try:
            lines += _document_lines(document, layers, scheme, single)
        except ValueError as error:
            raise FormatError(
                f"{document_title(document, place)}: {error}; write JSONL", path
            ) from error
    write_atomically(path, lines)


def _document_lines(
    document: Document, layers: Sequence[str], scheme: str, single: bool
) -> list[str]:
    """The lines of one document."""
    lines = [] if single else [f"{DOCSTART} -X- O O", ""]
    lines += _comment_lines(document, single)
    cuts = sorted({0, *document.sents, len(document.words)})
    columns = [_tag_column(document, layer, cuts, scheme) for layer in layers]
    for start, end in zip(cuts, cuts[1:]):
        lines += map("\t".join, zip(*(one[start:end] for one in (document.words, *columns))))
        lines.append("")
    return lines


def _comment_lines(document: Document, single: bool) -> list[str]:
    """The lines that say the name and the attributes."""
    if not document.attributes:
        if document.name is None:
            return []
        return [f"# id {document.name}" if single else f"# doc_id = {document.name}"]
    pairs = [f"{key}={said}" for key, said in document.attributes.items()]
    name = "# attributes =" if document.name is None else f"# id {document.name}"
    return ["\t".join([name, *pairs])]


def _tag_column(document: Document, layer: str, cuts: Sequence[int], scheme: str) -> list[str]:
    """The tags of one layer."""
    spans = document.layers.get(layer)
    if spans is None:
        return [UNSEEN] * len(document.words)
    tags, rows = [], one_piece(spans)
    for start, end in zip(cuts, cuts[1:]):
        own = [(s - start, e - start, label) for s, e, label in rows if start <= s < end]
        tags += tags_of_spans(own, end - start, scheme=scheme)
    for start, end in document.gaps(layer):
        tags[start:end] = [UNSEEN] * (end - start)
    return tags
