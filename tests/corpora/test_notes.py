"""What readers have to say reaches the result of counting, however a corpus is divided."""

from dataclasses import replace

import pytest

from helpers.blocks import made, many_blocks, two_files, two_folders
from spacy_chance_eval.corpora.compared import Compared
from spacy_chance_eval.corpora.jobs import Asked, Job
from spacy_chance_eval.corpora.pairs import find_pair
from spacy_chance_eval.corpora.passes import count_sources
from spacy_chance_eval.corpora.sources import Annotator, Source
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.formats.notes import MERGED, Place, note
from spacy_chance_eval.metrics.request import request


def counted_notes(gold, pred):
    names = ("gold", "pred")
    sources, *_ = find_pair(str(gold), str(pred), Reading())
    find = lambda number, *_: [Annotator(names[number], number, "spans")]  # noqa: E731
    return count_sources(sources, Job(Asked({"span_f": request("span_f")}), Compared(find))).notes


@pytest.fixture
def noting(monkeypatch):
    """Readers that have something to say of every document."""
    tokenized = Source.tokenized

    def with_notes(source, corpus, first=0):
        places = [Place(source.reading.role, None, document.name) for document in corpus.documents]
        return tokenized(source, replace(corpus, notes=note(MERGED, places)), first)

    monkeypatch.setattr(Source, "tokenized", with_notes)


@pytest.mark.parametrize("kept", [None, 0], ids=["kept", "read-twice"])
@pytest.mark.parametrize("files", [two_files, lambda *to: two_folders(*to, 3)],
                         ids=["files", "folders"])  # fmt: skip
def test_one_block_and_many_have_the_same_notes(files, kept, noting, tmp_path):
    both = files(tmp_path, made(13))
    expected = counted_notes(*both)
    with many_blocks(kept=kept):
        found = counted_notes(*both)
    assert found == expected
    assert found.count(MERGED) == 26 and found.places[MERGED][0] == Place("gold", None, "d0")
