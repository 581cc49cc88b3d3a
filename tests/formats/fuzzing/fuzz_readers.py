# ruff: noqa: E501
"""Fuzz all readers by the structure of their files, through Python and through commands.

    PYTHONPATH=tests python tests/formats/fuzzing/fuzz_readers.py
    PYTHONPATH=tests python tests/formats/fuzzing/fuzz_readers.py cas bioc --inputs 5000 --seed 7

Each input is a file of docs/formats.md (or of the tables in `forms`) in which values, cells or elements are
others, are missing or are there twice, or whose bytes are damaged. It must be read, or refused by
an error that this package raised: anything else is a find, whose input is kept in `--keep`. At the
end a table has the inputs, those that were read, and the kinds of finds of each reader.
"""

import argparse
import ast
import faulthandler
import io
import json
import random
import re
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import packed
from structures import changed_bytes, changed_cells, changed_json, changed_xml, changed_yaml

import spacy_chance_eval
from formats.test_forms import EVERY, OUTCOMES, READ_AS
from helpers.cas_files import ENTITIES, TOKENS, json_cas, type_system, xmi
from helpers.page_blocks import blocks_of
from helpers.tables import content_of
from spacy_chance_eval import agree, diff, evaluate, leaderboard
from spacy_chance_eval.cli import app
from spacy_chance_eval.cli.running import MisuseError
from spacy_chance_eval.corpora.treebanks import read_trees
from spacy_chance_eval.formats import READERS, TREE_SUFFIXES, TREEBANKS, read
from spacy_chance_eval.formats.losses import TARGETS
from spacy_chance_eval.formats.ontology import read_closeness

if not hasattr(signal, "alarm"):
    raise SystemExit("inputs are tried in bounded time, which this system has not")
import resource

PACKAGE = Path(spacy_chance_eval.__file__).parent
ROOT = Path(__file__).parents[3]
SECONDS = 30  # after which an input hangs
MEMORY = 6 * 2**30  # bytes of address space, beyond which an input is a find
# words of Python's own messages, which tell users nothing
FOREIGN = re.compile(
    r"invalid literal for|could not convert|values to unpack|object is not|has no attribute|"
    r"Exceeds the limit|not supported between|object has no|embedded null|can't encode|"
    r"indices must be|out of range for|unhashable|recursion depth|too large to convert"
)


class Subject(NamedTuple):
    """A reader: examples of its files by name, how they are changed, and what reads them.

    Of several files of one example the first is changed; what is read is the first that is no type
    system.
    """

    seeds: tuple[dict[str, bytes], ...]
    change: Callable
    check: Callable


# --- faults


class Hang(BaseException):
    """An input that takes too long."""


@lru_cache(None)
def raising_lines(file):
    """The lines of a module on which it raises an error."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return {line for node in found for line in range(node.lineno, node.end_lineno + 1)}


def fault(error):
    """The kind of a fault; None for an error that this package raised, with a message."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    ours = Path(last.filename).is_relative_to(PACKAGE) and last.lineno in raising_lines(
        last.filename
    )
    message = str(error)
    if ours and isinstance(error, (ValueError, ImportError, MisuseError)):
        message.encode()
        if not FOREIGN.search(message):
            return None
    inner = [one for one in frames if Path(one.filename).is_relative_to(PACKAGE)]
    at = inner[-1] if inner else last
    place = f"{Path(at.filename).name}:{at.lineno}"
    plain = re.sub(r"/\S*/own/[\w.-]+|[^ -~]|[0-9]+", "", message)
    return f"{type(error).__name__} {place} {plain[:90]}"


def judged(function, *arguments, **options):
    """(result, fault) of a call; both None if it refused as it should."""
    signal.signal(signal.SIGALRM, _hang)
    signal.alarm(SECONDS)
    try:
        return function(*arguments, **options), None
    except Hang:
        return None, f"hangs {function} {arguments}"
    except Exception as error:
        signal.alarm(0)
        try:
            return None, fault(error)
        except UnicodeEncodeError:
            return None, f"{type(error).__name__} whose message cannot be printed"
    finally:
        signal.alarm(0)


def _hang(*_):
    raise Hang


# --- what reads


def run_command(*words):
    """Run a command in this process; what it prints must be text."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            app([*map(str, words)])
        except SystemExit:
            pass
        out.flush()
    return True


def look_at(corpus):
    """Ask for all that a corpus has."""
    for layer in corpus.layer_names:
        corpus.spans(layer)
    for layer in corpus.category_layers:
        corpus.labelled_documents.spans(layer)
    for document in corpus.documents:
        repr(document)


def options_for(name, rng):
    """Options for a reader, most of them the defaults."""
    chosen = {
        "on_error": ["stop", "skip"],
        "duplicates": ["merge", "keep", "last"],
        "trim": ["space"],
        "misaligned": ["error", "unplaced"],
        "offsets": ["char", "token", "utf16"],
        "column": ["all", "x"],
        "annotator": ["user", "annotator", "by", "id"],
        "repair": ["conlleval", "drop", "begin"],
        "feature": ["value", "sure", "sure=none"],
        "type": ["PER", "spans"],
        "documents": ["sentence", "file"],
        "labels": ["O,B-X,I-X"],
    }
    own = [
        option
        for option in [*READERS[name].keys, "duplicates", "on_error", "trim"]
        if option in chosen
    ]
    some = rng.sample(own, rng.choice([0, 0, 1, 2]) if len(own) > 2 else 0)
    return {option: rng.choice(chosen[option]) for option in some}


def check_spans(name, path, whole, rng):
    """Read a file of spans; one in eight also by a command. `whole` is the sound file."""
    named = None if rng.random() < 0.3 else name
    role = rng.choice(["gold", "pred"])
    options = options_for(name, rng) if named else {}
    corpus, found = judged(read, path, format=named, role=role, **options)
    if corpus is not None:
        _, found = judged(look_at, corpus)
    if found is None and rng.random() < 0.125:
        skip = rng.choice([[], ["--on-error", "skip"]])
        more = skip + (["--format", name] if name != "spacy" and rng.random() < 0.5 else [])
        folder = path.parent
        small = ["--resamples", "20"]
        target = rng.choice(sorted(TARGETS))
        call = rng.choice(
            [
                ["score", whole, path, *more],
                ["score", path, whole, *more, "-o", "-", "--per-doc"],
                ["score", path, *more],
                ["agree", whole, path, *more, *small],
                ["agree", path, *more, *small],
                ["diff", whole, path, *more],
                ["score", whole, path, *more, *small],
                ["score", path, whole, *more, *small, "-o", folder / "out-board"],
                ["convert", path, f"{folder}/out-{target}#format={target}", *more],
                ["convert", path, f"{folder}/out-{target}#format={target}", *more],
                ["convert", path, f"{folder}/out-{target}#format={target}", *more],
            ]
        )
        _, found = judged(run_command, *call)
        found = found and f"{call[0]}: {found}"
        for out in folder.glob("out-*"):
            shutil.rmtree(out) if out.is_dir() else out.unlink()
    return corpus is not None, found


def check_trees(name, path, whole, rng):
    """Read a treebank; one in eight also by a command."""
    found_trees, found = judged(read_trees, path, name, rng.choice(["stop", "skip"]))
    if found is None and rng.random() < 0.125:
        more = ["--format", name, *rng.choice([[], ["--on-error", "skip"]])]
        call = rng.choice(
            [
                ["score", whole, path, *more],
                ["score", path, whole, *more],
                ["agree", whole, path, *more],
            ]
        )
        _, found = judged(run_command, *call)
        found = found and f"{call[0]}: {found}"
    return found_trees is not None, found


def check_call(call, path, whole, rng):
    """Call a function of a path."""
    result, found = judged(call, path)
    return found is None and result is not None, found


def check_python(path, whole, rng):
    """Give the values of a JSON file to a function of Python, as they are or as a data frame."""
    try:
        value, sound = json.loads(path.read_bytes()), json.loads(whole.read_bytes())
    except (ValueError, RecursionError):
        return False, None
    if isinstance(value, list) and rng.random() < 0.3:
        import pandas

        try:
            value = pandas.DataFrame(value)
        except Exception:  # of pandas, before any of ours
            return False, None
    sizes = rng.choice([None, [6, 6], {"a": 6, "b": 6}, value])
    calls = (
        lambda: evaluate(value, value, sizes=sizes),
        lambda: evaluate(sound, value, sizes=sizes),
        lambda: agree({"a": value, "b": sound}, sizes=sizes),
        lambda: agree(value, sizes=sizes),
        lambda: leaderboard(sound, {"one": value, "two": sound}, sizes=sizes),
        lambda: leaderboard(sound, value, sizes=sizes),
        lambda: diff(sound, value, sizes=sizes),
    )
    result, found = judged(rng.choice(calls))
    if found is None and result is not None:
        _, found = judged(lambda: str(result).encode())
    return result is not None, found


def check_command(calls, path, whole, rng):
    """Run one of some commands: `{}` is the file, `{whole}` a sound one, `{folder}` their folder."""
    places = {"folder": path.parent, "whole": whole}
    words = [word.replace("{}", str(path)).format(**places) for word in rng.choice(calls)]
    went_well, found = judged(run_command, *words)
    return bool(went_well), found and f"{words[0]}: {found}"


def check_pipeline(path, whole, rng):
    """Score what a pipeline predicts that has the file."""
    folder = next(one for one in path.parents if one.name == "model").parent
    more = rng.choice([[], ["--layer", "ents"], ["--metric", "syntax_alpha"]])
    went_well, found = judged(run_command, "score", folder / "gold.spacy", folder / "model", *more)
    return bool(went_well), found


# --- the readers and their examples


def page_files():
    """Files of docs/formats.md by name."""
    page = "docs/formats.md"
    blocks = blocks_of(page, (ROOT / page).read_text(encoding="utf-8"))
    return {block.file: block.content.encode() for block in blocks if block.file}


def span_seeds():
    """Examples of each reader of spans: {name: [files]}."""
    found = {name: [] for name in READERS}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in page_files().items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_bytes(content)
        for name, content in page_files().items():
            path = Path(folder) / name
            if path.suffix in (".txt", ".conllu", ".conllx", ".mrg") or "info" in name:
                continue
            format = spacy_chance_eval.formats.format_of(path)
            files = {path.name: content}
            if path.suffix == ".ann":
                files["ada.txt"] = path.with_suffix(".txt").read_bytes()
            if name == "numbers.jsonl":
                files["dataset_info.json"] = (Path(folder) / "dataset_info.json").read_bytes()
            found[format].append(files)
    for table, _, parts in EVERY:
        files = {
            head.removesuffix(" escaped"): content_of(head, text)
            for head, text in parts.items()
            if head not in OUTCOMES and not head.startswith("options ")
        }
        if "read" in parts and not any("/" in file for file in files):
            found[READ_AS.get(table.stem, table.stem)].append(files)
    rows = (*TOKENS, *ENTITIES, ("DocumentMetaData", 0, 11, {"documentTitle": "a"}))
    for text in (xmi(*rows), xmi(*rows[3:])):
        files = {"a.xmi": text.encode(), "TypeSystem.xml": type_system().encode()}
        found["cas"] += [files, dict(reversed(files.items()))]
    found["cas"] += [{"a.json": json_cas(*some).encode()} for some in (rows, rows[3:])]
    return found


CHANGES = {"conll": changed_cells, "conllup": changed_cells, "webanno": changed_cells, "csv": changed_cells,
           "brat": changed_cells, "pubtator": changed_cells, "inline": changed_xml}  # fmt: skip
TREES = {
    "rows": (
        "# newdoc id = d\n# sent_id = s1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tde\t_\tADP\t_\t_\t3\tcase\t3:case\t_\n2\tle\t_\tDET\t_\tA=B\t3\tdet\t_\tA=B|C\n"
        "2.1\tx\t_\t_\t_\t_\t_\t_\t3:amod\t_\n3\tpain\t_\t_\t_\t_\t0\troot\t_\t_\n\n",
    ),
    "brackets": (
        "( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks) (NP (-NONE- *T*-1)))) )\n(S (NP a))\n",
        "(S (NP P) (VP V (NP D N)))\n(S)\n(A\n b)",
    ),
}
ONTOLOGY_CSV = (
    "child,parent\nAgent,Thing\nPerson,Agent\nPlace,Thing\nX,Agent\nX,Place\nY,\n",
    "A,B\nB,A\nC,A\nD,C\nC,E\nE,\n",
    "A,B,.5\nB,C,.25\n",
)
BDM = (
    "Scores of x\nkey=A, response=B, bdm=0.66, msca=C, bran=1\nkey=A, response=A, bdm=1.0, bran=1\n"
)
SYSTEMS = json.dumps(
    {
        "systems": [
            {"name": "one", "path": "ada.conll", "link": "https://x.y", "year": 2020, "optional": False},
            {"name": "two", "path": "ada.jsonl", "layer": "spans", "align": "tokens", "offsets": "token"},
            {"path": "ada.conll", "name": 3, "column": 1, "sha256": ["0" * 64], "format": "conll", "repair": "conlleval"},
        ],
    }
)  # fmt: skip
TEXTS = '{"id": "1", "text": "Ada Byron slept in Oslo.", "tokens": ["Ada", "Byron", "slept", "in", "Oslo", "."]}\n'


def subjects():
    """All readers by name."""
    page = page_files()
    sound = {
        name: page[name] for name in ("ada.conll", "ada.jsonl", "mentions.jsonl", "numbers.jsonl")
    }
    found = {}
    for name, seeds in span_seeds().items():
        if name != "spacy" and seeds:
            change = CHANGES.get(name, changed_json)
            found[name] = Subject(tuple(seeds), change, partial(check_spans, name))
    for name in ("tagged", "jsonl", "entities", "doccano", "gliner", "mentions"):
        rows = [one for one in found[name].seeds if next(iter(one)).endswith("jsonl")]
        found[f"{name} Parquet"] = Subject(tuple(rows), changed_parquet, partial(check_spans, name))
    for name in TREEBANKS:
        file = {"penn": "words.mrg", "brackets": "words.mrg", "delexicalised": "tags.mrg"}.get(name)
        ending = f".{name}" if f".{name}" in TREE_SUFFIXES else ".mrg"
        first = page[f"trees/{file or 'ada' + ending}"]
        more = TREES["rows" if name in ("conllu", "conllx") else "brackets" if file else "rows"]
        seeds = ({"a" + ending: one} for one in (first, *(text.encode() for text in more)))
        found[name] = Subject(tuple(seeds), changed_cells, partial(check_trees, name))

    def add(name, files, change, check, beside=sound):
        seeds = tuple(
            {file: text if isinstance(text, bytes) else text.encode(), **beside}
            for file, text in files
        )
        found[name] = Subject(seeds, change, check)

    close = partial(check_call, read_closeness)
    either = partial(check_either, close, partial(check_command, [["convert", "{}", "a.bdm"]]))
    add("ontology CSV", [("a.csv", one) for one in ONTOLOGY_CSV], changed_cells, either)
    add("BDM", [("a.txt", BDM)], changed_cells, close)
    rank = ["score", "{folder}/ada.jsonl", "{}", "--resamples", "20"]
    add(
        "systems.yml",
        [("systems.yml", SYSTEMS)],
        changed_yaml,
        partial(check_command, [rank, [*rank, "-o", "{folder}/out-board"]]),
    )
    add("systems.json", [("systems.json", SYSTEMS)], changed_json, partial(check_command, [rank]))
    texts = ["score", "{folder}/ada.jsonl", "{folder}/mentions.jsonl", "--read", "texts={}"]
    add("texts", [("t.jsonl", TEXTS)], changed_json, partial(check_command, [texts]))
    labels = ["score", "{folder}/numbers.jsonl", "{folder}/ada.jsonl", "--labels", "{}"]
    names = ('["O", "B-PER", "I-PER", "B-LOC"]', '{"id2label": {"0": "O", "1": "B-PER", "2": "I-PER", "3": "B-LOC"}}',
             '{"O": 0, "B-PER": 1, "I-PER": 2, "B-LOC": 3}', page["dataset_info.json"].decode())  # fmt: skip
    add(
        "labels", [("l.json", one) for one in names], changed_json, partial(check_command, [labels])
    )
    add("Python", [("r.json", one) for one in RECORDS], changed_json, check_python)
    beside = ["score", "{folder}/numbers.jsonl", "{folder}/ada.jsonl"]
    add(
        "dataset_info.json",
        [("dataset_info.json", page["dataset_info.json"])],
        changed_json,
        partial(check_command, [beside]),
    )
    either = partial(check_either, partial(check_spans, "spacy"), commands(DOCBINS))
    found["spacy"] = Subject(tuple(packed.docbin_seeds()), packed.changed_docbin, either)
    found["runs"] = Subject(tuple(packed.run_seeds()), packed.changed_run, commands(RUNS))
    seeds = tuple(packed.pipeline_seeds())
    found["pipelines"] = Subject(seeds, packed.changed_pipeline, check_pipeline)
    return found


DOCBINS = """\
score {whole}#spans:sc {}#spans:sc
score {} {whole} --metric syntax_alpha
score {whole} {} --explain
agree {} --annotators layer
agree {whole} {} --categories
agree {whole} {} --categories --on-error skip
agree {} {whole} --metric syntax_alpha
plan {} {whole}
score {} {whole} -o {folder}/out.run
convert {} {folder}/out.spacy#ents=none
"""
RUNS = """\
compare {} {folder}/sound.run --resamples 20
compare {folder}/sound.run {} --resamples 20 -o {folder}/out.json
compare {} {} --force --below 0.9 --resamples 20
plan {}
plan {folder}/sound.run {}
score {} {folder}/gold.jsonl
score {folder}/gold.jsonl {} {folder}/gold.jsonl
score {folder}/gold.jsonl {folder}/gold.jsonl -o {}
"""


def commands(lines):
    """The check that one of some commands, a line each, takes a file."""
    return partial(check_command, [line.split() for line in lines.splitlines()])


RECORDS = (
    '[{"document": "a", "start": 0, "end": 1, "label": "PER"}, {"document": "b", "start": 2, "end": 4, "label": "LOC"}]',
    '[{"document": "a", "start": 0, "end": 1, "label": "PER", "annotator": "x"}, {"document": "a", "start": 0, "end": 1, '
    '"label": "PER", "annotator": "y"}, {"document": "b", "start": null, "end": null, "label": null, "annotator": "y"}]',
    '[["B-PER", "I-PER", "O", "O", "O", "B-LOC"], ["O", "O", "O", "O", "O", "O"]]',
    '[[[0, 1, "PER"]], [[2, 4, "LOC"], [5, 6, "PER"]]]',
    '[[{"start": 0, "end": 1, "label": "PER"}], []]',
    '{"a": [["B-PER", "O"]], "b": [["B-PER", "B-LOC"]]}',
)  # fmt: skip


def check_either(one, two, *arguments):
    """One of two checks."""
    return (one if arguments[-1].random() < 0.8 else two)(*arguments)


def changed_parquet(data, rng):
    """Parquet of JSON lines with other values in them, or with other types of columns."""
    import pyarrow
    from pyarrow import parquet

    out = io.BytesIO()
    for _ in range(20):
        text = changed_json(data, rng) if rng.random() < 0.8 else data
        try:
            rows = [json.loads(line) for line in text.splitlines()]
            table = pyarrow.Table.from_pylist([row for row in rows if isinstance(row, dict)])
            if table.num_columns and rng.random() < 0.4:
                at = rng.randrange(table.num_columns)
                name = table.column_names[rng.choice([at, rng.randrange(table.num_columns)])]
                if rng.random() < 0.3:
                    name = rng.choice(["", "a\0b", "text", "tokens", "x" * 300])
                table = table.set_column(at, name, other_column(pyarrow, table.num_rows, rng))
            if rng.random() < 0.1:
                table = table.replace_schema_metadata({"huggingface": rng.choice(FEATURES)})
            parquet.write_table(table, out)
        except (
            pyarrow.ArrowException,
            ValueError,
            OverflowError,
            RecursionError,
            AttributeError,
            KeyError,
            TypeError,
        ):
            out = io.BytesIO()
            continue
        break
    return changed_bytes(out.getvalue(), rng) if rng.random() < 0.1 else out.getvalue()


FEATURES = ("", "{", "[]", "1", "null", '{"info": 1}', '{"info": {"features": []}}', "[" * 10_000,
            '{"info": {"features": {"ner_tags": {"feature": {"names": [1, null], "_type": "ClassLabel"}, "_type": "List"}}}}',
            '{"info": {"features": {"ner_tags": null}}}', '{"info": {"features": {"ner_tags": {"names": 5, "_type": "ClassLabel"}}}}')  # fmt: skip


def other_column(pyarrow, n_rows, rng):
    """A column of a type that JSON does not have."""
    import datetime
    import decimal

    makers = (
        (b"\xff\x00", pyarrow.binary()),
        (datetime.datetime(2020, 1, 1), pyarrow.timestamp("ns")),
        (datetime.date(1, 1, 1), pyarrow.date32()),
        (2**62, pyarrow.timestamp("s")),
        (2**62, pyarrow.timestamp("ns")),
        (2**62, pyarrow.duration("s")),
        (decimal.Decimal("1.5"), pyarrow.decimal128(10, 2)),
        (float("nan"), pyarrow.float64()),
        (float("inf"), pyarrow.float32()),
        (None, pyarrow.null()),
        ([b"x"], pyarrow.list_(pyarrow.binary())),
        ([("a", 1)], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
        ([(b"a", None)], pyarrow.map_(pyarrow.binary(), pyarrow.null())),
        ([float("nan")], pyarrow.list_(pyarrow.float64())),
        ({"start": [0, 1], "end": [1], "label": ["X"]}, None),
        ({"start": [0], "end": [None], "label": [None]}, None),
        ([{"start": 0, "end": None, "label": b"x"}], None),
        (2**64 - 1, pyarrow.uint64()),
        ("x", pyarrow.large_string()),
    )
    value, kind = rng.choice(makers)
    return pyarrow.array([value] * n_rows, kind)


# --- the run


def changed(subject, content, rng):
    """A hostile file."""
    change = subject.change
    if content.startswith((b"PK", b"PAR1")) and change is not packed.changed_run:
        return changed_bytes(content, rng)
    if change is changed_json and content.lstrip(b"\xef\xbb\xbf \n").startswith(b"<"):
        change = changed_xml
    elif change is changed_json and not content.lstrip().startswith((b"{", b"[")):
        change = changed_cells
    elif change is changed_xml and b"<" not in content:
        change = changed_cells
    if rng.random() < 0.12:
        return changed_bytes(content, rng)
    return change(content, rng)


def as_zip(files):
    """Files as members of a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def fuzz(name, subject, n_inputs, seed, keep=None, first_number=0):
    """(inputs that were read, kinds of finds with their numbers) of a reader."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    n_read, finds = 0, Counter()
    try:
        for number in range(first_number, first_number + n_inputs):
            rng = random.Random(f"{name} {seed} {number}")
            files = dict(rng.choice(subject.seeds))
            first = next(iter(files))
            own, sound = folder / "own", folder / "sound"
            for where in (own, sound):
                shutil.rmtree(where, ignore_errors=True)
                where.mkdir()
                for file, content in files.items():
                    (where / file).parent.mkdir(parents=True, exist_ok=True)
                    (where / file).write_bytes(content)
            path = own / next(file for file in files if file != "TypeSystem.xml")
            if subject.change is changed_parquet:
                path.unlink()
                path = path.with_suffix(".parquet")
                path.write_bytes(changed_parquet(files[first], rng))
            else:
                (own / first).write_bytes(changed(subject, files[first], rng))
                if name == "cas" and rng.random() < 0.15:
                    path, members = own / "a.zip", sorted(own.iterdir())
                    path.write_bytes(as_zip({one.name: one.read_bytes() for one in members}))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for kind in (RuntimeWarning, DeprecationWarning, FutureWarning, BytesWarning):
                    warnings.filterwarnings("error", category=kind, module="spacy_chance_eval")
                try:
                    was_read, found = subject.check(
                        path, sound / (path.name if (sound / path.name).exists() else first), rng
                    )
                except BaseException as error:
                    print(name, number, repr(error)[:300], file=sys.stderr)
                    raise
            n_read += was_read
            if found:
                if found not in finds and keep:
                    target = keep / f"{name.replace('/', '-')}-{number}"
                    shutil.rmtree(target, ignore_errors=True)
                    shutil.copytree(own, target)
                    print(f"{name} {number}: {found}", file=sys.stderr, flush=True)
                finds[found] += 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return n_read, finds


def main():
    """Fuzz the readers that were named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--inputs", type=int, default=1000, help="of each reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="the folder in which finds are kept")
    given = parser.parse_args()
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    all_subjects = subjects()
    unknown = set(given.names) - set(all_subjects)
    if unknown:
        parser.error(f"no such reader: {', '.join(unknown)}; there are {', '.join(all_subjects)}")
    n_finds = 0
    print(f"{'reader':20} {'inputs':>7} {'read':>7} {'finds':>7} kinds")
    for name in given.names or all_subjects:
        n_read, finds = fuzz(
            name, all_subjects[name], given.inputs, given.seed, given.keep, given.first
        )
        n_finds += len(finds)
        print(
            f"{name:20} {given.inputs:7} {n_read:7} {sum(finds.values()):7} {len(finds)}",
            flush=True,
        )
        for kind, number in finds.most_common():
            print(f"    {number} x {kind}", flush=True)
    return bool(n_finds)


if __name__ == "__main__":
    sys.exit(main())
