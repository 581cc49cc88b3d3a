"""The sample as `.spacy` files, and pipelines that follow rules, on disk."""

from dataclasses import replace

import spacy
import srsly

from spacy_chance_eval import read, sample
from spacy_chance_eval.spacy_docs.docbin import write_docbin


def small_test():
    """The first six test documents of the sample: enough for most tests."""
    whole = read(sample.path("test.jsonl"))
    return replace(whole, documents=whole.documents[:6])


def corpus(folder):
    """A folder, after train.spacy, dev.spacy and a small test.spacy were written to it."""
    for split in ("train", "dev"):
        write_docbin(folder / f"{split}.spacy", read(sample.path(f"{split}.jsonl")), lang="en")
    write_docbin(folder / "test.spacy", small_test(), lang="en")
    return folder


def ruled(key=None):
    """A blank pipeline with the sample's gazetteer, as entities and as a span group."""
    nlp, patterns = spacy.blank("en"), srsly.read_json(sample.path("gazetteer.json"))
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    if key:
        nlp.add_pipe("span_ruler", config={"spans_key": key}).add_patterns(patterns)
    return nlp


def saved(folder, key=None):
    """A folder, after such a pipeline was written to it."""
    ruled(key).to_disk(folder)
    return folder
