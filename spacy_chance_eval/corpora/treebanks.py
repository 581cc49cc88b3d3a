"""Trees from files: treebanks, and several annotators of the same sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..formats import TREEBANKS, format_of_trees
from ..formats.errors import FormatError, PathLike, known
from ..formats.paths import docbins_at, path_of
from ..formats.sentences import Sentence, Treebank, matched, text_without_spaces, trees_of, where
from ..formats.treebank import (
    annotators_in,
    documents_in,
    odd_name,
    read_trees,
)
from ..measures.trees.trees import TreePanel
from .panels import annotator_names, default_name
from .sources import is_pipeline, parse_source

BY = ("auto", "file", "name")

# by annotator, in the order of the items of a panel; None: not there
Sentences: TypeAlias = Mapping[str, Sequence[Sentence | None]]
_Files: TypeAlias = Mapping[Any, str]  # what the document of a file is called


class TreeBlock(NamedTuple):
    """The sentences of all sources in memory together, and their trees.

    `sentences` are those behind the items of the panel, by annotator; None: not there.
    """

    panel: TreePanel
    sentences: Sentences


def read_treebank(
    path: PathLike,
    *,
    format: str | None = None,
    cycles: str = "error",
    strip: bool = False,
    role: str = "gold",
) -> Treebank:
    """The `Treebank` of a file, or of all files of a folder in the order of their names.

    The relation "ROOT" is read as "root", whatever the format.

    Parameters
    ----------
    path : str or Path
        CoNLL-U, CoNLL-X, brackets or `.spacy`.
    format : str, optional
        One of `TREEBANKS`; by default what the endings of files say.
    cycles : "error" or "reachable"
        What to make of tokens that no root leads to; see `Trees`.
    strip : bool
        Whether to drop subtypes of relations: `nsubj:pass` becomes `nsubj`.
    role : "gold" or "pred"
        For `.spacy` files.

    Raises
    ------
    FormatError
        If a file cannot be read or has a cycle, with the place.
    """
    files = documents_in(path, format)
    style = _joint_style(files, format)
    return _treebank_of(path, files, style, cycles, strip, role)


def read_tree_panel(
    sources: Sequence[object],
    *,
    by: str = "auto",
    match: str = "auto",
    cycles: str = "error",
    strip: bool = False,
    format: str | None = None,
) -> TreeBlock:
    """The panel of some treebanks, and the sentences behind it by annotator.

    Parameters
    ----------
    sources : sequence of str or Path
        [NAME=]PATH of files or folders.
    by : "auto", "file" or "name"
        Who the annotators are. "file": each source; of one folder alone, each of its files, and
        the folders in it are documents. "name": in one folder, files are called
        DOCUMENT-ANNOTATOR, and annotators are what follows the last hyphen. "auto": "name" for one
        folder whose files all are called so, else "file".
    match : "auto", "id" or "place"
        How sentences are matched: by their ids, or by their place in documents or treebanks that
        have the same number of them. "auto": by id if there are such ids, else by place.
    cycles : "error" or "reachable"
        What to make of tokens that no root leads to; see `Trees`.
    strip : bool
        Whether to drop subtypes of relations: `nsubj:pass` becomes `nsubj`.
    format : str, optional
        One of `TREEBANKS`; by default what the endings of files say.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together.
    """
    annotators = _files_of_annotators(list(map(str, sources)), known(by, BY, "value of by"), format)
    files = {file: None for _, own in annotators.values() for file in own}
    odd = odd_name(files) if by == "auto" and len(sources) == 1 else None
    style = _joint_style(files, format)
    banks = {
        name: _treebank_of(path, own, style, cycles, strip)
        for name, (path, own) in annotators.items()
    }
    try:
        panel, sentences = _panel_of(banks, match, cycles)
    except FormatError as error:
        if odd is None:
            raise
        raise FormatError(f"{error.args[0]} ({odd})", error.path, error.line) from error
    return TreeBlock(replace(panel, notes=(*panel.notes, odd)) if odd else panel, sentences)


def read_tree_pair(
    gold: str | Path,
    pred: str | Path,
    *,
    match: str = "auto",
    cycles: str = "error",
    strip: bool = False,
    format: str | None = None,
    pred_format: str | None = None,
    pipeline_options: Mapping[str, Any] | None = None,
) -> TreeBlock:
    """The panel of two treebanks, "gold" and "pred", and the sentences behind it.

    Both need the same sentences. Of two `.spacy` files the prediction is carried over to the tokens
    and sentences of gold; so is that of a pipeline, if `pred` is one.

    Parameters
    ----------
    gold, pred : str or Path
        Files or folders; `pred` may be a trained pipeline.
    match : "auto", "id" or "place"
        How sentences are matched.
    cycles : "error" or "reachable"
        What to make of tokens that no root leads to.
    strip : bool
        Whether to drop subtypes of relations.
    format, pred_format : str, optional
        Of `TREEBANKS`; by default what the endings of files say, and the same for both.
    pipeline_options : mapping, optional
        code, gpu_id, n_process, batch_size, progress.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together.
    """
    how: dict[str, Any] = {"cycles": cycles, "strip": strip}
    if is_pipeline(str(pred)):
        from ..spacy_docs.tree_docs import predicted_treebanks

        source = gold if docbins_at(gold) else read_treebank(gold, format=format, **how)
        banks = predicted_treebanks(str(pred), source, **pipeline_options or {})
    elif docbins_at(gold) and docbins_at(pred):
        from ..spacy_docs.tree_docs import treebanks_of_docbins

        banks = treebanks_of_docbins(gold, pred)
    elif pred_format not in (None, format):
        banks = (
            read_treebank(gold, format=format, **how),
            read_treebank(pred, format=pred_format, role="pred", **how),
        )
    else:
        files = [documents_in(path, format) for path in (gold, pred)]
        style = _joint_style({**files[0], **files[1]}, format)
        banks = (
            _treebank_of(gold, files[0], style, cycles, strip, "gold"),
            _treebank_of(pred, files[1], style, cycles, strip, "pred"),
        )
    if strip and banks[0].kind == "dependency":
        banks = _stripped(banks[0]), _stripped(banks[1])
    return _pair_panel(*banks, match=match, cycles=cycles)


def check_one_annotator(bank: Treebank, format: str | None = None) -> None:
    """Raise if a treebank is a folder in which several annotators have the same sentences.

    Parts of a treebank may be called alike (ud-train, ud-dev): their texts differ.
    """
    if not path_of(bank.path).is_dir():
        return
    owners = {
        str(file): (document, name)
        for name, (_, files) in annotators_in(path_of(bank.path), "auto", format).items()
        for file, document in files.items()
    }
    texts: dict[tuple[str, str | None], set[str]] = {}
    for sentence in bank.sentences:
        document, name = owners[str(sentence.path)]
        texts.setdefault((document, text_without_spaces(sentence)), set()).add(name)
    again = [names for names in texts.values() if len(names) > 1]
    if 2 * len(again) > len(texts):
        raise FormatError(
            f"several annotators of the same sentences ({', '.join(sorted(set().union(*again)))}); "
            "name a file, or a folder, with the trees of one of them",
            bank.path,
        )


def _pair_panel(gold: Treebank, pred: Treebank, match: str, cycles: str) -> TreeBlock:
    """The panel of two treebanks of the same sentences, and the sentences behind it."""
    banks = {"gold": gold, "pred": pred}
    block = _panel_of(banks, match, cycles)
    panel, sentences = block
    for name, other in (("gold", "pred"), ("pred", "gold")):
        absent = [item for item, own in enumerate(sentences[name]) if own is None]
        if absent:
            there = sentences[other][absent[0]]
            assert there is not None  # else there would be no such item
            count = f" ({len(absent)} such sentences)" if len(absent) > 1 else ""
            raise FormatError(
                f"there is no sentence {panel.name(absent[0])}, which {where(there)} has; "
                f"both files need the same sentences{count}",
                banks[name].path,
            )
    return block


def _panel_of(banks: Mapping[str, Treebank], match: str, cycles: str) -> TreeBlock:
    """The panel of some treebanks, by annotator, and the sentences behind it."""
    first = next(iter(banks.values()))
    for bank in banks.values():
        if bank.kind != first.kind:
            raise FormatError(
                f"{bank.kind} trees, but {first.path} has {first.kind} trees; these do not compare",
                bank.path,
            )
    names, sentences = matched(banks, match)
    trees = {
        name: trees_of(banks[name].kind, rows, names, cycles, banks[name].path)
        for name, rows in sentences.items()
    }
    notes = (
        f"{name}: {n} {what}" for name, bank in banks.items() for what, n in bank.notes.items()
    )
    return TreeBlock(TreePanel(trees, tuple(notes)), sentences)


def _files_of_annotators(
    sources: Sequence[str], by: str, format: str | None
) -> Mapping[str, tuple[PathLike, _Files]]:
    """{annotator: (path, {file: what its document is called})}."""
    if not sources:
        raise ValueError("no files; name some: [NAME=]PATH")
    for source in sources:
        if parse_source(source).layer is not None:
            raise ValueError(f"{source}: treebanks have no layers; name a file or folder alone")
    path = path_of(parse_source(sources[0]).path)
    if len(sources) == 1 and path.is_dir():
        return annotators_in(path, by, format)
    if by == "name":
        raise ValueError('by="name" needs one folder, with files called DOCUMENT-ANNOTATOR')
    paths = [parse_source(source).path for source in sources]
    names = _names_of_treebanks(sources)
    return {name: (path, documents_in(path, format)) for name, path in zip(names, paths)}


def _names_of_treebanks(sources: Sequence[str]) -> list[str]:
    """Names of annotators: given, or as their files are called; of folders the whole name."""
    parsed = [parse_source(source) for source in sources]
    names = [
        one.name or (path_of(one.path).name if path_of(one.path).is_dir() else default_name(one))
        for one in parsed
    ]
    return names if len(set(names)) == len(names) else annotator_names(parsed)


def _joint_style(files: Iterable[PathLike], format: str | None) -> str | None:
    """The format of brackets, by all files that belong together; of others the one that is named.

    Where these leave it open, so do their readers, with a note.
    """
    brackets = [file for file in files if (format or format_of_trees(file)) == "brackets"]
    if not brackets:
        return format
    from ..formats.brackets import style_of

    return style_of(brackets) or format


def _treebank_of(
    path: PathLike,
    files: _Files,
    format: str | None,
    cycles: str,
    strip: bool,
    role: str = "gold",
) -> Treebank:
    """The `Treebank` of some files; brackets are read in the style that `format` names."""
    banks: list[Treebank] = []
    sentences: list[Sentence] = []
    notes: Counter[str] = Counter()
    for file, document in files.items():
        bank = _treebank_of_file(file, format, role)
        bank = replace(bank, cycles=cycles)
        bank.trees()  # cycles are errors of this file
        banks.append(bank)
        if bank.kind != banks[0].kind:
            raise FormatError(
                f"{bank.kind} trees, but {banks[0].path} has {banks[0].kind} trees; read them "
                "apart",
                file,
            )
        sentences += [replace(s, path=str(file), document=document) for s in bank.sentences]
        notes.update(bank.notes)
    whole = Treebank(str(path), banks[0].kind, sentences, dict(notes), cycles)
    return _stripped(whole) if strip and whole.kind == "dependency" else whole


def _treebank_of_file(file: PathLike, format: str | None, role: str) -> Treebank:
    """The `Treebank` of one file, `.spacy` included."""
    if format is not None:
        known(format, TREEBANKS, "format of trees")
    if docbins_at(file):
        from ..spacy_docs.tree_docs import treebank_of_docbin

        return treebank_of_docbin(file, role)
    own = format_of_trees(file)
    style = format in ("penn", "delexicalised")
    return read_trees(file, None if style and own not in (None, "brackets") else format)


def _stripped(bank: Treebank) -> Treebank:
    """The treebank with relations up to their colon."""
    return replace(bank, sentences=tuple(map(_without_subtypes, bank.sentences)))


def _without_subtypes(sentence: Sentence) -> Sentence:
    """The sentence with relations up to their colon."""
    if sentence.labels is None:
        return sentence
    labels = tuple(label.partition(":")[0] or label for label in sentence.labels)
    return replace(sentence, labels=labels)
