"""Make the outputs of six systems on the test documents of the sample.

    python scripts/sample/make_systems.py [FOLDER]

writes `systems/NAME.jsonl` to FOLDER, by default to `spacy_chance_eval/sample`, in about a minute.
Every system marks entities (`spans`) and statements:

- early, middle, late: pipelines that learn from `train.jsonl`, after a tenth, a quarter and all of
  their training: an NER for entities, and for statements a classifier of sentences, each of which
  is a statement without the punctuation at its end. Seeded, but other platforms and versions of
  spaCy may give other results.
- gazetteer: the names of `gazetteer.json`, and sentences with words that `train.jsonl` only has in
  sentences of one kind
- over-marker: every run of capitalised words as the label that is most frequent in `train.jsonl`,
  and every sentence as an EVENT, headlines and lists included
- shifted: the spans of late, each of them one token too far to the right
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed

SAMPLE = Path(__file__).parents[2] / "spacy_chance_eval" / "sample"
NER = {"steps": 400, "batch": 4, "rate": 0.003}  # a batch is of documents
CATEGORISER = {"steps": 160, "batch": 16, "rate": 0.003}  # of sentences
STAGES = {"early": 0.1, "middle": 0.25, "late": 1.0}  # shares of the steps
SEED = 0
NONE = "NONE"  # a sentence that is mostly no statement
CUES = 3  # sentences of one kind, and of no other, that a word has to stand in
CLOSING = frozenset('.!?"')

Row = dict[str, Any]
Marks = list[list[tuple[int, int, str]]]  # of each document


class Sentence(NamedTuple):
    """A sentence of a document: its tokens, without the punctuation at its end, and its kind."""

    row: Row
    start: int
    end: int
    kind: str


def read(name: str) -> list[Row]:
    """The rows of a file of the sample."""
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf8").splitlines()]


def sentences(row: Row) -> Iterator[Sentence]:
    """The sentences of a document; their kind is the label of most tokens in statements."""
    words = row["tokens"]
    for start, end in zip(row["sents"], [*row["sents"][1:], len(words)]):
        while end > start + 1 and words[end - 1] in CLOSING:
            end -= 1
        sizes: Counter[str] = Counter()
        for span in row["layers"]["statements"]:
            if start <= span["start"] and span["end"] <= end:
                sizes[span["label"]] += span["end"] - span["start"]
        yield Sentence(row, start, end, sizes.most_common(1)[0][0] if sizes else NONE)


# --- pipelines that learn


def make_doc(nlp: spacy.Language, row: Row, start: int = 0, end: int | None = None) -> Doc:
    """The Doc of a document, or of some of its tokens."""
    return Doc(nlp.vocab, row["tokens"][start:end], row["spaces"][start:end])


def train(
    nlp: spacy.Language,
    examples: Sequence[Example],
    predict: Callable[[], Marks],
    settings: Mapping[str, Any],
) -> dict[str, Marks]:
    """The predictions at each stage of a training."""
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = settings["rate"]
    rng, found = random.Random(SEED), {}
    stages = {round(share * settings["steps"]): stage for stage, share in STAGES.items()}
    for step in range(1, settings["steps"] + 1):
        nlp.update(rng.sample(examples, settings["batch"]), sgd=optimizer, drop=0.2)
        if step in stages:
            found[stages[step]] = predict()
    return found


def entities(rows: Sequence[Row], test: Sequence[Row]) -> dict[str, Marks]:
    """Entities at each stage of the training of an NER."""
    fix_random_seed(SEED)
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    examples = []
    for row in rows:
        gold = make_doc(nlp, row)
        gold.ents = [Span(gold, one["start"], one["end"], one["label"]) for one in row["spans"]]
        examples.append(Example(make_doc(nlp, row), gold))

    def predict() -> Marks:
        docs = [nlp(make_doc(nlp, row)) for row in test]
        return [[(one.start, one.end, one.label_) for one in doc.ents] for doc in docs]

    return train(nlp, examples, predict, NER)


def statements(rows: Sequence[Row], test: Sequence[Row]) -> dict[str, Marks]:
    """Statements at each stage of the training of a classifier of sentences."""
    fix_random_seed(SEED)
    nlp = spacy.blank("en")
    nlp.add_pipe("textcat")
    known = [one for row in rows for one in sentences(row)]
    kinds = sorted({one.kind for one in known})
    examples = []
    for one in known:
        gold = make_doc(nlp, one.row, one.start, one.end)
        gold.cats = {kind: float(kind == one.kind) for kind in kinds}
        examples.append(Example(make_doc(nlp, one.row, one.start, one.end), gold))

    def kind_of(one: Sentence) -> str:
        scores = nlp(make_doc(nlp, one.row, one.start, one.end)).cats
        return max(scores, key=lambda kind: scores[kind])

    return train(nlp, examples, lambda: by_sentence(test, kind_of), CATEGORISER)


def by_sentence(test: Sequence[Row], kind_of: Callable[[Sentence], str]) -> Marks:
    """Statements that are whole sentences."""
    found = [[(one.start, one.end, kind_of(one)) for one in sentences(row)] for row in test]
    return [[span for span in spans if span[2] != NONE] for spans in found]


# --- systems of rules


def listed_names(test: Sequence[Row]) -> Marks:
    """Entities that the gazetteer knows."""
    nlp = spacy.blank("en")
    patterns = json.loads((SAMPLE / "gazetteer.json").read_text(encoding="utf8"))
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    docs = [nlp(make_doc(nlp, row)) for row in test]
    return [[(one.start, one.end, one.label_) for one in doc.ents] for doc in docs]


def cue_words(rows: Sequence[Row]) -> dict[str, str]:
    """Words that stand in enough sentences of one kind, and in none of another."""
    kinds: dict[str, Counter[str]] = {}
    for one in (one for row in rows for one in sentences(row)):
        for word in {word.lower() for word in one.row["tokens"][one.start : one.end]}:
            kinds.setdefault(word, Counter())[one.kind] += 1
    return {
        word: next(iter(counts))
        for word, counts in kinds.items()
        if len(counts) == 1 and counts.total() >= CUES
    }


def by_cues(test: Sequence[Row], cues: Mapping[str, str]) -> Marks:
    """Sentences with cue words, by the kind of most of them."""

    def kind_of(one: Sentence) -> str:
        words = [word.lower() for word in one.row["tokens"][one.start : one.end]]
        found = Counter(cues[word] for word in words if word in cues)
        return max(sorted(found), key=lambda kind: found[kind]) if found else NONE

    return by_sentence(test, kind_of)


def capitalised(rows: Sequence[Row], test: Sequence[Row]) -> Marks:
    """Runs of capitalised words, as the label that is most frequent."""
    labels = Counter(span["label"] for row in rows for span in row["spans"])
    label = labels.most_common(1)[0][0]
    found: Marks = []
    for row in test:
        initials = enumerate(word[0] for word in row["tokens"])
        runs = [[*run] for upper, run in groupby(initials, lambda one: one[1].isupper()) if upper]
        found.append([(run[0][0], run[-1][0] + 1, label) for run in runs])
    return found


def all_sentences(test: Sequence[Row]) -> Marks:
    """Every sentence as an EVENT."""
    return by_sentence(test, lambda _: "EVENT")


def shifted(marks: Marks, test: Sequence[Row]) -> Marks:
    """Spans one token further to the right, those that fit."""
    return [
        [(start + 1, end + 1, label) for start, end, label in spans if end < len(row["tokens"])]
        for spans, row in zip(marks, test)
    ]


def main(target: Path = SAMPLE) -> None:
    """Write one file for each system."""
    rows, test = read("train.jsonl"), read("test.jsonl")
    learnt, sorted_out = entities(rows, test), statements(rows, test)
    systems = {stage: (learnt[stage], sorted_out[stage]) for stage in STAGES}
    systems["gazetteer"] = listed_names(test), by_cues(test, cue_words(rows))
    systems["over-marker"] = capitalised(rows, test), all_sentences(test)
    systems["shifted"] = shifted(learnt["late"], test), shifted(sorted_out["late"], test)
    folder = target / "systems"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (ents, found) in systems.items():
        lines = [
            json.dumps(
                {"id": row["id"], "tokens": row["tokens"], "spans": ents[doc]}
                | {"layers": {"statements": found[doc]}},
                ensure_ascii=False,
            )
            for doc, row in enumerate(test)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
