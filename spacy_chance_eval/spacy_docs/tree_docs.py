"""spaCy's documents as `Trees`: items are their sentences; predictions lie on the gold tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
import spacy
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..formats import FormatError
from ..formats.errors import PathLike
from ..formats.openings import docbins_at
from ..formats.paths import is_several, path_of
from ..formats.sentences import Sentence, Treebank, first_apart, root_name
from ..measures.arrays import IntArray
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
    docs, rename = list(docs), str.lower if lower else str
    (sentences,), _ = _sentences_of(docs, [_parse_of(doc, rename) for doc in docs])
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
    docs = [example.y for example in examples]
    gold = [_parse_of(doc, rename) for doc in docs]
    partners = list(map(_partners, examples))
    pred = [
        _on_gold(_parse_of(one.x, rename), tokens, len(one.y))
        for one, tokens in zip(examples, partners)
    ]
    n_alone = sum(
        len({*_kept(doc).tolist()}.difference(tokens)) for doc, tokens in zip(docs, partners)
    )
    notes = {ALONE: n_alone} if n_alone else {}
    (one, two), _ = _sentences_of(docs, gold, pred)
    return Treebank(GOLD, "dependency", one), Treebank(PREDICTED, "dependency", two, notes)


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
    parses = [_parse_of(doc, root_name) for doc in docs]
    if role == "pred":
        parses = list(map(_completed, parses))
    (sentences,), notes = _sentences_of(docs, parses)
    annotated = any(doc.has_annotation("DEP") for doc in docs if len(doc))
    if not annotated or all(one.parents is None for one in sentences):
        raise FormatError(
            "no sentence has the relations (Token.dep_) of all of its tokens; trees need them: "
            "parse or annotate the documents",
            path,
        )
    return Treebank(str(path), "dependency", sentences, notes)


# the head of each token (itself, if it has none), and its relation ("": none)
_Parse: TypeAlias = tuple[list[int], list[str]]


def _parse_of(doc: Doc, rename: Callable[[str], str]) -> _Parse:
    """The heads and relations of a Doc."""
    head, dep = doc.to_array([HEAD, DEP]).T
    names = {key: rename(doc.vocab.strings[key]) for key in {*dep.tolist()}}
    return (np.arange(len(doc)) + head.astype(np.int64)).tolist(), [names[k] for k in dep.tolist()]


def _completed(parse: _Parse) -> _Parse:
    """A parse with the relation "(none)" to the root for tokens without any."""
    heads, labels = parse
    known = [head if label else token for token, (head, label) in enumerate(zip(heads, labels))]
    return known, [label or ABSENT for label in labels]


def _on_gold(parse: _Parse, partners: Sequence[int], n_tokens: int) -> _Parse:
    """A predicted parse on as many tokens of gold, some of which are `partners` of its own."""
    heads, labels = _completed(parse)
    found: _Parse = [*range(n_tokens)], [ABSENT] * n_tokens
    for there, head, label in zip(partners, heads, labels):
        if there != UNFIT:
            found[0][there] = there if partners[head] == UNFIT else partners[head]
            found[1][there] = label
    return found


def _partners(example: Example) -> list[int]:
    """For each predicted token the gold token that it fits, or UNFIT.

    Each of the two is the only partner of the other. Docs with the same words are not aligned: an
    alignment would also lose white space.
    """
    words, others = (doc.to_array(ORTH) for doc in (example.x, example.y))
    if np.array_equal(words, others):
        return [*range(len(words))]
    there, back = example.alignment.x2y, example.alignment.y2x
    tokens = np.full(len(words), UNFIT)
    (single,) = np.nonzero(there.lengths == 1)
    partner = there.data[(np.cumsum(there.lengths) - there.lengths)[single]]
    mutual = back.lengths[partner] == 1
    tokens[single[mutual]] = partner[mutual]
    return list(tokens.tolist())


def _kept(doc: Doc) -> IntArray:
    """The tokens of a Doc that belong to trees."""
    space, dep = doc.to_array([IS_SPACE, DEP]).T
    return np.flatnonzero((space == 0) | (dep != 0))


def _sentences_of(
    docs: Sequence[Doc], *parses: Sequence[_Parse]
) -> tuple[list[list[Sentence]], dict[str, int]]:
    """The sentences of some Docs with the trees of each of some parses of these, and notes.

    A sentence has a tree if all of its tokens, and there are some, have a relation in the first
    ones. Docs without annotated sentences are one each.
    """
    named, found = names_of_docs(docs), [list[Sentence]() for _ in parses]
    notes: Counter[str] = Counter()
    for at, (doc, *own) in enumerate(zip(docs, *parses)):
        divided, document = doc.has_annotation("SENT_START"), f"document {at + 1}"
        words, tokens = [token.text for token in doc], _kept(doc).tolist()
        starts = np.flatnonzero(doc.to_array(SENT_START)[1:] == 1) + 1 if divided else ()
        ends = [0, *starts, len(doc)] if len(doc) else []
        for number, (begin, end) in enumerate(pairwise(ends), 1):
            kept = tokens[bisect_left(tokens, begin) : bisect_left(tokens, end)]
            place = {token: new for new, token in enumerate(kept)}
            n_known = sum(own[0][1][token] != "" for token in kept)
            notes[SPACES] += end - begin - len(kept)
            notes[PARTLY] += 0 < n_known < len(kept)
            sentence = Sentence(
                f"{named[at]}/{number}" if named and divided else named[at] if named else None,
                tuple(words[i] for i in kept),
                None,
                None,
                document=document,
                place=f"{document}, sentence {number}" if divided else document,
            )
            for sentences, (heads, labels) in zip(found, own):
                if 0 < n_known == len(kept):
                    above = (UNFIT if heads[i] == i else place.get(heads[i], UNFIT) for i in kept)
                    relations = tuple(labels[i] for i in kept)
                    sentences.append(replace(sentence, parents=tuple(above), labels=relations))
                else:
                    sentences.append(sentence)
    return found, dict(+notes)


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
    if not any(example.x.has_annotation("DEP") for example in examples):
        raise FormatError("no dependencies are predicted; expected those of a parser", pred)
    one, two = treebanks_of_examples(examples, rename=root_name)
    if all(sentence.parents is None for sentence in one.sentences):
        raise FormatError("no sentence has the relations (Token.dep_) of all of its tokens", gold)
    return replace(one, path=str(gold)), replace(two, path=str(pred))


def predicted_treebanks(
    model: str | Path,
    gold: PathLike,
    *,
    code: str | Path | None = None,
    gpu_id: int = -1,
    n_process: int = 1,
    batch_size: int | None = None,
    progress: Progress | None = None,
) -> tuple[Treebank, Treebank]:
    """Gold and predicted `Treebank` of a trained pipeline, run on the texts of `.spacy` files.

    The pipeline makes its own tokens and sentences where gold has the spaces between tokens, as in
    `spacy evaluate`; these are carried over as in `trees_of_examples`. The relation "ROOT" is read
    as "root".

    Parameters
    ----------
    model : str or Path
        By name or folder.
    gold : str or Path
        A `.spacy` file or a folder of them.
    code, gpu_id, n_process, batch_size, progress
        Those of `predict`.

    Raises
    ------
    ValueError, OSError
        If the pipeline cannot be loaded or predicts no dependencies, gold cannot be read or has no
        dependencies.
    """
    nlp = load(model, code, gpu_id)
    examples = list(examples_of(nlp, gold))
    report = partial(progress or no_progress, total=len(examples), what=f"{model}: documents")
    fill_predictions(nlp, examples, report, n_process=n_process, batch_size=batch_size)
    return _treebanks_on_gold(examples, gold, model)
