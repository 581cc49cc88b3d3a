"""Record what commands and Python calls print and write, and compare two recordings.

For changes that must not alter a number or a word that users see, such as a restructuring. Record
the version before in an environment of its own, record the version after, compare:

    git worktree add ../before main
    python3 -m venv ../before/.venv && ../before/.venv/bin/pip install "../before[test]"
    python tests/helpers/record.py run /tmp/old --python ../before/.venv/bin/python
    python tests/helpers/record.py run /tmp/new
    python tests/helpers/record.py compare /tmp/old /tmp/new

`run OUT` works through a list of cases, each a few commands or a Python call. Each case has a
temporary folder of its own with copies of what it reads: the sample of the package, and files made
with fixed seeds. Options:

    --python PY       the interpreter whose package is recorded; by default the one that runs this
                      file. PYTHONPATH is ignored, so that two versions are not mixed up
    --only PATTERN    the cases whose names match, such as "score-*"; their older recordings are
                      replaced, others stay
    --jobs N          cases at a time (default: 2)
    --shared FOLDER   real data that some cases need; by default `../shared/data` beside the
                      checkout. Without it these cases are skipped, and a note says so

A recording has a folder `cases/NAME` for each case: `stdout`, `stderr`, `exit` (one exit code for
each command; of `--help` nothing else), and `files`, what was written. Runs and `.spacy` files,
whose bytes may change, are described in JSON. Times, temporary folders, absolute paths of the
environment and the version are replaced by words such as TIME.

`compare OLD NEW` (also with `--only`) prints every difference and ends with exit code 1 if there is
one. Texts, tables, pages and JSON have to be equal, letter by letter. Only numbers that either
recording prints with more than 9 digits may differ: they are compared with 9 digits.

To add a case, add it to record_cases.yml, or write a function below `CALLS`; what it reads is made
by the functions below "What the cases read". Cases use public names only, so that they run with
older and newer versions.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import srsly

Row = dict[str, Any]  # a document, as JSONL has it

PACKAGE = "spacy_chance_eval"
TIMEOUT = 600  # seconds a command
ABOUT = "about.json"
EXITS = "help-exits"  # the case of which exit codes alone are kept

# ------------------------------------------------------------------------------------ The cases

# commands of the package by the name of the case
CASES: dict[str, list[str]] = srsly.read_yaml(Path(__file__).with_name("record_cases.yml"))

# ------------------------------------------------------------------------- Calls of the Python API

CALLS: dict[str, Callable[[], None]] = {}  # by their names; as cases "api-NAME" or in a command


def api(*reads: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Make a function a case that reads these folders."""

    def added(function: Callable[[], None]) -> Callable[[], None]:
        name = function.__name__.replace("_", "-")
        CALLS[name] = function
        CASES[f"api-{name}"] = [f"call {name} {' '.join(f'{read}/' for read in reads)}"]
        return function

    return added


def show(**found: Any) -> None:
    """Print results as JSON."""
    print(json.dumps(plain(found), indent=1, ensure_ascii=False))


def plain(value: Any) -> Any:
    """A result of the package, or of spaCy, as JSON can hold it."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def message_of(function: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    """The class and message of the error that a call raises."""
    try:
        function(*arguments, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing is wrong"


def two_sides(layer: str = "spans") -> list[Any]:
    """`Spans` of gold and of two predictions."""
    from spacy_chance_eval import read

    return [read(f"corpus/{name}.jsonl").spans(layer) for name in ("gold", "pred", "old")]


@api("corpus")
def evaluate() -> None:
    from spacy_chance_eval import DEFAULT_METRICS, Resampling, evaluate, request

    gold, pred, old = two_sides()
    known = {("PER", "ORG"): 0.5, ("LOC", "ORG"): 0.25}
    metrics = ["span_f", "token_f(encoding=BIO)", "slicm_norm", "krippendorff_alpha", "u_alpha"]
    show(
        default=evaluate(gold, pred),
        names=DEFAULT_METRICS,
        intervals=evaluate(gold, pred, metrics, per_doc=True, intervals=Resampling(200)),
        bca=evaluate(gold, old, ["span_f"], intervals=Resampling(200, 3, "bca", 0.9)),
        p_values=evaluate(gold, pred, "token_f", p_values=True, draws=50, seed=2),
        drawn=evaluate(gold, pred, ["slicm_norm(chance=disjoint)"], draws=20),
        bdm=evaluate(gold, pred, [request("bdm_f", closeness=known)]),
        clusters=evaluate(
            gold, pred, ["span_f"], clusters=list("aabbccddeeff"), intervals=Resampling(50)
        ),
        itself=evaluate(gold, gold, ["span_f", "slicm"]),
    )


def rounded(value: Any) -> Any:
    """A result with all its numbers rounded."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return round(value, 3) if isinstance(value, float) else value


# ------------------------------------------------------------------------------ What the cases read


def make_inputs(folder: Path, sample: Path, shared: Path | None) -> None:
    """Write all files that cases read, but for those that spaCy writes, with fixed seeds."""
    shutil.copytree(sample, folder / "sample", ignore=shutil.ignore_patterns("__*"))
    rows = [
        {**row, "genre": ("news", "sport", "culture")[index % 3]}
        for split in ("dev", "test")
        for index, row in enumerate(read_rows(sample / f"{split}.jsonl"))
    ]
    make_corpus(folder / "corpus", rows)
    make_annotators(folder / "corpus", rows)
    make_large(folder / "large")
    make_damaged(folder / "damaged", folder / "large")
    make_treebanks(folder / "trees", sample / "treebank.conllu")
    if shared is not None:
        make_shared(folder / "shared", shared)


def read_rows(path: Path) -> list[Row]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write(path: Path, text: str) -> None:
    """Write a text, packed if the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = text.encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as JSONL."""
    write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def disturbed(rows: Sequence[Row], seed: int, share: float) -> list[Row]:
    """Rows with a share of their spans lost, cut, longer or of another label, and with new ones."""
    rng = Random(seed)
    labels = sorted({span["label"] for row in rows for span in row["spans"]})
    return [{**row, "spans": list(disturbed_spans(row, labels, share, rng))} for row in rows]


def disturbed_spans(row: Row, labels: Sequence[str], share: float, rng: Random) -> Iterator[Row]:
    """The spans of a document so disturbed; none overlap or leave their sentence, if none did."""
    size = len(row["tokens"])
    borders = sorted({*row["sents"], *(span["start"] for span in row["spans"]), size})
    for span in row["spans"]:
        limit = next(border for border in borders if border > span["start"])
        end, label, kind = span["end"], span["label"], rng.random() / share
        if kind < 0.25:
            continue
        if kind < 0.5:
            end = min(end + 1, limit)
        elif kind < 0.75:
            end = max(end - 1, span["start"] + 1)
        elif kind < 1:
            label = rng.choice(labels)
        yield {**span, "end": end, "label": label}
        if limit > end + 4 and rng.random() < share / 4:
            start = rng.randrange(end + 1, limit - 2)
            yield {"start": start, "end": start + rng.randint(1, 2), "label": rng.choice(labels)}


def disturbed_groups(rows: Sequence[Row], seed: int) -> list[Row]:
    """Rows whose second layer lost some spans, and has only the last token of others."""
    rng = Random(seed)
    found = []
    for row in rows:
        kept = [dict(span) for span in row["layers"]["sc"] if rng.random() < 0.8]
        for span in kept:
            if rng.random() < 0.1:
                span["start"] = span["end"] - 1
        once = {(span["start"], span["end"], span["label"]): span for span in kept}
        found.append({**row, "layers": {"sc": list(once.values())}})
    return found


def make_corpus(folder: Path, rows: list[Row]) -> None:
    """Gold annotation and predictions of one small corpus, in many formats."""
    pred = disturbed_groups(disturbed(rows, 1, 0.3), 1)
    old = disturbed_groups(disturbed(rows, 2, 0.6), 2)
    for name, some in {"gold": rows, "pred": pred, "old": old}.items():
        write_rows(folder / f"{name}.jsonl", some)
        write(folder / f"{name}.conll", conll([some]))
        write(folder / f"{name}.csv", csv({"system": some}))
    write_rows(folder / "pred.jsonl.gz", pred)
    write(folder / "gold.conll.gz", conll([rows]))
    write(folder / "gold.xyz", conll([rows]))
    write(folder / "both.conll", conll([rows, pred]))
    write(folder / "other.conll", conll([pred]).replace("Lindqvist", "Lindquist"))
    write(folder / "improper.conll", conll([rows]).replace("\tB-PER\n", "\tI-PER\n"))
    write(folder / "sizeless.csv", csv({"system": pred}).replace(",size", ",note"))
    write_rows(folder / "corrected.jsonl", disturbed(rows, 3, 0.05))
    write_rows(folder / "shuffled.jsonl", Random(4).sample(pred, len(pred)))
    write_rows(folder / "partial.jsonl", pred[:-3])
    write_rows(folder / "unseen.jsonl", [*pred[:-3], *map(unseen, pred[-3:])])
    write_rows(folder / "unannotated.jsonl", [*pred[:-3], *map(without_spans, pred[-3:])])
    write_rows(folder / "prodigy.jsonl", (task(row, n) for n, row in enumerate(pred)))
    write_rows(folder / "characters.jsonl", map(in_characters, rows))
    write_rows(folder / "characters_pred.jsonl", map(in_characters, pred))
    for name, some in {"features": rows, "features_pred": pred}.items():
        write_rows(folder / f"{name}.jsonl", with_features(some))
    systems = [
        {"name": "New", "path": "pred.conll", "link": "https://example.org", "year": 2024},
        {"name": "Old", "path": "old.conll", "column": 1},
    ]
    write(folder / "systems.json", json.dumps(systems))
    write(folder / "systems.yml", f"systems: {json.dumps(systems)}\n")
    write(folder / "ontology.csv", "child,parent\nPER,ACTOR\nORG,ACTOR\nACTOR,THING\nLOC,THING\n")


def make_annotators(folder: Path, rows: list[Row]) -> None:
    """The work of three annotators on that corpus; one of them has not seen all of it."""
    team = {name: disturbed(rows, seed, 0.4) for seed, name in enumerate(("ann", "bob", "cleo"), 5)}
    lacking = team["cleo"][2:5]
    team["cleo"] = [row for row in team["cleo"] if row not in lacking]
    write_rows(folder / "team.jsonl", by_annotator(team))
    write_rows(
        folder / "sessions.jsonl",
        (
            {**task(row, index), "_session_id": f"news-{name}", "_annotator_id": name}
            for name, some in team.items()
            for index, row in enumerate(rows)
            for row in some
            if row["id"] == rows[index]["id"]
        ),
    )
    write(folder / "team.csv", csv(team))
    team["cleo"] = sorted([*team["cleo"], *map(unseen, lacking)], key=lambda row: row["id"])
    for name, some in team.items():
        write_rows(folder / f"{name}.jsonl", some)
    write(folder / "team.conll", conll(list(team.values()), ("token", *team)))
    for name in ("ann", "bob"):
        for row in team[name]:
            write(folder / "brat" / name / f"{row['id']}.txt", text_of(row))
            write(folder / "brat" / name / f"{row['id']}.ann", brat(row))
    rng = Random(8)
    topics = [(f"d{n}", rng.choice(["news", "sport", "film"])) for n in range(30)]
    answers = [
        (doc, name, topic if rng.random() < 0.7 else rng.choice(["news", "sport", "film"]))
        for doc, topic in topics
        for name in ("ann", "bob", "cleo")
        if rng.random() < 0.9
    ]
    write(folder / "topics.csv", categories(answers))
    write_rows(folder / "choices.jsonl", (choice(*answer) for answer in answers))
    indices = {"news": "1", "sport": "2", "film": "3"}
    write(folder / "grades.csv", categories((doc, who, indices[one]) for doc, who, one in answers))


def by_annotator(team: Mapping[str, list[Row]]) -> Iterator[Row]:
    """All rows of a team, without layers, each with its annotator."""
    for name, rows in team.items():
        for row in rows:
            kept = {key: value for key, value in row.items() if key != "layers"}
            yield {**kept, "annotator": name}


def unseen(row: Row) -> Row:
    """A row that says that nobody annotated it."""
    return {**row, "spans": None}


def without_spans(row: Row) -> Row:
    """A row that says nothing of its spans."""
    return {key: value for key, value in row.items() if key != "spans"}


def with_features(rows: Sequence[Row]) -> Iterator[Row]:
    """Rows whose spans have features, of which some differ from place to place."""
    for row in rows:
        spans = [
            {**span, "features": {"kind": "ab"[len(span["label"]) % 2], "long": long_name(span)}}
            for span in row["spans"]
        ]
        yield {**row, "spans": spans}


def long_name(span: Row) -> bool:
    """Whether a span has several tokens."""
    return span["end"] - span["start"] > 1


def tags_of(row: Row) -> list[str]:
    """IOB2 tags of the tokens; hyphens if nobody annotated them."""
    if row["spans"] is None:
        return ["-"] * len(row["tokens"])
    tags = ["O"] * len(row["tokens"])
    for span in row["spans"]:
        tags[span["start"]] = f"B-{span['label']}"
        for token in range(span["start"] + 1, span["end"]):
            tags[token] = f"I-{span['label']}"
    return tags


def conll(
    columns: Sequence[Sequence[Row]],
    names: Sequence[str] = (),
    mark: str = "# newdoc id = {id}\n",
) -> str:
    """The tags of several annotators of the same documents, in columns."""
    lines = ["#" + "\t".join(names) + "\n"] if names else []
    for rows in zip(*columns):
        lines.append(mark.format(**rows[0]))
        table = zip(rows[0]["tokens"], *map(tags_of, rows))
        for token, fields in enumerate(table):
            if token and token in rows[0]["sents"]:
                lines.append("\n")
            lines.append("\t".join(fields) + "\n")
        lines.append("\n")
    return "".join(lines)


def csv(team: Mapping[str, Sequence[Row]]) -> str:
    """A table of spans by annotator."""
    lines = ["document,annotator,start,end,label,size"]
    for name, rows in team.items():
        for row in rows:
            size = len(row["tokens"])
            spans = [f"{span['start']},{span['end']},{span['label']}" for span in row["spans"]]
            lines += [f"{row['id']},{name},{span},{size}" for span in spans or [",,"]]
    return "\n".join(lines) + "\n"


def categories(answers: Iterable[tuple[str, str, str]]) -> str:
    """A table of categories by annotator."""
    return "document,annotator,label\n" + "".join(f"{','.join(row)}\n" for row in answers)


def choice(doc: str, annotator: str, label: str) -> Row:
    """A task of Prodigy with options."""
    number = int(doc[1:])
    return {
        "text": f"Document {number}",
        "options": [{"id": one} for one in ("news", "sport", "film")],
        "accept": [label],
        "answer": "accept" if number % 10 else "reject",
        "_view_id": "choice",
        "_annotator_id": annotator,
        "_input_hash": number,
        "_task_hash": number,
    }


def starts_of(row: Row) -> list[int]:
    """Where the tokens begin, in characters."""
    starts, here = [], 0
    for word, space in zip(row["tokens"], row["spaces"]):
        starts.append(here)
        here += len(word) + space
    return starts


def text_of(row: Row) -> str:
    """The text of a document."""
    return "".join(word + " " * space for word, space in zip(row["tokens"], row["spaces"]))


def characters_of(row: Row) -> Iterator[tuple[int, int, Row]]:
    """Start and end of each span, in characters, and the span."""
    starts = starts_of(row)
    for span in row["spans"]:
        last = span["end"] - 1
        yield starts[span["start"]], starts[last] + len(row["tokens"][last]), span


def in_characters(row: Row) -> Row:
    """A row with a text in place of tokens."""
    spans = [
        {"start": start, "end": end, "label": span["label"]}
        for start, end, span in characters_of(row)
    ]
    return {"id": row["id"], "text": text_of(row), "spans": spans}


def brat(row: Row) -> str:
    """The spans of a document as brat writes them."""
    text = text_of(row)
    return "".join(
        f"T{number}\t{span['label']} {start} {end}\t{text[start:end]}\n"
        for number, (start, end, span) in enumerate(characters_of(row), 1)
    )


def task(row: Row, number: int) -> Row:
    """A document as a task of Prodigy, whose last tokens are inclusive."""
    tokens = [
        {"text": word, "start": start, "end": start + len(word), "id": index, "ws": space}
        for index, (word, space, start) in enumerate(
            zip(row["tokens"], row["spaces"], starts_of(row))
        )
    ]
    spans = [
        {
            "start": start,
            "end": end,
            "token_start": span["start"],
            "token_end": span["end"] - 1,
            "label": span["label"],
        }
        for start, end, span in characters_of(row)
    ]
    return {
        "text": text_of(row),
        "tokens": tokens,
        "spans": spans,
        "answer": "accept",
        "_input_hash": number,
        "_task_hash": number,
    }


def made_rows(n_docs: int, seed: int, labels: Sequence[str]) -> list[Row]:
    """Random documents of two sentences, with spans that do not overlap."""
    rng = Random(seed)
    words = [f"{stem}{ending}" for stem in "abdefgklmnoprstuv" for ending in ("a", "en", "ist")]
    rows = []
    for number in range(n_docs):
        size, spans, here = rng.randint(6, 30), [], rng.randint(0, 6)
        while here < size - 3:
            end = here + rng.randint(1, 3)
            if not here < size // 2 < end:
                spans.append({"start": here, "end": end, "label": rng.choice(labels)})
            here = end + rng.randint(0, 12)
        tokens = [rng.choice(words) for _ in range(size)]
        rows.append({"id": f"d{number}", "tokens": tokens, "sents": [0, size // 2], "spans": spans})
    return rows


def make_large(folder: Path) -> None:
    """3,000 documents as CoNLL, and 600 others in folders of six files."""
    rows = made_rows(3000, 11, ("PER", "LOC", "ORG", "MISC"))
    sides = {"gold": rows, "pred": disturbed(rows, 12, 0.3), "old": disturbed(rows, 13, 0.4)}
    start = "-DOCSTART- -X- O\n\n"
    for name, some in sides.items():
        write(folder / f"{name}.conll", conll([some], mark=start))
    few = rows[:200], sides["pred"][:200]
    for name, some in zip(("articles", "articles_pred"), few):
        marks = re.sub(r"(?:-DOC.*\n\n)(?!\S+\t\S+\n)", "", conll([some], mark=start))
        write(folder / f"{name}.conll", marks)
    rows = made_rows(600, 14, ("A", "B", "C"))
    for name, some in {"gold": rows, "pred": disturbed(rows, 15, 0.3)}.items():
        for part in range(6):
            end = ".jsonl.gz" if part % 2 else ".jsonl"
            write_rows(folder / name / f"part-{part}{end}", some[part * 100 : part * 100 + 100])


def make_damaged(folder: Path, large: Path) -> None:
    """The folders again: one file is cut off, one has a bad line, one is missing."""
    for name in ("gold", "pred"):
        shutil.copytree(large / name, folder / name)
    packed, text = folder / "pred/part-1.jsonl.gz", folder / "pred/part-2.jsonl"
    packed.write_bytes(packed.read_bytes()[:2000])
    text.write_text(text.read_text("utf-8").replace('"end": ', '"end": "x', 1), "utf-8")
    (folder / "pred/part-4.jsonl").unlink()


def make_treebanks(folder: Path, treebank: Path) -> None:
    """The treebank of the sample, other annotators of it, and trees in brackets."""
    text = treebank.read_text("utf-8")
    carl = disturbed_trees(text, 21, 0.15)
    sentences = disturbed_trees(text, 22, 0.3).split("\n\n")
    write(folder / "anna.conllu", text)
    write(folder / "carl.conllu", carl)
    write(folder / "dora.conllu", "\n\n".join(sentences[5:60]) + "\n\n")
    write(folder / "cycle.conllu", text.replace("\t3\tnsubj\t", "\t1\tnsubj\t", 1))
    write(folder / "anna.conllx", "".join(re.findall(r"(?m)^\d+\t.*\n|^\n", text)))
    write(folder / "named/news-anna.conllu", text)
    write(folder / "named/news-carl.conllu", carl)
    relations = ("nsubj,subject", "nsubj:pass,subject", "subject,core", "obj,core", "iobj,core")
    write(folder / "relations.csv", "child,parent\n" + "\n".join(relations) + "\n")
    rng = Random(23)
    brackets = [phrase("S", 0, rng) for _ in range(25)]
    write(folder / "anna.mrg", "\n".join(brackets) + "\n")
    write(folder / "carl.mrg", "\n".join(relabelled(tree, rng) for tree in brackets) + "\n")


def disturbed_trees(text: str, seed: int, share: float) -> str:
    """CoNLL-U with a share of other heads, always that of the root, and of other relations."""
    rng = Random(seed)
    relations = sorted(set(re.findall(r"\t\d+\t([a-z:]+)\t", text)) - {"root"})
    found = []
    for sentence in text.split("\n\n"):
        root = re.search(r"(?m)^(\d+)\t(?:[^\t]*\t){5}0\t", sentence)
        lines = []
        for line in sentence.split("\n"):
            fields = line.split("\t")
            if root and len(fields) == 10 and fields[6] not in ("0", "_"):
                kind = rng.random() / share
                fields[6] = root[1] if kind < 0.5 else fields[6]
                fields[7] = rng.choice(relations) if 0.3 < kind < 1 else fields[7]
            lines.append("\t".join(fields))
        found.append("\n".join(lines))
    return "\n\n".join(found)


PHRASES = {
    "S": ("NP VP", "NP VP PP"),
    "NP": ("DT NN", "DT JJ NN", "NP PP", "NNP"),
    "VP": ("VBZ NP", "VBZ", "VBZ NP PP", "MD VP"),
    "PP": ("IN NP",),
}


def phrase(label: str, depth: int, rng: Random) -> str:
    """A random tree with words, as the Penn Treebank writes it."""
    if label not in PHRASES:
        return f"({label} {label.lower()}{rng.randint(1, 9)})"
    usual = PHRASES[label]
    parts = (usual[0] if depth > 3 else rng.choice(usual)).split()
    return f"({label} {' '.join(phrase(part, depth + 1, rng) for part in parts)})"


def relabelled(tree: str, rng: Random) -> str:
    """A tree with some other labels of phrases."""
    return re.sub(r"\((NP|PP)", lambda m: "(" + (m[1] if rng.random() < 0.8 else "XP"), tree)


def make_shared(folder: Path, shared: Path) -> None:
    """The real data, as far as cases read it, and a prediction for a corpus without one."""
    for name in ("wnut17_systems.tsv", "multiconer_es_dev.conll"):
        write(folder / name, (shared / name).read_text("utf-8"))
    spanish, rng = (shared / "multiconer_es_dev.conll").read_text("utf-8"), Random(31)
    tags = re.sub(r"(?m)\b[BI]-\w+$", lambda m: m[0] if rng.random() < 0.8 else "O", spanish)
    write(folder / "multiconer_pred.conll", tags)
    crowd: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(shared / "btc_a_crowd.jsonl"):
        for answer in row["judgments"]:
            spans = [[*span, row["type"]] for span in answer["spans"]]
            kept = {"id": row["id"], "tokens": row["tokens"], "spans": spans}
            crowd[row["type"]].append({**kept, "annotator": answer["worker"]})
    for kind, rows in crowd.items():
        write_rows(folder / "btc" / f"{kind}.jsonl", rows)
    first = sorted((shared / "ssd/ssd.emily2").glob("*.tree"))[:25]
    for name in ("ssd.emily2", "ssd.woodley2"):
        for path in first:
            other = shared / "ssd" / name / path.name.replace("ssd.emily2", name)
            if other.is_file():
                write(folder / "ssd" / name / path.name, other.read_text("utf-8"))


def make_spacy_inputs(folder: Path) -> None:
    """Write the files and pipelines of spaCy; runs with the interpreter that is recorded."""
    import spacy

    nlp = spacy.blank("en")
    rows = {name: read_rows(folder / f"corpus/{name}.jsonl") for name in ("gold", "pred")}
    for name, some in rows.items():
        write_docs(folder / f"corpus/{name}.spacy", (doc_of(nlp.vocab, row) for row in some))
    team = [read_rows(folder / f"corpus/{name}.jsonl") for name in ("ann", "bob", "cleo")]
    write_docs(folder / "corpus/team.spacy", (team_doc(nlp.vocab, some) for some in zip(*team)))
    for name, source in {"gold": "anna", "pred": "carl"}.items():
        text = (folder / f"trees/{source}.conllu").read_text("utf-8")
        docs = (parsed_doc(nlp.vocab, part) for part in text.split("\n\n") if part.strip())
        write_docs(folder / f"trees/{name}.spacy", docs)
    make_models(folder / "models", folder / "sample")


def write_docs(path: Path, docs: Iterable[Any]) -> None:
    """Write a `.spacy` file."""
    from spacy.tokens import DocBin

    DocBin(docs=docs, store_user_data=True).to_disk(path)


def doc_of(vocab: Any, row: Row) -> Any:
    """A document with entities, a span group, sentences and a name."""
    from spacy.tokens import Doc

    starts = [index in row["sents"] for index in range(len(row["tokens"]))]
    doc = Doc(vocab, row["tokens"], row["spaces"], sent_starts=starts)
    doc.set_ents(spans_in(doc, row["spans"]), default="outside")
    doc.spans["sc"] = spans_in(doc, row["layers"]["sc"])
    doc.user_data["name"] = row["id"]
    return doc


def team_doc(vocab: Any, rows: Sequence[Row]) -> Any:
    """A document with a span group for each annotator that saw it."""
    from spacy.tokens import Doc

    doc = Doc(vocab, rows[0]["tokens"], rows[0]["spaces"])
    doc.user_data["name"] = rows[0]["id"]
    for name, row in zip(("ann", "bob", "cleo"), rows):
        if row["spans"] is not None:
            doc.spans[name] = spans_in(doc, row["spans"])
    return doc


def spans_in(doc: Any, spans: Sequence[Row]) -> list[Any]:
    """Rows as spans of a document."""
    from spacy.tokens import Span

    return [Span(doc, span["start"], span["end"], span["label"]) for span in spans]


def parsed_doc(vocab: Any, sentence: str) -> Any:
    """A sentence of CoNLL-U as a document with heads and relations."""
    from spacy.tokens import Doc

    table = [line.split("\t") for line in sentence.split("\n") if re.match(r"\d+\t", line)]
    heads = [int(row[6]) - 1 if int(row[6]) else index for index, row in enumerate(table)]
    deps = ["ROOT" if row[7] == "root" else row[7] for row in table]
    return Doc(vocab, words=[row[1] for row in table], heads=heads, deps=deps)


def make_models(folder: Path, sample: Path) -> None:
    """Pipelines of rules: entities by the gazetteer, a span group by the spans of the sample."""
    import spacy

    names = json.loads((sample / "gazetteer.json").read_text("utf-8"))
    groups = {}
    for row in read_rows(sample / "train.jsonl"):
        starts, text = starts_of(row), text_of(row)
        for span in row["layers"]["sc"]:
            end = starts[span["end"] - 1] + len(row["tokens"][span["end"] - 1])
            groups[text[starts[span["start"]] : end]] = span["label"]
    patterns = [{"label": label, "pattern": text} for text, label in sorted(groups.items())]
    layers = {"layers": ["ents", "spans:sc"]}
    folder.mkdir()
    for name in ("ruler", "groups", "both", "scored"):
        nlp = spacy.blank("en")
        if name != "groups":
            nlp.add_pipe("entity_ruler").add_patterns(names)
        if name != "ruler":
            nlp.add_pipe("span_ruler", config={"spans_key": "sc"}).add_patterns(patterns)
        if name == "scored":
            nlp.add_pipe("chance_eval", config=layers)
        nlp.meta["name"] = name
        nlp.to_disk(folder / name)


# --------------------------------------------------------------------------------------- Recording


class Installation(NamedTuple):
    """What is recorded: an interpreter, its environment, the package there, and its version."""

    python: str
    prefix: str
    package: Path
    version: str


def run(arguments: argparse.Namespace) -> int:
    """Record the cases that are asked for."""
    out, installed = Path(arguments.out).resolve(), find_installation(arguments.python)
    check_target(out)
    shared = shared_data(arguments.shared, installed)
    started, chosen = time.perf_counter(), [name for name in CASES if fnmatch(name, arguments.only)]
    skipped = [name for name in chosen if shared is None and "shared/" in " ".join(CASES[name])]
    chosen = [name for name in chosen if name not in skipped]
    if arguments.only == "*":
        shutil.rmtree(out / "cases", ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="record-") as temporary:
        work = Path(temporary).resolve()
        env = environment(work)
        make_inputs(work / "inputs", installed.package / "sample", shared)
        run_part(installed, "inputs", work / "inputs", work=work)

        def record(name: str) -> tuple[str, float]:
            start = time.perf_counter()
            record_case(name, work, out / "cases" / name, installed, env)
            seconds = time.perf_counter() - start
            print(f"{seconds:6.1f} s  {name}", flush=True)
            return name, round(seconds, 1)

        with ThreadPoolExecutor(arguments.jobs) as pool:
            times = dict(pool.map(record, chosen))
        run_part(installed, "describe", out / "cases", work=work)
    for name in skipped:
        print(f"skipped: {name} (there is no folder shared/data; name one with --shared)")
    total = round(time.perf_counter() - started, 1)
    about = {**installed._asdict(), "package": str(installed.package), "seconds": total}
    about |= {"skipped": skipped, "cases": times}
    write(out / ABOUT, json.dumps(about, indent=1) + "\n")
    print(f"{len(times)} cases in {total} s: {out}")
    return 0


def find_installation(python: str) -> Installation:
    """The `Installation` of the package that an interpreter imports."""
    code = (
        f"import sys, {PACKAGE} as p; "
        "print(sys.executable, sys.prefix, p.__path__[0], p.__version__, sep='\\n')"
    )
    with tempfile.TemporaryDirectory() as folder:
        command = [os.path.abspath(shutil.which(python) or python), "-c", code]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=clean_env())
    if done.returncode:
        raise SystemExit(f"{python} cannot import {PACKAGE}:\n{done.stderr}")
    executable, prefix, package, version = done.stdout.splitlines()
    return Installation(executable, prefix, Path(package).resolve(), version)


def check_target(out: Path) -> None:
    """End with a message if a folder holds something else than a recording."""
    if out.is_dir() and any(out.iterdir()) and not (out / "cases").is_dir():
        raise SystemExit(f"{out} is not empty, and no recording: name another folder")


def shared_data(given: str | None, installed: Installation) -> Path | None:
    """The folder of real data: as given, or beside the checkout of this file or the package."""
    roots = [*Path(__file__).resolve().parents[2:3], installed.package.parent]
    beside = [root.parent / "shared" / "data" for root in roots if (root / "setup.cfg").is_file()]
    folders = [Path(given)] if given else beside
    found = next((folder for folder in folders if folder.is_dir()), None)
    if given and found is None:
        raise SystemExit(f"{given}: no such folder")
    return found


def clean_env() -> dict[str, str]:
    """The environment variables of this process, except PYTHONPATH."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def environment(work: Path) -> dict[str, str]:
    """The environment variables of commands: the size of a terminal, a folder for caches, others.

    Hashes are fixed: the order of some scores of spaCy, and of arcs of trees, depends on them.
    """
    fixed = {"COLUMNS": "100", "LINES": "50", "MPLBACKEND": "Agg", "PYTHONUTF8": "1"}
    fixed |= {"PYTHONHASHSEED": "0", "no_proxy": "127.0.0.1"}
    return clean_env() | fixed | {"NUMBA_CACHE_DIR": str(work / "numba")}


def run_part(installed: Installation, *arguments: object, work: Path) -> None:
    """Run a subcommand of this file with the interpreter that is recorded."""
    command = [installed.python, str(Path(__file__).resolve()), *map(str, arguments)]
    env = environment(work)
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, env=env)
    if done.returncode:
        raise SystemExit(f"{arguments[0]}: {done.stderr}")


def record_case(
    name: str, work: Path, out: Path, installed: Installation, env: Mapping[str, str]
) -> None:
    """Run the commands of a case in a folder of their own, and keep what they print and write."""
    shutil.rmtree(out, ignore_errors=True)
    folder = work / "cases" / name
    folder.mkdir(parents=True)
    text = " ".join(CASES[name])
    for source in (work / "inputs").iterdir():
        if re.search(rf"\b{source.name}/", text):
            shutil.copytree(source, folder / source.name)
    before = set(files_of(folder))
    done = {step: run_step(step, folder, installed, env) for step in CASES[name]}
    write(out / "exit", "".join(f"{one.code}\n" for one in done.values()))
    if name != EXITS:
        for stream in ("stdout", "stderr"):
            printed = "".join(f"$ {step}\n{getattr(one, stream)}" for step, one in done.items())
            write(out / stream, cleaned(printed, folder, installed))
        for file in files_of(folder):
            if file not in before:
                keep(folder / file, out / "files" / file, folder, installed)
    shutil.rmtree(folder)


class Done(NamedTuple):
    """The exit code and the output of a command."""

    code: int | str
    stdout: str = ""
    stderr: str = ""


def run_step(step: str, folder: Path, installed: Installation, env: Mapping[str, str]) -> Done:
    """Run a command of a case in its folder."""
    words = shlex.split(step)
    starts = {"call": [str(Path(__file__).resolve())], "spacy": ["-m"]}
    command = [installed.python, *starts.get(words[0], ["-m", PACKAGE]), *words]
    streams = {"stdin": subprocess.DEVNULL, "capture_output": True}
    try:
        done = subprocess.run(command, cwd=folder, env=env, timeout=TIMEOUT, **streams)
    except subprocess.TimeoutExpired:
        return Done(f"more than {TIMEOUT} s")
    texts = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return Done(done.returncode, *texts)


def files_of(folder: Path) -> list[Path]:
    """All files below a folder, by their paths in it."""
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def keep(path: Path, target: Path, folder: Path, installed: Installation) -> None:
    """Copy a file; a text without what changes from run to run."""
    content = path.read_bytes()
    try:
        content = cleaned(content.decode(), folder, installed).encode()
    except UnicodeDecodeError:
        pass
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def cleaned(text: str, folder: Path, installed: Installation) -> str:
    """A text without progress bars; times, folders and the version are replaced by words."""
    text = re.sub(r"[^\n]*\r(?!\n)", "", text)
    for path, word in (
        (folder, "WORK"),
        (installed.package, "PACKAGE"),
        (installed.python, "PYTHON"),
        (installed.prefix, "PREFIX"),
        (Path(__file__).resolve(), "RECORD"),
    ):
        text = text.replace(str(path), word)
    return timeless(text, installed.version)


def timeless(text: str, version: str) -> str:
    """A text with words in place of times, speeds, and the version of the package."""
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "TIME", text)
    text = re.sub(r"(?m)^(SPEED\s+)\d+ *$|(\"speed\":\s*)[\d.]+", r"\1\2SPEED", text)
    return re.sub(rf"(?<![\w.]){re.escape(version)}(?![\w.]*\d)", "VERSION", text)


def describe(folder: Path) -> None:
    """Replace runs and `.spacy` files of a recording by JSON that says what they hold."""
    from spacy_chance_eval import __version__

    for suffix, described in ((".run", described_run), (".spacy", described_docs)):
        for path in sorted(folder.rglob(f"*{suffix}")):
            try:
                found = described(path)
            except Exception as error:  # whatever is wrong with it, `compare` shows it
                found = {"error": f"{type(error).__name__}: {error}"}
            text = timeless(json.dumps(plain(found), indent=1), __version__)
            path.with_name(f"{path.name}.json").write_text(text + "\n", "utf-8")
            path.unlink()


def described_run(path: Path) -> Row:
    """What the package says of a saved run, alone and beside itself."""
    from spacy_chance_eval import Resampling, compare, read_run

    stored = read_run(path)
    found = compare(stored, stored, intervals=Resampling(20))
    return {"about": stored.about(), "compared": found}


def described_docs(path: Path) -> list[Row]:
    """What the documents of a `.spacy` file hold."""
    import spacy
    from spacy.tokens import DocBin

    docs = DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab)
    return [
        {
            "data": {str(key): repr(value) for key, value in doc.user_data.items()},
            "tokens": [
                [t.text, t.whitespace_, t.is_sent_start, t.ent_iob_, t.ent_type_, t.head.i, t.dep_]
                for t in doc
            ],
            "groups": {
                key: [[span.start, span.end, span.label_] for span in group]
                for key, group in doc.spans.items()
            },
            "attributes": {key: dict(group.attrs) for key, group in doc.spans.items()},
            "categories": dict(doc.cats),
        }
        for doc in docs
    ]


# --------------------------------------------------------------------------------------- Comparing

FLOAT = re.compile(r"(?<![\w.])(-?(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+))(?![\w]|\.\d)")
DIGITS = 9  # of numbers that have to be equal as they are printed
SHOWN = 30  # lines of a difference
LONG = 400  # letters of a line


def compare(arguments: argparse.Namespace) -> int:
    """Print the differences of two recordings; 1 if there are any, else 0."""
    old, new = (Path(path) / "cases" for path in (arguments.old, arguments.new))
    for folder in (old, new):
        if not folder.is_dir():
            raise SystemExit(f"{folder.parent} is no recording: make it with run")
    names = {path.name for folder in (old, new) for path in folder.iterdir()}
    names = sorted(name for name in names if fnmatch(name, arguments.only))
    differing = []
    for name in names:
        found = list(differences(old / name, new / name))
        for lines in found:
            print("\n".join(lines), end="\n\n")
        differing += [f"  {name}"] if found else []
    print(f"{len(names)} cases compared: {len(differing) or 'none'} differ", *differing, sep="\n")
    return 1 if differing else 0


def differences(old: Path, new: Path) -> Iterator[list[str]]:
    """What differs in a case: some lines for each file."""
    for folder, which in ((old, "old"), (new, "new")):
        if not folder.is_dir():
            yield [f"{folder.name}: not in the {which} recording"]
            return
    for file in sorted({*files_of(old), *files_of(new)}):
        sides = [folder / file for folder in (old, new)]
        absent = [which for which, side in zip(("old", "new"), sides) if not side.is_file()]
        if absent:
            yield [f"{old.name}/{file}: not in the {absent[0]} recording"]
            continue
        contents = [side.read_bytes() for side in sides]
        if contents[0] != contents[1]:
            yield from different_texts(f"{old.name}/{file}", *contents)


def different_texts(name: str, *contents: bytes) -> Iterator[list[str]]:
    """How the contents of two files differ, if not by rounding alone."""
    try:
        old, new = (FLOAT.sub(rounded_float, content.decode()).split("\n") for content in contents)
    except UnicodeDecodeError:
        yield [f"{name}: differs in its bytes"]
        return
    lines = [*difflib.unified_diff(old, new, f"old/{name}", f"new/{name}", n=0, lineterm="")]
    more = [f"... and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    if lines:
        yield [line[:LONG] for line in lines[:SHOWN]] + more


def rounded_float(number: re.Match[str]) -> str:
    """A number of many digits with 9 of them; sums that differ from 0 by rounding are 0."""
    text = number[0]
    if len(re.sub(r"[eE].*|\D", "", text).lstrip("0")) <= DIGITS:
        return text
    return f"{float(text):.9g}" if abs(float(text)) > 1e-12 else "0"


# ------------------------------------------------------------------------------------- Command line


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    found = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = found.add_subparsers(dest="command", required=True, metavar="run|compare")
    one = commands.add_parser("run", help="record all cases into a folder")
    one.add_argument("out", help="the folder of the recording")
    one.add_argument("--python", default=sys.executable, metavar="PY", help="interpreter to record")
    one.add_argument(
        "--only", default="*", metavar="PATTERN", help="the names of cases, such as 'score-*'"
    )
    one.add_argument(
        "--jobs", type=int, default=2, metavar="N", help="cases at a time (default: 2)"
    )
    one.add_argument(
        "--shared", metavar="FOLDER", help="folder of real data (default: beside the checkout)"
    )
    two = commands.add_parser("compare", help="compare two recordings")
    two.add_argument("old", help="folder of a recording")
    two.add_argument("new", help="folder of another one")
    two.add_argument(
        "--only", default="*", metavar="PATTERN", help="the names of cases, such as 'score-*'"
    )
    for name in ("call", "inputs", "describe"):  # for `run`, with the interpreter of a recording
        commands.add_parser(name).add_argument("what", nargs="+")
    return found


def main() -> int:
    """Do what the command line asks for."""
    arguments = parser().parse_args()
    if arguments.command in ("run", "compare"):
        return run(arguments) if arguments.command == "run" else compare(arguments)
    beside = str(Path(__file__).resolve().parent)
    sys.path = [path for path in sys.path if path != beside]  # modules there are not meant
    what = arguments.what[0]
    if arguments.command == "call":
        CALLS[what]()
    elif arguments.command == "inputs":
        make_spacy_inputs(Path(what))
    else:
        describe(Path(what))
    return 0


if __name__ == "__main__":
    sys.exit(main())
