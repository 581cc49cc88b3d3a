"""Each option of reading equals rewriting the files: the same values and counts, in every command.

The files are written at random with what the option is for, then once more as it would have them,
by a slow function that knows nothing of the package.
"""

import json
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from helpers.blocks import assert_alike
from helpers.cases import later
from spacy_chance_eval.cli import app

WORDS = ("Ada", "Rex", "Oslo", "U.S.", "met", "(", "“", ",", ".", "…")
BLANKS = ("\n", " ", "\u00a0", "\u200b")
LABELS = ("PER", "LOC")
SIDES = "abcd"
METRICS = ("span_f", "token_f", "slicm_norm", "gate_f(mode=lenient)")  # none that draws
N_DOCS = 24
# what says how something was read, or depends on the order of documents: no values and counts
SAID = {"n_skipped", "notes", "place", "repair", "saved", "signature", "skipped", "warnings"}
DRAWN = {"low", "high", "observed_low", "observed_high", "p_holm", "p_value", "resampling"}


# --- files: by side and name of the document its tokens and spans, None if not annotated


def some_spans(rng, size, labels):
    """One to three spans of different places, in order."""
    starts = sorted(rng.sample(range(size), min(size, rng.randint(1, 3))))
    ends = [rng.randint(start + 1, end) for start, end in zip(starts, [*starts[1:], size])]
    return [(start, end, rng.choice(labels)) for start, end in zip(starts, ends)]


def corpus(rng, labels=LABELS, words=WORDS):
    """{side: {document: (words, spans)}}: sides that have about half of their spans in common."""
    found = {side: {} for side in SIDES}
    for number in range(N_DOCS):
        tokens = [rng.choice(words) for _ in range(rng.randint(3, 8))]
        common = some_spans(rng, len(tokens), labels)
        for side in SIDES:
            own = common if rng.random() < 0.5 else some_spans(rng, len(tokens), labels)
            found[side][f"d{number}"] = tokens, own
    return found


def each(sides, function):
    """The same with a function of words and spans applied to each document of each side."""
    return {
        side: {name: (words, function(words, spans)) for name, (words, spans) in docs.items()}
        for side, docs in sides.items()
    }


def jsonl(docs):
    """Rows; texts are lines as they are."""
    rows = [
        one if isinstance(one, str) else json.dumps({"id": name, "tokens": one[0], "spans": one[1]})
        for name, one in docs.items()
    ]
    return "".join(f"{row}\n" for row in rows)


def conll(docs):
    """Columns of words and tags: spans are lists of tags."""
    return "".join(
        "-DOCSTART- O\n\n" + "".join(f"{w} {t}\n" for w, t in zip(words, tags)) + "\n"
        for words, tags in docs.values()
    )


# --- cases: (files, the same rewritten)


def trim(rng):
    """Spans lose tokens of white space at their ends, unless they are nothing else."""

    def rewritten(words, spans):
        found = []
        for start, end, label in spans:
            solid = [at for at in range(start, end) if words[at] not in BLANKS]
            found.append((solid[0], solid[-1] + 1, label) if solid else (start, end, label))
        return sorted({*found})

    sides = corpus(rng, words=(*WORDS, *BLANKS, *BLANKS))
    return sides, each(sides, rewritten)


def duplicates(rng):
    """Spans that stand there twice stand there once."""
    sides = corpus(rng)
    return each(sides, lambda _, spans: spans + [s for s in spans if rng.random() < 0.3]), sides


def of_tags(rng):
    """Tags of IOB at random, improper ones among them."""
    tags = ("O", *(f"{prefix}-{label}" for prefix in "BI" for label in LABELS))
    return each(corpus(rng), lambda words, _: [rng.choice(tags) for _ in words])


def repair(rng):
    """As conlleval: a tag other than O begins a chunk unless it goes on with that before."""

    def rewritten(_, tags):
        found = []
        for before, tag in zip(["O", *tags], tags):
            goes_on = tag[0] == "I" and before != "O" and before[1:] == tag[1:]
            found.append(tag if tag == "O" or goes_on else f"B{tag[1:]}")
        return found

    sides = of_tags(rng)
    return sides, each(sides, rewritten)


def drop(rng):
    """A chunk that begins with I is none: all of its tags are O."""

    def rewritten(_, tags):
        found, kept = [], True
        for before, tag in zip(["O", *tags], tags):
            if tag[0] == "B":
                kept = True
            elif tag != "O" and before[1:] != tag[1:]:
                kept = False
            found.append(tag if kept else "O")
        return found

    sides = of_tags(rng)
    return sides, each(sides, rewritten)


def rename(rng):
    """A label has another name in the files."""
    sides = corpus(rng)
    other = {"PER": "person", "LOC": "LOC"}
    return each(sides, lambda _, s: [(*one[:2], other[one[2]]) for one in s]), sides


def only(rng):
    """Spans of another label stand in the files."""
    sides = corpus(rng)
    return sides, each(sides, lambda _, spans: [one for one in spans if one[2] == "PER"])


def unreadable(rng, command="agree"):
    """Documents without a row that can be read: of annotators not annotated, of gold not there."""
    sides = corpus(rng)
    broken = SIDES if command in ("agree", "replacement") else "a" if command == "runs" else "ab"
    gone = {side: set(rng.sample([*sides[side]], 2)) for side in broken}
    written = {
        side: {n: '{"tokens": [' if n in gone.get(side, ()) else one for n, one in docs.items()}
        for side, docs in sides.items()
    }
    if broken == SIDES:
        return written, {
            side: {n: (one[0], None) if n in gone[side] else one for n, one in docs.items()}
            for side, docs in sides.items()
        }
    nowhere = set().union(*gone.values())
    return written, {
        side: {n: one for n, one in docs.items() if n not in nowhere}
        for side, docs in sides.items()
    }


# by the name: what makes the files, how they are written, the option, that instead of it, and what
# says it in results
OPTIONS = {
    "trim": (trim, jsonl, ["--read", "trim=space"], [], ()),
    "duplicates": (duplicates, jsonl, ["--read", "duplicates=merge"], [], ()),
    "repair": (repair, conll, ["--read", "repair=conlleval"], [], ()),
    "drop": (drop, conll, ["--read", "repair=drop"], [], ()),
    "rename": (rename, jsonl, ["--read", "rename=person:PER"], [], ()),
    "only": (only, jsonl, ["--read", "only_labels=PER"], [], ()),
    "skip": (unreadable, jsonl, ["--on-error", "skip"], [], ()),
}  # fmt: skip
ASKED = [word for metric in METRICS for word in ("-m", metric)]
OF_ANNOTATORS = ["-m", "alpha_u", "-m", "u_alpha", "-m", "krippendorff_alpha"]
NONE = ["--resamples", "0"]
COMMANDS = {
    "score": [["score", "a", "b", *ASKED, *NONE, "--per-doc"]],
    "agree": [["agree", "a", "b", "c", *ASKED, *OF_ANNOTATORS, *NONE]],
    "runs": [
        ["score", "a", "b", *ASKED, "-o", "one.run"],
        ["score", "a", "c", *ASKED, "-o", "two.run"],
        ["compare", "one.run", "two.run"],
    ],
    "replacement": [["agree", "a", "b", "c", "--candidate", "d", *NONE]],
    "diff": [["diff", "a", "b", "--all"]],
}


def run(patch, folder, sides, write, calls, option):
    """The JSON of the last of some calls on the files of all sides."""
    folder.mkdir()
    for side, docs in sides.items():
        (folder / f"{side}.{write.__name__}").write_text(write(docs), "utf-8")
    patch.chdir(folder)
    for call in calls:
        words = [f"{word}.{write.__name__}" if word in SIDES else word for word in call]
        if call[0] != "compare":
            words += option
        if call[0] in ("score", "diff") and "repair=" in "".join(option):
            words[2] += f"#{option[1]}"
        if "-o" not in call:
            words += ["-o", "out.json"]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, (words, result.output)
    return json.loads(Path("out.json").read_text("utf-8"))


def plain(value, left_out):
    """A result without some keys, lists of documents in the order of their names."""
    if isinstance(value, dict):
        return {key: plain(one, left_out) for key, one in value.items() if key not in left_out}
    if not isinstance(value, list):
        return value.partition("#repair=")[0] if isinstance(value, str) else value
    named = all(isinstance(one, dict) and "document" in one for one in value)
    rows = sorted(value, key=lambda one: one["document"]) if named else value
    return [plain(one, left_out) for one in rows]


@pytest.mark.parametrize("command", ["score", "diff", *later("agree", "runs", "replacement")])
@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_of_reading_equals_rewriting_the_files(tmp_path, monkeypatch, name, command):
    make, write, option, instead, more = OPTIONS[name]
    rng = Random(f"{name} {command}")
    sides, rewritten = make(rng, command) if make is unreadable else make(rng)
    assert sides != rewritten
    calls, left_out = COMMANDS[command], {*SAID, *DRAWN, *more}
    found = run(monkeypatch, tmp_path / "option", sides, write, calls, option)
    expected = run(monkeypatch, tmp_path / "rewritten", rewritten, write, calls, instead)
    assert_alike(plain(found, left_out), plain(expected, left_out))
