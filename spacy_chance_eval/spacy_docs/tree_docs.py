"""spaCy's documents as `Trees`: items are their sentences; predictions lie on the gold tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import spacy
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Alignment, Example
from spacy.vocab import Vocab

from ..formats import FormatError
from ..formats.errors import PathLike
from ..formats.paths import docbins_at, is_several, path_of
from ..formats.sentences import Sentence, Treebank, first_apart, with_root
from ..measures.arrays import Array, BoolArray, IntArray
from ..measures.docs import names_of_docs
from ..measures.trees.trees import Trees
from ..scoring.counts import Progress, no_progress
from .docbin import docs_of, load_docbin
from .pipeline import examples_of, load

ALONE = "gold tokens without a predicted token that fits (relation (none))"
ABSENT = "(none)"  # the relation of predicted tokens without any, and where no such token fits
UNFIT = -1  # the head of a token that has none in its sentence
PARTLY = "sentences of which only some tokens have a relation (not annotated)"
SPACES = "tokens of white space without a relation (left out)"


def trees_of_docs(
    docs: Iterable[Doc], *, lower: bool = False, cycles: str = "error"
) -> tuple[Trees, list[Sentence]]:
    """The `Trees` of some Docs, and the `Sentence` behind each item.

    Items are sentences where these are annotated, else whole Docs. They are called DOC/NUMBER, or
    DOC, if all Docs have names of their own (`user_data["name"]`). A head outside of the sentence
    counts as the artificial root. Tokens of white space that have no relation are left out. An item
    of which any other token has no relation is not seen: a tree with holes has no edit distance.
    (spaCy's `score_deps` leaves out such tokens alone.)

    Parameters
    ----------
    docs : iterable of Doc
    lower : bool
        Whether to lower the case of relations, as spaCy does to score a parser.
    cycles : "error" or "reachable"
        What to make of heads that form a cycle: with "reachable", only what the root leads to is
        compared.

    Raises
    ------
    ValueError
        For heads that form a cycle, with sentence and token.

    Examples
    --------
    >>> import spacy
    >>> from spacy.tokens import Doc
    >>> words, relations = ["Ada", "slept", "."], ["nsubj", "ROOT", "punct"]
    >>> doc = Doc(spacy.blank("en").vocab, words=words, heads=[1, 1, 1], deps=relations)
    >>> trees, sentences = trees_of_docs([doc])
    >>> trees.parents.tolist(), sentences[0].words
    ([1, -1, 1], ('Ada', 'slept', '.'))
    """
    sentences = _sentences_of_docs(list(docs), lower=lower)
    return Treebank("the documents", "dependency", sentences).trees(cycles), sentences


def trees_of_examples(
    examples: Iterable[Example], *, lower: bool = True, cycles: str = "error"
) -> tuple[Trees, Trees]:
    """Gold and predicted `Trees` of some Examples: the sentences of gold, on the gold tokens.

    The trees of gold are those of `trees_of_docs`. A predicted token is carried over to the gold
    token that it is aligned with one to one. A gold token without such a partner hangs under the
    artificial root, with the relation "(none)"; so does a predicted token without a relation. A
    predicted head that fits no gold token, or one of another sentence, counts as the artificial
    root; the relation is kept. Where gold is not seen, the prediction is not seen either.

    Parameters
    ----------
    examples : iterable of spacy.training.Example
    lower : bool
        Whether to lower the case of relations, as spaCy does to score a parser.
    cycles : "error" or "reachable"
        What to make of heads that form a cycle: with "reachable", only what the root leads to is
        compared.

    Raises
    ------
    ValueError
        For heads that form a cycle, with sentence and token.
    """
    gold, pred = treebanks_of_examples(examples, lower=lower)
    return gold.trees(cycles), pred.trees(cycles)


def treebanks_of_examples(
    examples: Iterable[Example], *, lower: bool = True
) -> tuple[Treebank, Treebank]:
    """The two treebanks behind `trees_of_examples`; the words of both are those of gold.

    The notes of the second one count the tokens of gold that no predicted token fits.
    """
    examples, n_alone = list(examples), 0
    texts: dict[int, str] = {}
    named = names_of_docs([example.y for example in examples])
    golds: list[Sentence] = []
    preds: list[Sentence] = []
    for number, example in enumerate(examples):
        gold = _parse_of(example.y, texts, lower)
        pred = _completed(_parse_of(example.x, texts, lower))
        if pred.words != gold.words:  # an alignment would also lose white space
            pred, alone = _on_gold_tokens(pred, example.alignment)
            n_alone += int((alone & gold.kept).sum())
        names = named[number] if named else None, f"document {number + 1}"
        rows = list(_sentences_of(gold, *names))
        golds += rows
        carried = _sentences_of(gold._replace(heads=pred.heads, labels=pred.labels), *names)
        preds += [row if row.parents is None else other for row, other in zip(rows, carried)]
    return (
        Treebank("the gold documents", "dependency", golds),
        Treebank(
            "the predicted documents", "dependency", preds, {ALONE: n_alone} if n_alone else {}
        ),
    )


def treebank_of_docbin(path: PathLike, role: str = "gold") -> Treebank:
    """The `Treebank` of a `.spacy` file, with the sentences of `trees_of_docs`.

    The relation "ROOT" is read as "root", as from any file. A prediction leaves nothing
    out: its tokens without a relation hang under the artificial root, with the relation "(none)".

    Raises
    ------
    FormatError
        If the file is missing, no DocBin, or has no dependencies.
    """
    docs = list(docs_of(load_docbin(path), spacy.blank("xx").vocab, path))
    if not docs:
        raise FormatError("no documents", path)
    notes: dict[str, int] = {}
    sentences = _sentences_of_docs(docs, complete=role == "pred", notes=notes)
    annotated = any(doc.has_annotation("DEP") for doc in docs if len(doc))
    if not annotated or not any(sentence.parents is not None for sentence in sentences):
        raise FormatError(
            "no sentence has the relations (Token.dep_) of all of its tokens; trees need them: "
            "parse or annotate the documents",
            path,
        )
    sentences = [with_root(sentence) for sentence in sentences]
    return Treebank(str(path), "dependency", sentences, notes)


def _sentences_of_docs(
    docs: Sequence[Doc],
    *,
    lower: bool = False,
    complete: bool = False,
    notes: dict[str, int] | None = None,
) -> list[Sentence]:
    """The sentences of some Docs; with `complete`, all are annotated. What is left out is noted."""
    named = names_of_docs(docs)
    texts: dict[int, str] = {}
    sentences: list[Sentence] = []
    for number, doc in enumerate(docs):
        parse = _parse_of(doc, texts, lower)
        if notes is not None:
            _count_left_out(parse, notes, complete)
        if complete:
            parse = _completed(parse)
        name = named[number] if named else None
        sentences += _sentences_of(parse, name, f"document {number + 1}")
    return sentences


class _Parse(NamedTuple):
    """The dependencies of one Doc by token."""

    words: list[str]
    heads: IntArray  # tokens of the Doc, or UNFIT
    labels: Array  # texts; "" has no relation
    kept: BoolArray  # tokens that belong to the tree
    starts: IntArray  # where sentences begin, and the number of tokens
    divided: bool  # whether sentences are annotated


def _parse_of(doc: Doc, texts: dict[int, str], lower: bool) -> _Parse:
    """The `_Parse` of a Doc; `texts` keeps texts by their hashes: to make tokens takes longer."""
    table = doc.to_array([HEAD, DEP, IS_SPACE, SENT_START, ORTH])
    head, dep, space, sent_start, orth = table.T
    words, labels = orth.tolist(), dep.tolist()
    for key in {*words, *labels} - texts.keys():
        texts[key] = doc.vocab.strings[key]
    labels = [texts[key].lower() if lower else texts[key] for key in labels]
    own = np.arange(len(doc))
    heads = own + head.astype(np.int64)
    divided = doc.has_annotation("SENT_START")
    begin = (sent_start == 1) if divided else np.zeros(len(doc), bool)
    begin[:1] = True
    return _Parse(
        [texts[key] for key in words],
        np.where(heads == own, UNFIT, heads),
        np.array(labels, object),
        (space == 0) | (dep != 0),
        np.append(np.flatnonzero(begin), len(doc)),
        divided,
    )


def _sentences_of(parse: _Parse, name: str | None, document: str) -> Iterator[Sentence]:
    """The sentences of a Doc, as `Sentence`; those with a token without relation lack a tree."""
    starts, heads, kept = parse.starts, parse.heads, parse.kept
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    places = np.cumsum(kept) - 1
    inside = (heads != UNFIT) & kept[heads] & (sentence[heads] == sentence)
    first = (places + 1 - kept)[starts[:-1]]  # kept tokens before the sentence
    parents = np.where(inside, places[heads] - first[sentence], UNFIT)
    known = parse.labels != ""
    for number, (start, end) in enumerate(pairwise(starts.tolist()), 1):
        own = np.flatnonzero(kept[start:end]) + start
        seen = len(own) > 0 and known[own].all()
        yield Sentence(
            f"{name}/{number}" if name and parse.divided else name,
            tuple(parse.words[i] for i in own),
            tuple(parents[own].tolist()) if seen else None,
            tuple(parse.labels[own].tolist()) if seen else None,
            document=document,
            place=f"{document}, sentence {number}" if parse.divided else document,
        )


def _completed(parse: _Parse) -> _Parse:
    """The parse, with the relation "(none)" to the root for tokens without any."""
    known = parse.labels != ""
    return parse._replace(
        heads=np.where(known, parse.heads, UNFIT), labels=np.where(known, parse.labels, ABSENT)
    )


def _on_gold_tokens(pred: _Parse, alignment: Alignment) -> tuple[_Parse, BoolArray]:
    """The predicted `_Parse` on the tokens of gold, and which of these no predicted token fits."""
    onto = _partners(alignment.x2y, alignment.y2x)  # gold tokens of predicted ones
    fits = np.flatnonzero(onto != UNFIT)
    heads = np.full(len(alignment.y2x.lengths), UNFIT)
    labels = np.full(len(heads), ABSENT, object)
    own = pred.heads[fits]
    heads[onto[fits]] = np.where(own == UNFIT, UNFIT, onto[own])
    labels[onto[fits]] = pred.labels[fits]
    alone = np.ones(len(heads), bool)
    alone[onto[fits]] = False
    return pred._replace(heads=heads, labels=labels), alone


def _partners(there: Any, back: Any) -> IntArray:
    """For each token its only partner in the other Doc, if this has no other; else UNFIT.

    `there` and `back` are the ragged arrays of an alignment.
    """
    partners = np.full(len(there.lengths), UNFIT)
    single = np.flatnonzero(there.lengths == 1)
    partner = there.data[there.starts[single]]
    mutual = back.lengths[partner] == 1
    partners[single[mutual]] = partner[mutual]
    return partners


def _count_left_out(parse: _Parse, notes: dict[str, int], complete: bool) -> None:
    """Count what trees leave out, in the notes."""
    n_spaces = int((~parse.kept).sum())
    if n_spaces:
        notes[SPACES] = notes.get(SPACES, 0) + n_spaces
    known = (parse.labels != "")[parse.kept]
    sentence = np.repeat(np.arange(len(parse.starts) - 1), np.diff(parse.starts))[parse.kept]
    n_partly = len(set(sentence[known].tolist()) & set(sentence[~known].tolist()))
    if n_partly and not complete:
        notes[PARTLY] = notes.get(PARTLY, 0) + n_partly


def treebanks_of_docbins(gold: PathLike, pred: PathLike) -> tuple[Treebank, Treebank]:
    """Gold and predicted `Treebank` of two `.spacy` files, or folders of them, of the same texts.

    Tokens and sentences may differ: those of gold count, as in `trees_of_examples`. Documents are
    matched by their names, if both have the same ones, else by place.

    Raises
    ------
    FormatError
        If a file is no DocBin, or documents are not of the same number or text.
    """
    vocab = spacy.blank("xx").vocab
    golds, preds = (_docs_in(path, vocab) for path in (gold, pred))
    if len(golds) != len(preds):
        raise FormatError(
            f"{len(preds)} document{'s' * (len(preds) != 1)}, but {len(golds)} in {gold}; both "
            "need the same ones",
            pred,
        )
    names, theirs = names_of_docs(golds), names_of_docs(preds)
    if names and theirs and set(names) == set(theirs):
        by_name = dict(zip(theirs, preds))
        preds = [by_name[name] for name in names]
    for number, (one, two) in enumerate(zip(golds, preds), 1):
        if _bare(one) != _bare(two):
            there, here, at = first_apart(_bare(one), _bare(two))
            name = f" ({names[number - 1]})" if names else ""
            raise FormatError(
                f"document {number}{name} has another text than in {gold}: {here}, but there "
                f"{there} (character {at}, without spaces); compare trees of the same texts",
                pred,
            )
    return _treebanks_on_gold(map(Example, preds, golds), gold, pred)


def _docs_in(path: PathLike, vocab: Vocab) -> list[Doc]:
    """The Docs of a `.spacy` file, or of all those in a folder, but for empty ones."""
    path = path_of(path)
    files = docbins_at(path) if is_several(path) else [path]
    docs = [doc for file in files for doc in docs_of(load_docbin(file), vocab, file) if len(doc)]
    if not docs:
        raise FormatError("no documents; expected a .spacy file or a folder with some", path)
    return docs


def _bare(doc: Doc) -> str:
    """The text of a Doc without any white space."""
    return "".join(doc.text.split())


def _treebanks_on_gold(
    examples: Iterable[Example], gold: PathLike, pred: PathLike
) -> tuple[Treebank, Treebank]:
    """The two treebanks of some Examples, under the paths of gold and prediction."""
    examples = list(examples)
    _check_parsed(examples, pred)
    one, two = treebanks_of_examples(examples, lower=False)
    if all(sentence.parents is None for sentence in one.sentences):
        raise FormatError("no sentence has the relations (Token.dep_) of all of its tokens", gold)
    return _rooted(one, gold), _rooted(two, pred)


def _rooted(bank: Treebank, path: PathLike) -> Treebank:
    """The treebank, under a path, with the relation "root" at the root."""
    return replace(bank, path=str(path), sentences=tuple(map(with_root, bank.sentences)))


def predicted_treebanks(
    model: str | Path,
    gold: PathLike | Treebank,
    *,
    code: str | Path | None = None,
    gpu_id: int = -1,
    n_process: int = 1,
    batch_size: int | None = None,
    progress: Progress | None = None,
) -> tuple[Treebank, Treebank]:
    """Gold and predicted `Treebank` of a trained pipeline, run on the texts of gold.

    On `.spacy` files the pipeline makes its own tokens and sentences where gold has the spaces
    between tokens, as in `spacy evaluate`; these are carried over as in `trees_of_examples`. On
    other treebanks it gets the sentences and tokens of gold. The relation "ROOT" is read as "root".

    Parameters
    ----------
    model : str or Path
        By name or folder.
    gold : str, Path or Treebank
        A `.spacy` file or a folder of them, or a treebank with words.
    code : str or Path, optional
        A Python file to import first, for components and functions of your own.
    gpu_id : int
        -1 is the CPU.
    n_process, batch_size : int
        Processes that the pipeline runs in, and the number of texts that it takes at a time.
    progress : callable, optional
        progress(steps, total, what) wraps the documents.

    Raises
    ------
    ValueError, OSError
        If the pipeline cannot be loaded or predicts no dependencies, gold cannot be read or has no
        words or no dependencies.
    """
    nlp = load(model, code, gpu_id)
    examples = list(
        _examples_of_sentences(nlp, gold) if isinstance(gold, Treebank) else examples_of(nlp, gold)
    )
    docs = nlp.pipe(
        (example.predicted for example in examples), n_process=n_process, batch_size=batch_size
    )
    report = progress or no_progress
    for example, doc in zip(examples, report(docs, len(examples), f"{model}: documents")):
        example.predicted = doc
    if not isinstance(gold, Treebank):
        return _treebanks_on_gold(examples, gold, model)
    _check_parsed(examples, model)
    predicted = [_whole_tree(*pair) for pair in zip(gold.sentences, examples)]
    return _rooted(gold, gold.path), _rooted(replace(gold, sentences=predicted), model)


def _check_parsed(examples: Iterable[Example], pred: PathLike) -> None:
    """Raise if nothing is parsed."""
    if not any(example.x.has_annotation("DEP") for example in examples):
        raise FormatError("no dependencies are predicted; expected those of a parser", pred)


def _whole_tree(sentence: Sentence, example: Example) -> Sentence:
    """The sentence with the tree that is predicted for it, however many roots that has."""
    parse = _completed(_parse_of(example.x, {}, False))
    parse = parse._replace(starts=np.array([0, len(example.x)]), divided=False)
    (tree,) = _sentences_of(parse, sentence.name, sentence.document)
    return replace(sentence, parents=tree.parents, labels=tree.labels)


def _examples_of_sentences(nlp: Language, gold: Treebank) -> Iterator[Example]:
    """An Example for each sentence of a treebank, with its tokens; they are not to be divided."""
    if gold.kind != "dependency":
        raise FormatError(
            f"{gold.kind} trees; the pipeline predicts dependencies, which need others", gold.path
        )
    for sentence in gold.sentences:
        if not sentence.words:
            raise FormatError(
                "a sentence without words; a pipeline needs some",
                sentence.path or gold.path,
                sentence.line,
            )
        words = list(sentence.words)
        starts: list[bool | int | None] = [True, *[False] * (len(words) - 1)]
        doc = Doc(nlp.vocab, words=words, sent_starts=starts)
        yield Example(doc, doc.copy())
