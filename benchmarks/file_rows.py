"""The command `score` on files: reading, scoring and writing, in one process and in two."""

import json
import tempfile
from functools import partial
from pathlib import Path

import inputs
from rows import Row, Topic

BOTH = ("-m", "span_f", "-m", "token_f")
ONE = ("-m", "span_f(chance=none)")


def write_conll(path, spans):
    """A file of two columns; the words do not matter."""
    with open(path, "w", encoding="utf8") as file:
        for tags in inputs.tags(spans):
            file.writelines(f"w{i}\t{tag}\n" for i, tag in enumerate(tags))
            file.write("\n")


def write_jsonl(path, spans):
    """A file of tokens and spans."""
    with open(path, "w", encoding="utf8") as file:
        for size, rows in zip(spans.sizes.tolist(), inputs.tuples(spans)):
            named = [dict(zip(("start", "end", "label"), row)) for row in rows]
            row = {"tokens": [f"w{i}" for i in range(size)], "spans": named}
            file.write(json.dumps(row) + "\n")


def files_of(write, ending, n_docs):
    """Paths of gold and prediction, in a folder that goes with the process."""
    folder = Path(tempfile.mkdtemp())
    paths = [folder / f"{name}{ending}" for name in ("gold", "pred")]
    for path, spans in zip(paths, inputs.conll_shaped(n_docs)):
        write(path, spans)
    return paths


def scored(write, ending, options, n_docs):
    """The command, as it is called by `spacy-chance-eval`."""
    from spacy_chance_eval.cli import app

    paths = files_of(write, ending, n_docs)
    output = paths[0].with_name("scores.json")
    words = ["score", *map(str, paths), *options, "-o", str(output)]

    def work():
        app(words, standalone_mode=False)
        return json.loads(output.read_text())["layers"][0]["scores"][options[1]]["observed"]

    return work


def by_seqeval(n_docs):
    """The few lines that one would write to read columns for seqeval."""
    from seqeval.metrics import f1_score

    paths = files_of(write_conll, ".conll", n_docs)

    def read(path):
        text = path.read_text(encoding="utf8").rstrip("\n")
        return [
            [line.split("\t")[-1] for line in block.split("\n")] for block in text.split("\n\n")
        ]

    return lambda: f1_score(*map(read, paths))


CONLL, JSONL = partial(scored, write_conll, ".conll"), partial(scored, write_jsonl, ".jsonl")
TWO = (*BOTH, "--n-process", "2")
STARTED = {"processes": 2, "power": 0.5}  # of the seconds, many go into starting them
TOPICS = {
    "files": Topic(
        "the command on files",
        (
            Row("score, CoNLL", partial(CONLL, BOTH)),
            Row("score, CoNLL, 2 processes", partial(CONLL, TWO), **STARTED),
            Row("score, JSONL", partial(JSONL, BOTH)),
            Row("score, JSONL, 2 processes", partial(JSONL, TWO), **STARTED),
            Row("score, CoNLL, span F", partial(CONLL, ONE), remark="span F only, no chance"),
            Row("seqeval", by_seqeval, "score, CoNLL, span F", "reading CoNLL; F only, no labels"),
        ),
        remark="reading, and span and token F, corrected for chance; `score gold pred`",
    )
}
