"""spaCy's documents as `Trees`: items are their sentences; predictions lie on the gold tokens."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import spacy
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from ..formats import FormatError
from ..formats.paths import docbins_at, is_several, path_of
from ..formats.sentences import Sentence, Treebank, first_apart, with_root
from .docbin import docs_of, load_docbin
from .docs import names_of
from .pipeline import examples_of, load

ALONE = "gold tokens without a predicted token that fits (relation (none))"
ABSENT = "(none)"  # the relation of predicted tokens without any, and where no such token fits
UNFIT = -1  # the head of a token that has none in its sentence
PARTLY = "sentences of which only some tokens have a relation (not annotated)"
SPACES = "tokens of white space without a relation (left out)"


def trees_of_docs(docs, *, lower=False, cycles="error"):
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
    sentences = sentences_of_docs(list(docs), lower=lower)
    return Treebank("the documents", "dependency", sentences).trees(cycles), sentences


def trees_of_examples(examples, *, lower=True, cycles="error"):
    """Gold and predicted `Trees` of some Examples: the sentences of gold, on the gold tokens.

    Gold is as `trees_of_docs` has it. A predicted token is carried over to the gold token that it
    is aligned with one to one. A gold token without such a partner hangs under the artificial root,
    with the relation "(none)"; so does a predicted token without a relation. A predicted head that
    fits no gold token, or one of another sentence, counts as the artificial root; the relation is
    kept. Where gold is not seen, the prediction is not seen either.

    Parameters
    ----------
    examples : iterable of spacy.training.Example
    lower : bool
        Whether to lower the case of relations, as spaCy does to score a parser.
    cycles : "error" or "reachable"

    Raises
    ------
    ValueError
        For heads that form a cycle, with sentence and token.
    """
    gold, pred = treebanks_of_examples(examples, lower=lower)
    return gold.trees(cycles), pred.trees(cycles)


def treebanks_of_examples(examples, *, lower=True):
    """The two treebanks behind `trees_of_examples`; the words of both are those of gold.

    The notes of the second one count the tokens of gold that no predicted token fits.
    """
    examples, texts, n_alone = list(examples), {}, 0
    named = names_of([example.y for example in examples])
    golds, preds = [], []
    for number, example in enumerate(examples):
        gold = parse_of(example.y, texts, lower)
        pred = completed(parse_of(example.x, texts, lower))
        if pred.words != gold.words:  # an alignment would also lose white space
            pred, alone = on_gold_tokens(pred, example.alignment)
            n_alone += int((alone & gold.kept).sum())
        names = (named and named[number], f"document {number + 1}")
        rows = list(sentences_of(gold, *names))
        golds += rows
        carried = sentences_of(gold._replace(heads=pred.heads, labels=pred.labels), *names)
        preds += [mine if own.parents is not None else own for own, mine in zip(rows, carried)]
    return (
        Treebank("the gold documents", "dependency", golds),
        Treebank(
            "the predicted documents", "dependency", preds, {ALONE: n_alone} if n_alone else {}
        ),
    )


def treebank_of_docbin(path, role="gold"):
    """The `Treebank` of a `.spacy` file, with sentences as `trees_of_docs` has them.

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
    notes = {}
    sentences = sentences_of_docs(docs, complete=role == "pred", notes=notes)
    annotated = any(doc.has_annotation("DEP") for doc in docs if len(doc))
    if not annotated or not any(sentence.parents is not None for sentence in sentences):
        raise FormatError(
            "no sentence has the relations (Token.dep_) of all of its tokens; trees need them: "
            "parse or annotate the documents",
            path,
        )
    sentences = [with_root(sentence) for sentence in sentences]
    return Treebank(path, "dependency", sentences, notes)


def sentences_of_docs(docs, *, lower=False, complete=False, notes=None):
    """The sentences of some Docs; with `complete`, all are annotated. What is left out is noted."""
    named, texts, found = names_of(docs), {}, []
    for number, doc in enumerate(docs):
        parse = parse_of(doc, texts, lower)
        if notes is not None:
            note(parse, notes, complete)
        if complete:
            parse = completed(parse)
        found += sentences_of(parse, named and named[number], f"document {number + 1}")
    return found


class Parse(NamedTuple):
    """The dependencies of one Doc by token."""

    words: list
    heads: np.ndarray  # tokens of the Doc, or UNFIT
    labels: np.ndarray  # texts; "" has no relation
    kept: np.ndarray  # tokens that belong to the tree
    starts: np.ndarray  # where sentences begin, and the number of tokens
    divided: bool  # whether sentences are annotated


def parse_of(doc, texts, lower):
    """The `Parse` of a Doc; `texts` keeps texts by their hashes: to make tokens takes longer."""
    table = doc.to_array([HEAD, DEP, IS_SPACE, SENT_START, ORTH])
    head, dep, space, sent_start, orth = table.T
    words, labels = orth.tolist(), dep.tolist()
    for key in {*words, *labels} - texts.keys():
        texts[key] = doc.vocab.strings[key]
    labels = [texts[key].lower() if lower else texts[key] for key in labels]
    place = np.arange(len(doc))
    heads = place + head.astype(np.int64)
    divided = doc.has_annotation("SENT_START")
    begin = (sent_start == 1) if divided else np.zeros(len(doc), bool)
    begin[:1] = True
    return Parse(
        [texts[key] for key in words],
        np.where(heads == place, UNFIT, heads),
        np.array(labels, object),
        (space == 0) | (dep != 0),
        np.append(np.flatnonzero(begin), len(doc)),
        divided,
    )


def sentences_of(parse, name, document):
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


def completed(parse):
    """The parse, with the relation "(none)" to the root for tokens without any."""
    known = parse.labels != ""
    return parse._replace(
        heads=np.where(known, parse.heads, UNFIT), labels=np.where(known, parse.labels, ABSENT)
    )


def on_gold_tokens(pred, alignment):
    """The predicted `Parse` on the tokens of gold, and which of these no predicted token fits."""
    onto = partners(alignment.x2y, alignment.y2x)  # gold tokens of predicted ones
    fits = np.flatnonzero(onto != UNFIT)
    heads = np.full(len(alignment.y2x.lengths), UNFIT)
    labels = np.full(len(heads), ABSENT, object)
    own = pred.heads[fits]
    heads[onto[fits]] = np.where(own == UNFIT, UNFIT, onto[own])
    labels[onto[fits]] = pred.labels[fits]
    alone = np.ones(len(heads), bool)
    alone[onto[fits]] = False
    return pred._replace(heads=heads, labels=labels), alone


def partners(there, back):
    """For each token its only partner on the other side, if this has no other; else UNFIT."""
    found = np.full(len(there.lengths), UNFIT)
    single = np.flatnonzero(there.lengths == 1)
    partner = there.data[there.starts[single]]
    mutual = back.lengths[partner] == 1
    found[single[mutual]] = partner[mutual]
    return found


def note(parse, notes, complete):
    """Count what trees leave out."""
    n_spaces = int((~parse.kept).sum())
    if n_spaces:
        notes[SPACES] = notes.get(SPACES, 0) + n_spaces
    known = (parse.labels != "")[parse.kept]
    sentence = np.repeat(np.arange(len(parse.starts) - 1), np.diff(parse.starts))[parse.kept]
    n_partly = len(set(sentence[known].tolist()) & set(sentence[~known].tolist()))
    if n_partly and not complete:
        notes[PARTLY] = notes.get(PARTLY, 0) + n_partly


def treebanks_of_docbins(gold, pred):
    """Gold and predicted `Treebank` of two `.spacy` files, or folders of them, of the same texts.

    Tokens and sentences may differ: those of gold count, as in `trees_of_examples`. Documents are
    matched by their names, if both sides have the same ones, else by place.

    Raises
    ------
    FormatError
        If a file is no DocBin, or documents are not of the same number or text.
    """
    vocab = spacy.blank("xx").vocab
    golds, preds = (docs_in(path, vocab) for path in (gold, pred))
    if len(golds) != len(preds):
        raise FormatError(
            f"{len(preds)} document{'s' * (len(preds) != 1)}, but {len(golds)} in {gold}; both "
            "need the same ones",
            pred,
        )
    names, theirs = names_of(golds), names_of(preds)
    if names and theirs and set(names) == set(theirs):
        by_name = dict(zip(theirs, preds))
        preds = [by_name[name] for name in names]
    for number, (one, two) in enumerate(zip(golds, preds), 1):
        if bare(one) != bare(two):
            there, here, at = first_apart(bare(one), bare(two))
            name = f" ({names[number - 1]})" if names else ""
            raise FormatError(
                f"document {number}{name} has another text than in {gold}: {here}, but there "
                f"{there} (character {at}, without spaces); compare trees of the same texts",
                pred,
            )
    return on_gold(map(Example, preds, golds), gold, pred)


def docs_in(path, vocab):
    """The Docs of a `.spacy` file, or of all those in a folder, but for empty ones."""
    path = path_of(path)
    files = docbins_at(path) if is_several(path) else [path]
    docs = [doc for file in files for doc in docs_of(load_docbin(file), vocab, file) if len(doc)]
    if not docs:
        raise FormatError("no documents; expected a .spacy file or a folder with some", path)
    return docs


def bare(doc):
    """The text of a Doc without any white space."""
    return "".join(doc.text.split())


def on_gold(examples, gold, pred):
    """The two treebanks of some Examples, under the paths of gold and prediction."""
    examples = list(examples)
    check_parsed(examples, pred)
    banks = treebanks_of_examples(examples, lower=False)
    if all(sentence.parents is None for sentence in banks[0].sentences):
        raise FormatError("no sentence has the relations (Token.dep_) of all of its tokens", gold)
    return tuple(
        replace(bank, path=str(path), sentences=map(with_root, bank.sentences))
        for bank, path in zip(banks, (gold, pred))
    )


def predicted_treebanks(
    model, gold, *, code=None, gpu_id=-1, n_process=1, batch_size=None, progress=None
):
    """Gold and predicted `Treebank` of a trained pipeline, run on the texts of gold.

    On `.spacy` files the pipeline makes its own tokens and sentences where gold tells the spaces
    between tokens, as in `spacy evaluate`; these are carried over as in `trees_of_examples`. On
    other treebanks it gets the sentences and tokens of gold. The relation "ROOT" is read as "root".

    Parameters
    ----------
    model : str or Path
    gold : str, Path or Treebank
        A `.spacy` file or a folder of them, or a treebank with words.
    code, gpu_id, n_process, batch_size, progress
        As `predictions.predicted` has them.

    Raises
    ------
    ValueError, OSError
        If the pipeline cannot be loaded or predicts no dependencies, gold cannot be read or has no
        words or no dependencies.
    """
    nlp = load(model, code, gpu_id)
    watch = progress or (lambda steps, total=None, what="": steps)
    from_files = isinstance(gold, (str, Path))
    examples = list(examples_of(nlp, gold) if from_files else examples_of_sentences(nlp, gold))
    docs = nlp.pipe(
        (example.predicted for example in examples), n_process=n_process, batch_size=batch_size
    )
    for example, doc in zip(examples, watch(docs, len(examples), f"{model}: documents")):
        example.predicted = doc
    if from_files:
        return on_gold(examples, gold, model)
    check_parsed(examples, model)
    found = [whole_tree(*pair) for pair in zip(gold.sentences, examples)]
    gold = replace(gold, sentences=map(with_root, gold.sentences))
    return gold, replace(gold, path=str(model), sentences=map(with_root, found))


def check_parsed(examples, pred):
    """Raise if nothing is parsed."""
    if not any(example.x.has_annotation("DEP") for example in examples):
        raise FormatError("no dependencies are predicted; expected those of a parser", pred)


def whole_tree(sentence, example):
    """The sentence with the tree that is predicted for it, however many roots that has."""
    parse = completed(parse_of(example.x, {}, False))
    parse = parse._replace(starts=np.array([0, len(example.x)]), divided=False)
    (found,) = sentences_of(parse, sentence.name, sentence.document)
    return replace(sentence, parents=found.parents, labels=found.labels)


def examples_of_sentences(nlp, gold):
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
        starts = [place == 0 for place in range(len(words))]
        doc = Doc(nlp.vocab, words=words, sent_starts=starts)
        yield Example(doc, doc.copy())
