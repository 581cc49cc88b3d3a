"""Calls of the program, and small annotation files for it to read."""

import inspect
import json

import typer
from typer.testing import CliRunner

from spacy_chance_eval.cli import app

WORDS = "Ada met Rex Roe in Oslo .".split()
GOLD = ["B-PER", "O", "B-PER", "I-PER", "O", "B-LOC", "O"]
PRED = ["B-PER", "O", "B-PER", "O", "O", "B-LOC", "O"]
SPANS = [(0, 1, "PER"), (2, 4, "PER"), (5, 6, "LOC")]
FOUND = [(0, 1, "PER"), (2, 3, "PER"), (5, 6, "LOC")]


def call(*arguments):
    """The program in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def score(*arguments):
    """Tables of a scoring that goes well."""
    done = call("score", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def scored(*arguments):
    """The only layer of the JSON of a scoring."""
    (layer,) = json.loads(score(*arguments, "-o", "-"))["layers"]
    return layer


def failed(*arguments):
    """Message of a call that fails: 1 for bad data, 2 for a wrong call; it prints nothing else."""
    done = call(*arguments)
    assert (done.exit_code in (1, 2), done.stdout) == (True, "")
    assert isinstance(done.exception, SystemExit)
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def conll(path, *columns, words=WORDS):
    """A CoNLL file of one sentence."""
    path.write_text("".join(" ".join(row) + "\n" for row in zip(words, *columns)))
    return path


def jsonl(path, spans, words=WORDS, **more):
    """A JSONL file of one document."""
    rows = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    path.write_text(json.dumps({"tokens": words, "spans": rows, **more}) + "\n")
    return path


def prodigy(path, spans, words=WORDS):
    """A file of one task as Prodigy writes it: the last token is inclusive."""
    starts = [sum(len(word) + 1 for word in words[:i]) for i in range(len(words))]
    tokens = [
        {"text": word, "start": start, "end": start + len(word), "id": i, "ws": True}
        for i, (word, start) in enumerate(zip(words, starts))
    ]
    rows = [
        {
            "start": starts[start],
            "end": starts[end - 1] + len(words[end - 1]),
            "token_start": start,
            "token_end": end - 1,
            "label": label,
        }
        for start, end, label in spans
    ]
    task = {"text": " ".join(words), "tokens": tokens, "spans": rows, "answer": "accept"}
    path.write_text(json.dumps({**task, "_input_hash": 1, "_task_hash": 2}) + "\n")
    return path


def spellings(command):
    """The options of a command as they are written, such as "--layer" and "-l"."""
    return {
        spelling
        for one in inspect.signature(command).parameters.values()
        if not isinstance(one.default, typer.models.ArgumentInfo)
        for name in one.default.param_decls or [f"--{one.name.replace('_', '-')}"]
        for spelling in name.split("/")
    }
