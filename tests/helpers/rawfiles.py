"""Files read a few documents at a time: what these say together."""

import pickle
from dataclasses import replace

import pytest

from spacy_chance_eval.corpora.blocks import RawReader
from spacy_chance_eval.corpora.sources import Source, read_corpus
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.keys import Reading


def raw_reader(path, *more, role="gold", **options):
    """The `RawReader` of a source, and of more files that are read after its own."""
    source = Source(str(path)).looked_at(role, Reading.of(options))
    source = replace(source, files=(*source.files, *map(str, more)))
    return RawReader(source, source.files)


def taken(paths, n, **options):
    """All raw documents of files, sent through a pickle, by what was taken at a time."""
    with raw_reader(*paths, **options) as reader:
        found = []
        while raw := reader.take(n):
            found.append([pickle.loads(pickle.dumps(one)) for one in raw])
    return found


def documents_of(paths, n, **options):
    """All documents of files, read `n` at a time; there are as many as was said beforehand."""
    found = []
    for raw in taken(paths, n, **options):
        for one in raw:
            documents = one.read().documents
            assert one.n_docs in (None, len(documents))
            found += documents
    return found


def assert_same(path, n, **options):
    """Blocks of `n` documents have the documents of the whole file, or are as wrong as it is."""
    try:
        whole = read_corpus(path, **options)
    except FormatError:
        with pytest.raises(FormatError) as caught:
            documents_of([path], n, **options)
        assert caught.value.path == str(path)
        return
    found = documents_of([path], n, **options)
    assert tuple(found) == whole.documents
    assert [one.line(0) for one in found] == [one.line(0) for one in whole.documents]
    assert [one.lines for one in found] == [one.lines for one in whole.documents]
    repairs = {one.read().repair for raw in taken([path], n, **options) for one in raw}
    assert repairs == {whole.repair}
