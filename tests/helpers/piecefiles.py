"""Files read in pieces: what the pieces say together."""

import pickle

import pytest
from spacy_chance_eval.corpora.pieces import Cutter

from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats.errors import FormatError


def taken(paths, n, **options):
    """All pieces of files, sent through a pickle, by what was taken at a time."""
    with Cutter(paths, **options) as cutter:
        found = []
        while pieces := cutter.take(n):
            found.append([pickle.loads(pickle.dumps(piece)) for piece in pieces])
    return found


def documents_of(paths, n, **options):
    """The documents of all pieces; every piece has as many as it says."""
    found = []
    for pieces in taken(paths, n, **options):
        for piece in pieces:
            documents = piece.read().documents
            assert piece.n_docs in (None, len(documents))
            found += documents
    return found


def assert_same(path, n, **options):
    """Pieces of `n` documents have the documents of the whole file, or are as wrong as it is."""
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
    assert {p.read().repair for pieces in taken([path], n, **options) for p in pieces} == {
        whole.repair
    }
