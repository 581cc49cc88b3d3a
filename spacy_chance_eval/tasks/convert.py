"""From one format to another; annotation that the target cannot hold is dropped and reported."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from .. import formats
from ..corpora.columns import check_one_column
from ..corpora.panels import is_folder_of_annotators, read_panel
from ..corpora.sources import check_known, source_at
from ..formats.alignment import in_tokens
from ..formats.corpus import Corpus
from ..formats.errors import FormatError, PathLike, known
from ..formats.files import suffix_of
from ..formats.keys import Reading, target_keys
from ..formats.losses import TARGETS as HOLDS
from ..formats.losses import reduced, sentences
from ..formats.paths import name_of
from ..measures.messages import listed, quoted
from .calls import explain_arguments

LANG = "xx"  # of a `.spacy` file that names none
TARGETS = tuple(name for name, one in formats.READERS.items() if one.writer)
ONE_LAYER = ("prodigy", "tagged")  # whose writers can be asked for a layer


def convert_file(
    source: PathLike, target: PathLike, *, reading: Reading | None = None, strict: bool = False
) -> tuple[int, list[str], list[str]]:
    """Write the annotation of a file in another format.

    Returns the number of documents, warnings, and how much was dropped of each kind, in words.
    "PATH#key=..." says how source and target are read and written; see `write`. A `layer` of the
    reading is the only one to keep. `strict` makes errors of all that is dropped, and of tokens
    that nobody asked for.

    Raises
    ------
    FormatError
        If the source cannot be read, the target cannot be written, nothing is left to write; if it
        is strict, also for annotation that the target cannot hold.
    """
    path, keys = target_keys(target)
    keys = check_target(path, keys)
    reading = reading or Reading()
    layer, asked = reading.layer, reading.without("layer")
    if is_folder_of_annotators(str(source), reading.format):
        _, corpus = read_panel([source], asked)
    else:
        looked = source_at(source).looked_at("gold", asked)
        check_known([looked], asked)
        if looked.layer is not None and looked.format == "conll":
            looked = replace(looked, reading=replace(looked.reading, column=looked.layer))
        elif looked.layer is not None:
            layer = looked.layer
        check_one_column(looked)
        corpus = looked.read()
    return _write(corpus, path, keys, layer, strict)


def check_target(path: PathLike, keys: Mapping[str, str]) -> dict[str, str]:
    """The keys of a file to write, with its format; raises ValueError for others."""
    if suffix_of(path) in formats.PARQUET:
        raise ValueError(f"{path}: Parquet is read, but not written; write JSONL")
    format = known(keys.get("format") or format_to_write(path), TARGETS, "format")
    ours = ["format", "layer", *["lang"] * HOLDS[format].tokens, *["ents"] * (format == "spacy")]
    for name in keys:
        known(name, ours, f"key of {format} to write", str(path))
    return {**keys, "format": format}


@explain_arguments
def write(
    corpus: Corpus, target: PathLike, *, layer: str | None = None, strict: bool = False
) -> list[str]:
    """Write a corpus to a file; returns how much was dropped of each kind, in words.

    Parameters
    ----------
    corpus : Corpus
        As `read` gives it.
    target : str or Path
        "PATH#key=value,...": its ending, or the key `format`, tells the format. Other keys are
        those of the command `convert`: `layer`, and of `.spacy` `lang` and `ents`.
    layer : str, optional
        The only layer to write; formats with one layer a file need it, if there are several.
    strict : bool
        Whether anything that is dropped is an error.

    Raises
    ------
    FormatError
        If the target cannot be written, or nothing is left to write; if it is strict, also for
        annotation that the target cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> from spacy_chance_eval import read, sample, write
    >>> path = f"{tempfile.mkdtemp()}/gold.conll"
    >>> write(read(sample.path("test.jsonl")), path, layer="spans")
    []
    """
    path, keys = target_keys(target)
    _, said, lost = _write(corpus, path, check_target(path, keys), layer, strict)
    return [*said, *lost]


def _write(
    corpus: Corpus, path: PathLike, keys: dict[str, str], layer: str | None, strict: bool
) -> tuple[int, list[str], list[str]]:
    """Number of documents written, remarks, and how much was dropped of each kind, in words."""
    to, lang, said = keys["format"], keys.get("lang", LANG), list[str]()
    if HOLDS[to].tokens and corpus.positions == "char" and not strict:
        from ..spacy_docs.docs import borders_of

        before, corpus = corpus, in_tokens(corpus, borders_of(lang))
        for name, one in corpus.table.layers.items():
            n, n_fit = len(before.table.layers[name].doc), len(one.doc)
            if 2 * n_fit < n:  # of a language without blanks between words, say
                raise FormatError(
                    f"{n - n_fit} of {n} spans of the layer {quoted(name)} do not fit the tokens "
                    f"of spaCy's tokenizer for {quoted(lang)}; name the language of the "
                    "texts (#lang=ja behind the target), or give rows with tokens",
                    before.path,
                )
        said.append(
            f"{to} needs tokens: spaCy's tokenizer for {quoted(lang)} made them "
            "(--read tokenizer=LANG)"
        )
    if layer is not None:
        known(layer, sorted({*corpus.layer_names, *corpus.category_layers}), "layer")
        corpus = replace(corpus, documents=corpus.table.with_layers({layer: layer}))
    if own := keys.get("layer"):
        if len(corpus.layer_names) != 1:
            found = listed(corpus.layer_names) if corpus.layer_names else "none"
            raise ValueError(
                f"{corpus.path}: one layer is written as {quoted(own)}; choose it, --layer: {found}"
            )
        only = {corpus.layer_names[0]: own}
        corpus = replace(corpus, documents=corpus.table.with_layers(only))
        if own != "ents":
            keys = {"ents": "none", **keys}
        layer = own if layer is not None else None
    if to == "spacy":
        from ..spacy_docs.docbin import entity_layer

        main = entity_layer(corpus, keys.get("ents"), True)
        if not strict and main != entity_layer(corpus, keys.get("ents"), False):
            said.append(
                f"spans overlap: they are the span group {quoted(main)}, not entities (#ents=LAYER)"
            )
    n_docs, lost = write_corpus(corpus, path, keys, layer=layer, strict=strict)
    return n_docs, [*said, *corpus.notes.sentences()], lost


def write_corpus(
    corpus: Corpus,
    path: PathLike,
    keys: Mapping[str, str],
    *,
    layer: str | None = None,
    strict: bool = False,
    refuse: Collection[str] = (),
) -> tuple[int, list[str]]:
    """Number of documents of a corpus, and how much was dropped of each kind, in words.

    `keys` are those of a target: its `format`; of `.spacy` `lang`, and `ents`, the layer that
    becomes the entities, or "none": by default none does if the spans of the main layer overlap.
    Formats that can be asked for a `layer` write that one alone, others all that is there.

    Kinds of losses (`formats.losses.KINDS`) to `refuse` are errors, and if it is `strict` all, also
    those of the reader; then nothing is written.

    Raises
    ------
    FormatError
        If something is dropped that must not be, or nothing is left to write.
    """
    to = keys["format"]
    if strict and (dropped := corpus.notes.dropped()):
        advice = "leave out --strict to convert all else"
        raise FormatError(f"{'; '.join(dropped)}; {advice}", corpus.path)
    only = layer if to in ONE_LAYER else None
    options: dict[str, Any] = {} if only is None else {"layer": only}
    if to == "spacy":
        from ..spacy_docs.docbin import entity_layer

        main = entity_layer(corpus, keys.get("ents"), strict or bool(refuse))
        options = {"lang": keys.get("lang", LANG), "ents": main}
    made, lost = reduced(corpus, to, path, layer=only, main=options.get("ents"))
    refused = {kind: n for kind, n in lost.items() if strict or kind in refuse}
    if refused:
        raise FormatError(f"{to} cannot hold {', '.join(sentences(refused))}; write JSONL", path)
    if to == "spacy" and main in {*corpus.layer_names} - {*made.layer_names}:
        options["ents"] = "none"
    formats.READERS[to].write(path, made, **options)
    return len(made.documents), sentences(lost)


def format_to_write(target: PathLike) -> str:
    """The format that the name of a file to write says."""
    suffixes = [suffix.lower() for suffix in name_of(target).suffixes if suffix != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".spacy":
        return "spacy"
    names = [name for name in TARGETS if suffix in formats.READERS[name].suffixes]
    if not names:
        raise ValueError(
            f"{target}: the ending {quoted(suffix)} does not tell the format to write; name it, "
            f"{target}#format=NAME: {', '.join(TARGETS)}"
        )
    return names[0]
