"""Trees from files: treebanks as sources, the block of their sentences, and the job that counts it.

Distances compare each tree with others of the corpus, so trees are always one block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..formats import DEPENDENCIES, SPACY, TREE_SUFFIXES, TREEBANKS, format_of_trees
from ..formats.blemishes import STOP, check_share, reading
from ..formats.brackets import read_brackets, style_of
from ..formats.conllu import read_conllu
from ..formats.errors import FormatError, PathLike, known
from ..formats.keys import YES, Reading
from ..formats.notes import NO_NOTES, SENTENCES, add_notes, notes_of_sources
from ..formats.openings import DOCBINS, docbins_at, is_docbin
from ..formats.paths import files_at, path_of
from ..formats.sentences import (
    BY_CHARACTERS,
    OtherText,
    Sentence,
    Treebank,
    joined_sentences,
    matched,
    other_texts,
    refuse_other_texts,
    respelled,
    sentence_names,
    trees_of,
    where,
    words_of_items,
)
from ..measures.alignment import ALIGN, ROLES
from ..measures.trees import TEXTS
from ..measures.trees.trees import TreePanel, plain_label
from .sources import (
    PIPELINE,
    PIPELINE_AS_GOLD,
    Source,
    is_pipeline,
    name_systems,
    parse_source,
)

# keys of trees: of all treebanks that are compared, and of one
TREE_KEYS = ("format", "cycles", "strip_subtypes", "on_error", "align", "text", "match")
OWN_KEYS = TREE_KEYS[:4]
OTHER_WORDS = "sentences with other words: {}; aligned by characters (as in CoNLL 2018)"
MOST_PLACES = 10  # that a note lists
ON_DOCS = (
    "a pipeline is scored on .spacy files; make some of treebanks: spacy convert {path} FOLDER"
)
OTHER_TEXTS = "sentences with other texts, compared as they are: {}"
JOINED = (
    "sentences end elsewhere ({}): compared are the {} stretches of text between the ends that all "
    "have in common"
)
RESPELLED = "words spelled otherwise: {}; compared by place ({})"


# by annotator, in the order of the items of a panel; None: not there
Sentences: TypeAlias = Mapping[str, Sequence[Sentence | None]]


class TreeBlock(NamedTuple):
    """The sentences of all sources in memory together, and their trees.

    `sentences` are those behind the items of the panel, by annotator; None: not there.
    """

    panel: TreePanel
    sentences: Sentences


# --- sources


def find_tree_annotators(texts: Sequence[object], reading: Reading | None = None) -> list[Source]:
    """The treebank of each annotator, a file or folder, with its files and their documents."""
    reading = reading or Reading()
    parsed = [parse_source(text) for text in texts]
    if not parsed:
        raise ValueError("no files; name some: [NAME=]PATH")
    for one in parsed:
        if one.layer is not None:
            raise ValueError(f"{one.text}: treebanks have no layers; name a file or folder alone")
    named = name_systems(parsed, "annotator")
    return _with_style([replace(_treebank_source(one, reading), name=one.name) for one in named])


def find_tree_pair(
    gold: str | Path, pred: str | Path, reading: Reading | None = None
) -> tuple[Source, Source]:
    """Gold and a prediction, files or folders of trees or a trained pipeline, as sources."""
    reading = reading or Reading()
    if is_pipeline(str(gold)):
        raise FormatError(PIPELINE_AS_GOLD.format(path=gold), gold)
    one, theirs = _treebank_source(parse_source(gold), reading), replace(reading, role="pred")
    if is_pipeline(str(pred)):
        return _with_style([one])[0], Source(str(pred), format=PIPELINE, reading=theirs)
    one, two = _with_style([one, _treebank_source(parse_source(pred), theirs)])
    return one, two


def _treebank_source(named: Source, reading: Reading) -> Source:
    """A file or folder of trees, or of Docs, as a source."""
    if others := [one for one in named.reading.given if one not in OWN_KEYS]:
        raise ValueError(
            f"{named.path}: trees have no {others[0]}; their keys are {', '.join(OWN_KEYS)}"
        )
    reading |= named.reading
    files = documents_in(path_of(named.path), reading.format)
    return Source(
        named.path,
        format=SPACY if docbins_at(named.path) else "",
        reading=reading,
        files=tuple(map(str, files)),
        documents=tuple(files.values()),
    )


def _with_style(sources: Sequence[Source]) -> list[Source]:
    """The sources with their formats; of brackets, all files together decide on the style."""
    brackets = [
        file
        for one in sources
        for file in one.files
        if (one.reading.format or format_of_trees(file)) == "brackets"
    ]
    style = style_of(brackets) if brackets else None
    found = []
    for one in sources:
        own = one.reading.format
        own = style if style and own in (None, "brackets") else own
        reading = replace(one.reading, format=own)
        found.append(replace(one, format=one.format or own or "", reading=reading))
    return found


def documents_in(path: PathLike, format: str | None = None) -> dict[PathLike, str]:
    """{file: name of its document} of a treebank, a folder or one file; a file alone has none, "".

    If all files of a folder are called DOCUMENT-ANNOTATOR, with the same annotator, the names are
    without the annotator.
    """
    if not path_of(path).is_dir():
        return {path: ""}
    files = _files_of(path, format)
    stems = [_stem_of(file) for file in files]
    endings = {stem.rpartition("-")[2] for stem in stems}
    alike = len(endings) == 1 and all(stem.rpartition("-")[0] for stem in stems)
    stems = [stem.rpartition("-")[0] if alike else stem for stem in stems]
    folders = [file.parent.relative_to(path_of(path)) for file in files]
    return {file: (one / stem).as_posix() for file, one, stem in zip(files, folders, stems)}


def _stem_of(file: Path) -> str:
    """The name of a file without the endings that tell its format."""
    name = file.name.removesuffix(".gz")
    ending = next((s for s in (*TREE_SUFFIXES, *DOCBINS, ".conll") if name.lower().endswith(s)), "")
    return name[: len(name) - len(ending)] or file.name


def _files_of(folder: PathLike, format: str | None = None) -> list[Path]:
    """The files of a folder that hold trees, sorted by their paths in it.

    DocBins if there are no others: they may be the same trees converted.
    """
    files = files_at(folder)
    if format is None:
        found = [file for file in files if format_of_trees(file)]
        found = found or list(filter(is_docbin, files))
    else:
        known(format, TREEBANKS, "format of trees")
        suffixes = {suffix for suffix, name in TREE_SUFFIXES.items() if name == format}
        found = [file for file in files if suffixes & {*file.suffixes}] or files
    if not found:
        raise FormatError(f"no files of trees ({', '.join(TREE_SUFFIXES)}) in this folder", folder)
    return found


# --- blocks


def read_treebank(path: PathLike, *, role: str = "gold", **keys: Any) -> Treebank:
    """The `Treebank` of a file, or of all files of a folder in the order of their names.

    The relation "ROOT" is read as "root" in all formats.

    Parameters
    ----------
    path : str or Path
        CoNLL-U, CoNLL-X, brackets or `.spacy`.
    role : "gold" or "pred"
        For `.spacy` files.
    **keys : str
        format, cycles, strip_subtypes and on_error of `Reading`. `skipped` of the treebank says
        what on_error="skip" left out.

    Raises
    ------
    FormatError
        If a file cannot be read or has a cycle, with the place.
    """
    reading = replace(Reading.of(keys), role=role)
    (source,) = _with_style([_treebank_source(parse_source(path), reading)])
    bank = _stripped(_read_treebank(source), source)
    bank.trees()  # or it has cycles
    return bank


def read_tree_panel(sources: Sequence[object], **keys: Any) -> TreeBlock:
    """The panel of some treebanks, and the sentences behind it by annotator.

    Parameters
    ----------
    sources : sequence of str or Path
        [NAME=]PATH of files or folders.
    **keys : str
        Those of `TREE_KEYS`: see `Reading`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together.
    """
    reading = Reading.of(keys)
    return read_annotators_of_trees(find_tree_annotators(sources, reading), reading)


def read_annotators_of_trees(sources: Sequence[Source], reading: Reading) -> TreeBlock:
    """The block of the treebanks of some annotators."""
    banks = {str(one.name): _stripped(_read_treebank(one), one) for one in sources}
    return _panel_of(banks, reading)


def read_tree_pair(gold: Source, pred: Source, how: Reading | None = None) -> TreeBlock:
    """The panel of two treebanks, "gold" and "pred", and the sentences behind it.

    Both need the same text. Of two `.spacy` files the prediction is carried over to the tokens and
    sentences of gold, unless `align` says how to compare them; so is that of a pipeline.
    """
    how = how or Reading()
    known(how.align or "auto", ALIGN, "value of align")
    banks = dict(zip(ROLES, map(_stripped, _banks_of_pair(gold, pred, how), (gold, pred))))
    block = _panel_of(banks, how, can_join=how.match in (None, "auto"))
    for name, other in (ROLES, ROLES[::-1]):
        absent = [item for item, own in enumerate(block.sentences[name]) if own is None]
        if absent:
            there = block.sentences[other][absent[0]]
            assert there is not None  # else there would be no such item
            count = f" ({len(absent)} such sentences)" if len(absent) > 1 else ""
            raise FormatError(
                f"there is no sentence {block.panel.name(absent[0])}, which {where(there)} has; "
                f"both files need the same sentences{count}",
                banks[name].path,
            )
    return block


def _banks_of_pair(gold: Source, pred: Source, how: Reading) -> tuple[Treebank, Treebank]:
    """The treebanks of gold and a prediction."""
    if pred.is_pipeline:
        if how.align not in (None, "auto") or how.text not in (None, "error"):
            raise ValueError(
                "--align and --read text=... compare two files; a pipeline gets the text of gold, "
                "and its tokens are carried over to those of gold; leave them out"
            )
        if gold.format != SPACY:
            raise FormatError(ON_DOCS.format(path=gold.path), gold.path)
        from ..spacy_docs.tree_docs import predicted_treebanks

        options = {k: v for k, v in (pred.reading.pipeline or {}).items() if v is not None}
        if pred.reading.batch_size is not None:
            options["batch_size"] = int(pred.reading.batch_size)
        return predicted_treebanks(pred.path, gold.path, **options)
    if gold.format == pred.format == SPACY and how.align in (None, "auto"):
        from ..spacy_docs.tree_docs import treebanks_of_docbins

        try:
            return treebanks_of_docbins(gold.path, pred.path)
        except FormatError:  # other texts are no error under text="warn"
            if how.text != "warn":
                raise
    return _read_treebank(gold), _read_treebank(pred)


def _panel_of(banks: Mapping[str, Treebank], how: Reading, *, can_join: bool = False) -> TreeBlock:
    """The panel of some treebanks, by annotator, and the sentences behind it.

    `can_join` says whether sentences that end elsewhere may be joined.
    """
    kind = _kind_of([*banks.values()])
    by_characters = known(how.align or "auto", ALIGN, "value of align") in BY_CHARACTERS
    notes = [
        f"{name}: {n} {what}" for name, bank in banks.items() for what, n in bank.notes.items()
    ]
    notes += [
        f"{name}: {note}" for name, bank in banks.items() for note in bank.skipped.sentences()
    ]
    skipped = {name: bank.skipped.signed().get("skipped") for name, bank in banks.items()}
    names, sentences, others, more = _items_of(banks, how, by_characters and can_join)
    trees = {
        name: trees_of(kind, rows, names, how.cycles or "error") for name, rows in sentences.items()
    }
    if by_characters and kind == "dependency":
        words, n_other = words_of_items(sentences, {one.item for one in others})
        trees = {name: replace(own, words=words[name]) for name, own in trees.items()}
        more += [OTHER_WORDS.format(n_other)] if n_other else []
    elif how.align == "position":
        n_respelled, examples = respelled(sentences)
        more += [RESPELLED.format(n_respelled, "; ".join(examples))] if n_respelled else []
    left_out = ",".join(f"{name}={said}" for name, said in skipped.items() if said)
    entries = notes_of_sources(bank.skipped for bank in banks.values()).entries()
    panel = TreePanel(trees, (*notes, *more), left_out, len(others), blemishes=entries)
    return TreeBlock(panel, sentences)


def _items_of(
    banks: Mapping[str, Treebank], how: Reading, can_join: bool
) -> tuple[list[str], Sentences, list[OtherText], list[str]]:
    """(names of items, sentences by annotator, items with other texts, notes) of some treebanks."""
    warns = known(how.text or "error", TEXTS, "value of text") == "warn"
    align = how.align or "auto"
    notes: list[str] = []
    others: list[OtherText] = []
    sentences: Sentences = {}
    problem = None
    try:
        names, sentences = matched(banks, how.match or "auto")
        others = other_texts(names, sentences, align)
    except FormatError as error:
        problem = error
    joined, kind = None, next(iter(banks.values())).kind
    if can_join and kind == "dependency" and (problem or others and not warns):
        joined = joined_sentences(banks)
    if joined is not None:
        sentences = joined
        firsts = [next(one for one in row if one is not None) for row in zip(*joined.values())]
        names = sentence_names([one.name for one in firsts], [one.document for one in firsts])
        others = other_texts(names, sentences, align)
        numbers = ", ".join(f"{len(bank.sentences)} of {name}" for name, bank in banks.items())
        notes.append(JOINED.format(numbers, len(names)))
    elif problem is not None:
        raise problem
    if not warns:
        refuse_other_texts(others, kind)
    if others:
        places = ", ".join(where(one.sentence) for one in others[:MOST_PLACES])
        more = f", and {len(others) - MOST_PLACES} more" * (len(others) > MOST_PLACES)
        notes.append(f"{OTHER_TEXTS.format(len(others))} ({places}{more})")
    return names, sentences, others, notes


def _kind_of(banks: Sequence[Treebank]) -> str:
    """The kind of the trees of all treebanks."""
    for bank in banks:
        if bank.kind != banks[0].kind:
            there = f"{banks[0].path} has {banks[0].kind} trees"
            raise FormatError(f"{bank.kind} trees, but {there}; these do not compare", bank.path)
    return banks[0].kind


def _read_treebank(source: Source) -> Treebank:
    """The `Treebank` of the files of a source; brackets are read in the style that it names."""
    how = source.reading
    on_error, cycles = how.on_error or STOP, how.cycles or "error"
    banks = [read_trees(file, how.format, on_error, how.role) for file in source.files]
    kind = _kind_of(banks)
    sentences = [
        replace(sentence, path=file, document=document)
        for file, document, bank in zip(source.files, source.documents, banks)
        for sentence in bank.sentences
    ]
    notes: Counter[str] = Counter()
    for bank in banks:
        notes.update(bank.notes)
    skipped = add_notes(bank.skipped for bank in banks)
    return Treebank(source.path, kind, sentences, dict(notes), cycles, skipped)


def read_trees(
    path: PathLike, format: str | None = None, on_error: str = STOP, role: str = "gold"
) -> Treebank:
    """The `Treebank` of one file, which may be packed, or `.spacy`.

    `format` is one of `TREEBANKS`, by default that of the ending.
    """
    if format is not None:
        known(format, TREEBANKS, "format of trees")
    if docbins_at(path):
        from ..spacy_docs.tree_docs import treebank_of_docbin

        return treebank_of_docbin(path, role)
    own = format_of_trees(path)
    if format in ("penn", "delexicalised") and own in DEPENDENCIES:
        format = None  # it is the style of brackets among the files
    name = format or own
    if name is None:
        what = f"no ending of trees ({', '.join(TREE_SUFFIXES)})"
        raise FormatError(f"{what}; name the format ({', '.join(TREEBANKS)}: --format)", path)
    is_dependency = name in DEPENDENCIES
    with reading(path, on_error) as found:
        sentences, notes = (read_conllu if is_dependency else read_brackets)(path, name)
    skipped = NO_NOTES
    if found is not None and found.found:
        skipped = found.notes(len(sentences) - len(found.found), SENTENCES)
        check_share(skipped, path)
    kind = "dependency" if is_dependency else "constituency"
    return Treebank(str(path), kind, sentences, notes, skipped=skipped)


def _stripped(bank: Treebank, source: Source) -> Treebank:
    """The treebank, with relations up to their colon if its source asks for that."""
    if source.reading.strip_subtypes not in YES or bank.kind != "dependency":
        return bank
    sentences = []
    for one in bank.sentences:
        labels = one.labels and tuple(plain_label(label, bank.kind) for label in one.labels)
        sentences.append(replace(one, labels=labels))
    return replace(bank, sentences=sentences)
