"""What tests of blocks share."""

import pytest

from spacy_chance_eval.corpora import passes


@pytest.fixture
def one_block(monkeypatch):
    """Files count as large, but may be counted as one block; how often that was so."""
    times, count = [], passes._count_one_block
    monkeypatch.setattr(passes, "LARGE", -1)
    monkeypatch.setattr(passes, "_count_one_block", lambda *all: times.append(1) or count(*all))
    return times
