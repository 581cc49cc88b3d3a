"""spaCy's documents as `Trees`: items are their sentences; predictions lie on the gold tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import spacy
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..formats import FormatError
from ..formats.errors import PathLike
from ..formats.paths import docbins_at, is_several, path_of
from ..formats.sentences import Sentence, Treebank, first_apart, root_name
from ..measures.arrays import Array, BoolArray, IntArray, distinct
from ..measures.docs import names_of_docs
from ..measures.trees.trees import Trees
from ..scoring.counts import Progress, no_progress
from .docbin import docs_of, load_docbin
from .pipeline import examples_of, fill_predictions, load

GOLD, PREDICTED = "the gold documents", "the predicted documents"  # for messages
ALONE = "gold tokens without a predicted token that fits (relation (none))"
ABSENT = "(none)"  # the relation of predicted tokens without any, and where no such token fits
UNFIT = -1  # the head of a token that has none in its sentence
PARTLY = "sentences of which only some tokens have a relation (not annotated)"
NO_RELATION = 0  # the number of the relation of tokens without any, whose text is empty
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
        How to treat heads that form a cycle: with "reachable", only tokens below the root are
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
    parses = _parses_of(list(docs), str.lower if lower else str)
    bank = Treebank("the documents", "dependency", parses.sentences(parses.seen))
    return bank.trees(cycles), list(bank.sentences)


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
        How to treat heads that form a cycle: with "reachable", only tokens below the root are
        compared.

    Raises
    ------
    ValueError
        For heads that form a cycle, with sentence and token.
    """
    gold, pred = treebanks_of_examples(examples, rename=str.lower if lower else str)
    return gold.trees(cycles), pred.trees(cycles)


def treebanks_of_examples(
    examples: Iterable[Example], *, rename: Callable[[str], str] = str.lower
) -> tuple[Treebank, Treebank]:
    """The two treebanks behind `trees_of_examples`; the words of both are those of gold.

    `rename` makes the names of relations. The notes of the second one count the tokens of gold that
    no predicted token fits.
    """
    examples = list(examples)
    gold = _parses_of([example.y for example in examples], rename)
    pred = _parses_of([example.x for example in examples], rename).completed()
    pred, alone = pred.onto(gold, _partners(pred, gold, examples))
    n_alone = int((alone & gold.kept).sum())
    notes = {ALONE: n_alone} if n_alone else {}
    return (
        Treebank(GOLD, "dependency", gold.sentences(gold.seen)),
        Treebank(PREDICTED, "dependency", pred.sentences(gold.seen), notes),
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
    parses = _parses_of(docs, root_name)
    notes = {SPACES: int((~parses.kept).sum())}
    if role == "pred":
        parses = parses.completed()
    else:
        notes[PARTLY] = int(((parses.n_known > 0) & ~parses.seen).sum())
    annotated = any(doc.has_annotation("DEP") for doc in docs if len(doc))
    if not annotated or not parses.seen.any():
        raise FormatError(
            "no sentence has the relations (Token.dep_) of all of its tokens; trees need them: "
            "parse or annotate the documents",
            path,
        )
    notes = {what: n for what, n in notes.items() if n}
    return Treebank(str(path), "dependency", parses.sentences(parses.seen), notes)


@dataclass(frozen=True, eq=False)
class _Parses:
    """The dependencies of some Docs as columns, one Doc after the other.

    Parameters
    ----------
    words : array of shape (n_tokens,)
        Hashes of the words.
    heads : integer array of shape (n_tokens,)
        Place of the head among all tokens, or UNFIT.
    labels : integer array of shape (n_tokens,)
        Numbers of relations.
    texts : sequence of str
        Names of relations; some may be the same, and the first is that of no relation.
    kept : boolean array of shape (n_tokens,)
        Which tokens belong to trees.
    starts : integer array of shape (n_sentences + 1,)
        Where sentences begin, and at the end the number of tokens.
    divided : boolean array of shape (n_docs,)
        In which Docs sentences are annotated; the others are one sentence each.
    """

    docs: Sequence[Doc]
    words: Array
    heads: IntArray
    labels: IntArray
    texts: tuple[str, ...]
    kept: BoolArray
    starts: IntArray
    divided: BoolArray

    @cached_property
    def ends(self) -> IntArray:
        """Where each Doc ends: shape (n_docs,)."""
        return np.cumsum([len(doc) for doc in self.docs], dtype=np.int64)

    @cached_property
    def sentence(self) -> IntArray:
        """The sentence of each token."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def n_kept(self) -> IntArray:
        """Number of tokens of the tree of each sentence."""
        return self._count(self.kept)

    @cached_property
    def n_known(self) -> IntArray:
        """Number of those that have a relation."""
        return self._count(self.kept & (self.labels != NO_RELATION))

    @property
    def seen(self) -> BoolArray:
        """Which sentences have a tree: all of their tokens, and there are some, have a relation."""
        seen: BoolArray = (self.n_kept > 0) & (self.n_known == self.n_kept)
        return seen

    @property
    def parents(self) -> IntArray:
        """Place of the head of each token among the kept ones of its sentence, or UNFIT."""
        heads, sentence = self.heads, self.sentence
        places = np.cumsum(self.kept) - 1
        inside = (heads != UNFIT) & self.kept[heads] & (sentence[heads] == sentence)
        first = (places + 1 - self.kept)[self.starts[:-1]]  # kept tokens before the sentence
        return np.where(inside, places[heads] - first[sentence], UNFIT)

    @cached_property
    def called(self) -> tuple[list[str | None], list[str], list[str]]:
        """The id, document, and place in words of each sentence."""
        doc = np.searchsorted(self.ends, self.starts[:-1], side="right")
        number = np.arange(len(doc)) - np.searchsorted(doc, doc) + 1
        pairs = list(zip(doc.tolist(), number.tolist()))
        named, divided = names_of_docs(self.docs), self.divided.tolist()
        documents = [f"document {at + 1}" for at, _ in pairs]
        ids: list[str | None] = [None] * len(pairs)
        if named:
            ids = [f"{named[at]}/{n}" if divided[at] else named[at] for at, n in pairs]
        places = [
            f"{document}, sentence {n}" if divided[at] else document
            for document, (at, n) in zip(documents, pairs)
        ]
        return ids, documents, places

    def _count(self, tokens: BoolArray) -> IntArray:
        """How many of some tokens each sentence has."""
        return np.bincount(self.sentence[tokens], minlength=len(self.starts) - 1)

    def completed(self) -> _Parses:
        """The parses, with the relation "(none)" to the root for tokens without any."""
        known = self.labels != NO_RELATION
        heads = np.where(known, self.heads, UNFIT)
        labels = np.where(known, self.labels, len(self.texts))
        return replace(self, heads=heads, labels=labels, texts=(*self.texts, ABSENT))

    def onto(self, gold: _Parses, tokens: IntArray) -> tuple[_Parses, BoolArray]:
        """The parses on the tokens of gold, and which of these no token fits.

        `tokens` has the one of gold that each token fits, or UNFIT.
        """
        fits = np.flatnonzero(tokens != UNFIT)
        own, there = self.heads[fits], tokens[fits]
        heads = np.full(len(gold.words), UNFIT)
        labels = np.full(len(heads), len(self.texts))
        heads[there] = np.where(own == UNFIT, UNFIT, tokens[own])
        labels[there] = self.labels[fits]
        alone = np.ones(len(heads), bool)
        alone[there] = False
        return replace(gold, heads=heads, labels=labels, texts=(*self.texts, ABSENT)), alone

    def sentences(self, seen: BoolArray) -> list[Sentence]:
        """The sentences; those that are not `seen` without a tree."""
        texts = _texts_of(self.words, self.docs)
        words = [texts[word] for word in self.words[self.kept].tolist()]
        labels = [self.texts[label] for label in self.labels[self.kept].tolist()]
        parents = self.parents[self.kept].tolist()
        ends = np.cumsum(self.n_kept).tolist()
        spans = zip([0, *ends[:-1]], ends, seen.tolist(), *self.called)
        return [
            Sentence(
                name,
                tuple(words[a:b]),
                tuple(parents[a:b]) if there else None,
                tuple(labels[a:b]) if there else None,
                document=document,
                place=place,
            )
            for a, b, there, name, document, place in spans
        ]


def _parses_of(
    docs: Sequence[Doc], rename: Callable[[str], str], *, whole: bool = False
) -> _Parses:
    """The `_Parses` of some Docs; with `whole` each Doc is one sentence."""
    table = np.concatenate(
        [np.zeros((0, 5), np.uint64)]
        + [doc.to_array([HEAD, DEP, IS_SPACE, SENT_START, ORTH]) for doc in docs]
    )
    head, dep, space, sent_start, words = table.T
    none = np.array([NO_RELATION], np.uint64)
    hashes, labels = np.unique(np.concatenate([none, dep]), return_inverse=True)
    texts = _texts_of(hashes, docs)
    own = np.arange(len(table))
    heads = own + head.astype(np.int64)
    sizes = np.array([len(doc) for doc in docs], np.int64)
    starts = np.cumsum([0, *sizes])
    divided = np.zeros(len(docs), bool)
    if not whole:
        divided[:] = [doc.has_annotation("SENT_START") for doc in docs]
        begin = np.repeat(divided, sizes) & (sent_start == 1)
        begin[starts[:-1][sizes > 0]] = True
        starts = np.append(np.flatnonzero(begin), len(table))
    return _Parses(
        docs,
        words,
        np.where(heads == own, UNFIT, heads),
        labels[1:],
        tuple(rename(texts[key]) for key in hashes.tolist()),
        (space == 0) | (dep != 0),
        starts,
        divided,
    )


def _texts_of(hashes: Array, docs: Sequence[Doc]) -> dict[int, str]:
    """The texts of hashes, which are in the vocabularies of some Docs."""
    stores = list({id(doc.vocab): doc.vocab.strings for doc in docs}.values())
    texts = {}
    for key in distinct(hashes).tolist():
        store = next((one for one in stores if key in one), None)
        texts[key] = "" if store is None else store[key]
    return texts


def _partners(pred: _Parses, gold: _Parses, examples: Sequence[Example]) -> IntArray:
    """For each predicted token the gold token that it fits, or UNFIT.

    Each of the two is the only partner of the other. Docs with the same words are not aligned: an
    alignment would also lose white space.
    """
    sides = zip(*(np.split(one.words, one.ends[:-1]) for one in (pred, gold)))
    rows, first = [np.zeros(0, np.int64)], 0
    for example, (mine, theirs) in zip(examples, sides):
        tokens = np.arange(len(mine)) + first
        if not np.array_equal(mine, theirs):
            there, back = example.alignment.x2y, example.alignment.y2x
            (single,) = np.nonzero(there.lengths == 1)
            partner = there.data[(np.cumsum(there.lengths) - there.lengths)[single]]
            mutual = back.lengths[partner] == 1
            tokens[:] = UNFIT
            tokens[single[mutual]] = partner[mutual] + first
        rows.append(tokens)
        first += len(theirs)
    return np.concatenate(rows)


def treebanks_of_docbins(gold: PathLike, pred: PathLike) -> tuple[Treebank, Treebank]:
    """Gold and predicted `Treebank` of two `.spacy` files, or folders of them, of the same texts.

    Tokens and sentences may differ: those of gold count, as in `trees_of_examples`. Documents are
    matched by their names, if both have the same ones, else by place.
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
    one, two = treebanks_of_examples(examples, rename=root_name)
    if all(sentence.parents is None for sentence in one.sentences):
        raise FormatError("no sentence has the relations (Token.dep_) of all of its tokens", gold)
    return replace(one, path=str(gold)), replace(two, path=str(pred))


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
    report = partial(progress or no_progress, total=len(examples), what=f"{model}: documents")
    fill_predictions(nlp, examples, report, n_process=n_process, batch_size=batch_size)
    if not isinstance(gold, Treebank):
        return _treebanks_on_gold(examples, gold, model)
    _check_parsed(examples, model)
    parses = _parses_of([example.x for example in examples], root_name, whole=True).completed()
    predicted = [
        replace(sentence, parents=tree.parents, labels=tree.labels)
        for sentence, tree in zip(gold.sentences, parses.sentences(parses.seen))
    ]
    sentences = (
        replace(one, labels=one.labels and tuple(map(root_name, one.labels)))
        for one in gold.sentences
    )
    gold = replace(gold, sentences=tuple(sentences))
    return gold, replace(gold, path=str(model), sentences=predicted)


def _check_parsed(examples: Iterable[Example], pred: PathLike) -> None:
    """Raise if nothing is parsed."""
    if not any(example.x.has_annotation("DEP") for example in examples):
        raise FormatError("no dependencies are predicted; expected those of a parser", pred)


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
