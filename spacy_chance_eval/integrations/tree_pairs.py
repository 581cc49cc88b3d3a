"""Gold and predicted treebanks on the gold tokens: of two `.spacy` files, or from a pipeline."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from ..formats import FormatError
from ..formats.paths import docbins_at, is_several, path_of
from ..formats.sentences import first_apart, with_root
from .docbin import docs_of, load_docbin
from .docs import names_of
from .pipeline import examples_of, load
from .tree_docs import completed, parse_of, sentences_of, treebanks_of_examples


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
