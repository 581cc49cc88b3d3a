"""The sample as `.spacy` files and rule-based pipelines on disk, made once."""

import pytest
import spacy
import srsly

from spacy_chance_eval import read, sample
from spacy_chance_eval.spacy_docs.docbin import convert


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """Folder with train.spacy, dev.spacy and test.spacy."""
    folder = tmp_path_factory.mktemp("corpus")
    for split in ("train", "dev", "test"):
        convert(read(sample.path(f"{split}.jsonl")), folder / f"{split}.spacy", lang="en")
    return folder


def ruled(key=None):
    """A blank pipeline with the sample's gazetteer, as entities and as a span group."""
    nlp, patterns = spacy.blank("en"), srsly.read_json(sample.path("gazetteer.json"))
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    if key:
        nlp.add_pipe("span_ruler", config={"spans_key": key}).add_patterns(patterns)
    return nlp


@pytest.fixture(scope="session")
def gazetteer(tmp_path_factory):
    """Folder of a saved pipeline that only predicts entities, by rules."""
    folder = tmp_path_factory.mktemp("models") / "gazetteer"
    ruled().to_disk(folder)
    return folder


@pytest.fixture(scope="session")
def two_layers(tmp_path_factory):
    """Folder of a saved pipeline that predicts entities and the span group sc."""
    folder = tmp_path_factory.mktemp("models") / "two"
    ruled("sc").to_disk(folder)
    return folder
