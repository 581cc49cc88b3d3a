"""Advice in messages: each option that they name is followed, and gets further."""

import ast
import json
import re
from configparser import ConfigParser
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import spacy

import spacy_chance_eval
from helpers.textfiles import call, failed, spellings
from helpers.treefiles import conll as tree
from spacy_chance_eval.cli import COMMANDS
from spacy_chance_eval.runs.files import read_run, write_run

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")  # in a message
PACKAGE = Path(spacy_chance_eval.__file__).parent
TAGS = "Ada B-P\nmet O\n\nRex B-P\n"
DIRTY = "Ada I-P\nmet O\n\nRex B-P\n"
TEXT = {"text": "Ada met Rex", "spans": [{"start": 0, "end": 3, "label": "P"}]}
TOKENS = {"tokens": ["Ada", "met", "Rex"], "spans": [{"start": 0, "end": 1, "label": "P"}]}
HALF = {"text": "Ada met Rex", "spans": [{"start": 0, "end": 2, "label": "P"}]}
BRAT = {
    "a/x.txt": "Ada met Rex",
    "a/x.ann": "T1\tP 0 3\tAda\nA1\tkind T1 Q\n",
}
CROSSING = {**TOKENS, "spans": [{"start": at, "end": at + 2, "label": "P"} for at in (0, 1)]}
GAPS = {**TOKENS, "spans": [{"fragments": [[0, 1], [2, 3]], "label": "P"}]}
LAYERS = {"tokens": ["Ada"], "layers": {"x": [[0, 1, "P"]], "y": []}}
ENTITIES = json.dumps([{"text": "Ada met Rex", "entities": [[0, 3, "P"]]}])
BY_X, LABELS = {"id": 1, "annotator": "x"}, {"text": "Ada", "label": ["x"]}
TABLE = "document,annotator,start,end,label\nd,x,0,1,P\nd,y,0,1,P\n"
BIOC = {
    "documents": [
        {
            "id": "1",
            "passages": [
                {
                    "offset": 0,
                    "text": "Ada met",
                    "annotations": [
                        {
                            "infons": {"kind": "P"},
                            "locations": [{"offset": 0, "length": 3}],
                            "text": "Ada",
                        }
                    ],
                }
            ],
        }
    ]
}


def make_runs():
    """Runs: without annotations, with these, of other documents, of a distance, without spans."""
    Path("c.conll").write_text(TAGS + "\nBob B-P\n")
    Path("e.conll").write_text("Ada O\n\nRex O\n")
    distance = ("-m", "false_positives")
    for name, file, *more in (
        ("b.run", "a.conll"),
        ("c.run", "c.conll"),
        ("d.run", "a.conll", *distance),
        ("e.run", "e.conll", "-m", "span_f", *distance),
    ):
        done = call("score", file, file, *more, "-o", name)
        assert done.exit_code == 0, done.stderr
    run = read_run("b.run")
    write_run("a.run", replace(run, annotations=None))


# what is no file of text, made by functions in the folder where commands run
MADE = {"model": lambda: spacy.blank("en").to_disk("model"), "run": make_runs}


def lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def letters(copy):
    """A text of four tokens, with a span at 2 that has a copy of its text."""
    span = {"start": 2, "end": 3, "label": "P", "text": copy}
    return {"text": "a b c d", "tokens": [*"abcd"], "entities": [span]}


@dataclass(frozen=True)
class Advice:
    """A command that fails, what its message says to do, and the command that does it.

    `files` are the contents by name. `then` is put behind the words, which `without` leaves out;
    or it is a whole command that the message names. `further` is in the next message, if advice
    cannot be more than a step. `mended` are the files that advice has one write.
    """

    files: dict
    words: str
    says: str
    then: str
    whole: bool = False
    without: str = ""
    further: str = ""
    mended: dict = field(default_factory=dict)

    @property
    def followed(self):
        if self.whole:
            return self.then.split()
        assert self.without in self.words
        return [*self.words.replace(self.without, "", 1).split(), *self.then.split()]


# what is wrong with treebanks, the advice, and the text when it is followed
TREEBANKS = [
    (
        "numbers",
        "a.conllu",
        tree().replace("\n2\t", "\n3\t"),
        "number the tokens of a sentence from 1",
        tree(),
    ),
    (
        "heads",
        "a.conllu",
        tree((2, 0, 9, 2)),
        "heads are tokens of the sentence, or 0",
        tree((2, 0, 0, 2)),
    ),
    (
        "some-heads",
        "a.conllu",
        tree((2, 0, "_", 2)),
        "heads are tokens of the sentence, or 0",
        tree(),
    ),
    (
        "no-heads",
        "a.conllu",
        tree((2, 0, "_", 2)) + tree(),
        "all are _ without annotation",
        tree("____") + tree(),
    ),
    (
        "relations",
        "a.conllu",
        tree(relations=("", "P", "D", "O")),
        "name it, or write _",
        tree(relations="_PDO"),
    ),
    (
        "columns",
        "a.conllu",
        tree().replace("\t_\t_\n", "\n"),
        "ten columns with tabs between them",
        tree(),
    ),
    (
        "columns-of-x",
        "a.conllx",
        tree().replace("\t_\t_\n", "\n").replace("\tPRED", ""),
        "CoNLL-X has the columns ID FORM",
        tree(),
    ),
    (
        "numbers-of-x",
        "a.conllx",
        tree().replace("\n2\t", "\nx\t"),
        "CoNLL-X has the columns ID FORM",
        tree(),
    ),
    ("words", "a.conllu", "1.1\tx" + "\t_" * 8 + "\n", "give it some", tree()),
    ("brackets", "a.mrg", "(S (N a)", "close every bracket", "(S (N a))"),
    ("labels", "a.mrg", "(S (() a))", "write (LABEL ...)", "(S (N a))"),
    ("no-brackets", "a.mrg", "S a", "write trees such as (S (NP P) (VP V))", "(S (NP P) (VP V))"),
    ("no-trees", "a.mrg", "\n", "expected brackets such as (S (NP P) (VP V))", "(S (NP P) (VP V))"),
    ("no-sentences", "a.conllu", "\n", "expected one token a line", tree()),
]
CONLL = {"a.conll": TAGS, "b.conll": TAGS}
UNEVEN = {"a.conllu": tree(name="s"), "b.conllu": tree(name="t")}
ADVICE = {
    "candidate-with-another-name": Advice(
        {"a.conll": TAGS, "b.conll": TAGS, "c/a.conll": TAGS},
        "agree a.conll b.conll --candidate c/a.conll",
        "--candidate NAME=PATH",
        "--candidate model=c/a.conll",
        without="--candidate c/a.conll",
    ),
    "documents-of-folders": Advice(
        {
            "a/1.conll": "Ada B-P\nmet O\n\n" * 2000,
            "a/2.conll": TAGS,
            "a/3.conll": TAGS,
            "b/1.conll": f"Ada B-{'P' * 60}\nmet O\n\n" * 2000,
            "b/3.conll": TAGS,
        },
        "agree a b -m span_f --resamples 0",
        "--documents file or sentence says",
        "--documents file",
    ),
    "key-given-twice": Advice(
        {"a.conll": TAGS, "b.conll": TAGS},
        "score a.conll b.conll --documents sentence --read documents=file",
        "--read names documents, as its own option does; give it once",
        "",
        without="--read documents=file",
    ),
    "another-text-of-a-document": Advice(
        {
            "a.jsonl": lines(*[TEXT | {"id": n} for n in "xyz"]),
            "b.jsonl": lines(*[TEXT | {"id": n} for n in "xy"], TEXT | {"id": "z", "text": "Ada"}),
        },
        "score a.jsonl b.jsonl",
        "--on-error skip leaves such documents out",
        "--on-error skip",
    ),
    "plan-of-nothing": Advice(
        {"a.conll": "Ada B-P\n\nmet O\n", "b.conll": "Ada B-P\n\nmet B-P\n"},
        "plan",
        "systems with --gold GOLD",
        "--gold a.conll b.conll",
    ),
    "other-labels": Advice(
        {"a.conll": TAGS, "b.conll": TAGS.replace("-P", "-Q")},
        "score a.conll b.conll",
        "ignore labels: -m 'span_f(labels=ignore)'",
        "-m span_f(labels=ignore)",
    ),
    "labels-of-another-column": Advice(
        {"a.conll": TAGS, "b.conll": TAGS.replace("B-P", "B-P B-Q").replace("O", "O O")},
        "score a.conll b.conll#2",
        "labels are in b.conll#1: name what is meant",
        "score a.conll b.conll#1",
        whole=True,
    ),
    "trees-for-spans": Advice(
        {"a.conllu": tree()},
        "diff a.conllu a.conllu",
        "which score and agree read",
        "score a.conllu a.conllu",
        whole=True,
    ),
    "sentences-without-common-ids": Advice(
        UNEVEN,
        "score a.conllu b.conllu --read match=id",
        "--read match=place",
        "--read match=place",
        without="--read match=id",
    ),
    "other-texts": Advice(
        {"a.conllu": tree(), "b.conllu": tree(words="abcd")},
        "score a.conllu b.conllu",
        "--read text=warn takes such sentences as they are",
        "--read text=warn",
    ),
    "cycles": Advice(
        {"a.conllu": tree((2, 0, 4, 3))},
        "score a.conllu a.conllu",
        "--read cycles=reachable",
        "--read cycles=reachable",
    ),
    "labels-for-words": Advice(
        {"a.tree": "(S (NP P) (VP V))", "b.tree": "(S (NP P) (VP W))"},
        "score a.tree b.tree",
        "--format delexicalised",
        "--format delexicalised",
    ),
    "columns": Advice(
        {"a.conll": "a B-P B-P B-P\nb O O O\n"},
        "convert a.conll x.jsonl",
        "a.conll#1",
        "convert a.conll#1 x.jsonl",
        whole=True,
    ),
    "keys": Advice(
        {"a.jsonl": lines({**TOKENS, "ner_tags": ["O", "O", "O"]})},
        "score a.jsonl a.jsonl",
        "a.jsonl#spans",
        "score a.jsonl#spans a.jsonl#spans",
        whole=True,
    ),
    "numbers-of-labels": Advice(
        {"a.jsonl": lines({"tokens": ["a", "b"], "ner_tags": [0, 1]})},
        "score a.jsonl a.jsonl",
        "--labels O,B-PER",
        "--labels O,B-PER",
    ),
    "offsets-of-characters": Advice(
        {"a.jsonl": lines(letters("c"))},
        "score a.jsonl a.jsonl --read offsets=char",
        "--read offsets=token",
        "--read offsets=token",
        without="--read offsets=char",
    ),
    "offsets-of-tokens": Advice(
        {"a.jsonl": lines(letters("b"))},
        "score a.jsonl a.jsonl --read offsets=token",
        "--read offsets=char",
        "--read offsets=char",
        without="--read offsets=token",
    ),
    "tokens-on-one-side": Advice(
        {"a.jsonl": lines(TOKENS), "b.json": ENTITIES},
        "score a.jsonl b.json --align tokens",
        "--read tokenizer=LANG",
        "--read tokenizer=en",
    ),
    "tokens-on-one-side-of-a-panel": Advice(
        {"a.jsonl": lines(TOKENS), "b.json": ENTITIES},
        "agree a.jsonl b.json --align tokens",
        "--read tokenizer=LANG",
        "--read tokenizer=en --resamples 0",
    ),
    "tokens-of-spacy": Advice(
        {"a.jsonl": lines(TEXT)},
        "convert a.jsonl b.spacy --read offsets=char --strict",
        "--read tokenizer=LANG",
        "--read tokenizer=en",
    ),
    "tokens-of-conll": Advice(
        {"a.jsonl": lines(TEXT)},
        "convert a.jsonl b.conll --read offsets=char --strict",
        "--read tokenizer=LANG",
        "--read tokenizer=en",
        without="--strict",
    ),
    "misaligned": Advice(
        {"a.jsonl": lines({**HALF, "tokens": TOKENS["tokens"]})},
        "score a.jsonl a.jsonl --read offsets=char --read misaligned=error",
        "--read misaligned=unplaced",
        "--read misaligned=unplaced",
        without="--read misaligned=error",
    ),
    "answers-that-differ": Advice(
        {
            "a.jsonl": lines(
                {**TOKENS, **BY_X},
                {**TOKENS, **BY_X, "spans": []},
                {**TOKENS, **BY_X, "annotator": "y"},
            )
        },
        "agree a.jsonl --resamples 0",
        "--read duplicates=last",
        "--read duplicates=last",
    ),
    "texts": Advice(
        {"a.csv": TABLE, "t/d.txt": "Ada met"},
        "agree a.csv --resamples 0",
        "--read texts=FILE",
        "--read texts=t --read offsets=char",
    ),
    "folders-of-texts": Advice(
        {"a.csv": TABLE, "t/d.txt": "Ada met"},
        "agree a.csv --resamples 0 --read texts=t",
        "--read offsets=char",
        "--read offsets=char",
    ),
    "texts-without-tokens": Advice(
        {"a.csv": TABLE, "t.jsonl": lines({"id": "d", "text": "Ada met"})},
        "agree a.csv --resamples 0 --read texts=t.jsonl",
        "--read offsets=char",
        "--read offsets=char",
    ),
    "tokens-without-texts": Advice(
        {"a.csv": TABLE, "t.jsonl": lines({"id": "d", "tokens": ["Ada"]})},
        "agree a.csv --resamples 0 --read texts=t.jsonl --read offsets=char",
        "--read offsets=token",
        "--read offsets=token",
        without="--read offsets=char",
    ),
    "overlaps": Advice(
        {"a.jsonl": lines(CROSSING)},
        "score a.jsonl a.jsonl --chance disjoint",
        "--chance overlapping",
        "--chance overlapping",
        without="--chance disjoint",
    ),
    "crossing": Advice(
        {"a.jsonl": lines(CROSSING)},
        "score a.jsonl a.jsonl --chance nested",
        "--chance overlapping",
        "--chance overlapping",
        without="--chance nested",
    ),
    "no-layer-for-spacy": Advice(
        {"a.jsonl": lines({"tokens": ["Ada"]})},
        "convert a.jsonl b.spacy",
        "#ents=none",
        "convert a.jsonl b.spacy#ents=none",
        whole=True,
    ),
    "categories-alone": Advice(
        {"a.jsonl": lines({**LABELS, **BY_X}, {**LABELS, **BY_X, "annotator": "y"})},
        "agree a.jsonl --format doccano --resamples 0",
        "--categories",
        "--categories",
    ),
    "spans-for-categories": Advice(
        CONLL,
        "agree a.conll b.conll --resamples 0 --categories",
        "without --categories",
        "",
        without="--categories",
    ),
    "layers-as-annotators": Advice(
        {"a.jsonl": lines(LAYERS), "b.jsonl": lines(LAYERS)},
        "agree a.jsonl b.jsonl --resamples 0 --layer x --layer y --annotators file",
        "--annotators layer",
        "agree a.jsonl --resamples 0 --layer x --layer y --annotators layer",
        whole=True,
    ),
    "other-layers": Advice(
        {"a.jsonl": lines({"tokens": ["Ada"], "layers": {"x": None, "y": [[0, 1, "P"]]}})},
        "score a.jsonl a.jsonl --layer x",
        "--layer NAME",
        "--layer y",
        without="--layer x",
    ),
    "annotators-of-other-formats": Advice(
        CONLL,
        "agree a.conll b.conll --resamples 0 --read annotator=who",
        "--read annotator=KEY",
        "",
        without="--read annotator=who",
    ),
    "mentions-that-are-misspelt": Advice(
        {"a.jsonl": lines({"text": "Ada met Rex", "mentions": {"P": ["Ada meet Rex"]}})},
        "convert a.jsonl b.jsonl",
        "--read misaligned=unplaced",
        "--read misaligned=unplaced",
    ),
    "mentions-without-a-text": Advice(
        {"a.jsonl": lines({"id": 1, "response": "P: Ada"}), "b.jsonl": lines({"id": 1, **TEXT})},
        "convert a.jsonl c.jsonl",
        "(--read texts=FILE)",
        "--read texts=b.jsonl",
    ),
    "pages-beside-skipping": Advice(
        {"a/x.conll": TAGS, "b/x.conll": TAGS},
        "agree a b --resamples 0 --read skip_bad=yes -o pages",
        "leave out --read skip_bad=yes and --scheduler",
        "",
        without="--read skip_bad=yes",
    ),
    "an-index-beside-skipping": Advice(
        {"a/x.conll": TAGS, "b/x.conll": TAGS},
        "agree a b --resamples 0 --read skip_bad=yes -o pages",
        "-o PAGE.html",
        "-o agreement.html",
        without="-o pages",
    ),
    "an-ending-of-many-formats": Advice(
        CONLL,
        "convert a.conll b.json",
        "#format=NAME: ",
        "convert a.conll b.json#format=jsonl",
        whole=True,
    ),
    "label-of-brat": Advice(
        BRAT,
        "score a a --read feature=nope",
        "a label (--read feature=nope=LABEL)",
        "--read feature=kind",
        without="--read feature=nope",
    ),
    "label-of-bioc": Advice(
        {"a.json": json.dumps(BIOC)},
        "convert a.json b.jsonl",
        "name the feature that has the label",
        "--read feature=kind",
    ),
    "tags-of-text": Advice(
        {"a.txt": "<p>Ada met</p>\n"},
        "convert a.txt b.jsonl --format inline",
        "--read type=PER,LOC",
        "--read type=p",
    ),
    "text-of-label-studio": Advice(
        {
            "a.json": json.dumps(
                [{"data": {"x": "Ada met", "y": "no"}, "annotations": [{"result": []}]}]
            )
        },
        "convert a.json b.jsonl",
        "--read text=KEY",
        "--read text=x",
    ),
    "closeness": Advice(
        {"a.conllu": tree(), "c.csv": "SUBJ,OBJ\nPRED,OBJ\n"},
        "score a.conllu a.conllu -m syntax_alpha(closeness=)",
        "closeness=places.csv",
        "score a.conllu a.conllu -m syntax_alpha(closeness=c.csv)",
        whole=True,
    ),
    "code-of-a-pipeline": Advice(
        {"a.conll": TAGS, "model": None, "own.py": ""},
        "score a.conll model --code nope.py",
        "--code expects a Python file",
        "--code own.py",
        without="--code nope.py",
        further="the pipeline predicts neither",
    ),
    "trees-of-a-pipeline": Advice(
        {"a.conll": TAGS, "a.conllu": tree(), "model": None},
        "score a.conll model",
        "--metric syntax_alpha",
        "score a.conllu model --metric syntax_alpha",
        whole=True,
        further="a pipeline is scored on .spacy files",
    ),
    "alignment-with-a-pipeline": Advice(
        {"a.conllu": tree(), "model": None},
        "score a.conllu model --align characters",
        "leave them out",
        "",
        without="--align characters",
        further="a pipeline is scored on .spacy files",
    ),
    "runs-without-annotations": Advice(
        {**CONLL, "run": None},
        "compare a.run a.run --below 1",
        "write it again with score -o",
        "compare b.run b.run --below 1",
        whole=True,
    ),
    "runs-of-errors": Advice(
        {**CONLL, "run": None},
        "compare d.run d.run --fail-below .5",
        "use --fail-if-worse",
        "--fail-if-worse",
        without="--fail-below .5",
    ),
    "runs-without-spans": Advice(
        {**CONLL, "run": None},
        "compare e.run e.run --fail-if-worse",
        "without gold spans -m false_positives is",
        "-m false_positives",
    ),
    "runs-of-other-documents": Advice(
        {**CONLL, "run": None}, "compare b.run c.run", "force it (--force)", "--force"
    ),
    "names-of-annotators": Advice(
        CONLL,
        "agree x=a.conll x=b.conll --resamples 0",
        "own name: NAME=PATH",
        "x=a.conll y=b.conll",
        without="x=a.conll x=b.conll",
    ),
    "names-of-systems": Advice(
        CONLL,
        "score a.conll x=a.conll x=b.conll --resamples 0",
        "own name: NAME=PATH",
        "x=a.conll y=b.conll",
        without="x=a.conll x=b.conll",
    ),
    "metrics-of-trees-and-spans": Advice(
        {"a.conllu": tree()},
        "score a.conllu a.conllu -m las -m span_f",
        "ask for them in two calls",
        "score a.conllu a.conllu -m las",
        whole=True,
    ),
    "metrics-of-trees": Advice(
        {"a.conllu": tree()},
        "score a.conllu a.conllu -m span_f",
        "ask for one of syntax_alpha, pq_alpha, las",
        "score a.conllu a.conllu -m pq_alpha",
        whole=True,
    ),
    "a-folder-to-write": Advice(
        {**CONLL, "out/x.txt": ""},
        "convert a.conll out#format=conll",
        "name a file to write",
        "convert a.conll new.conll#format=conll",
        whole=True,
    ),
    "pages-elsewhere": Advice(
        {**UNEVEN, "out/x.txt": ""},
        "agree a.conllu b.conllu --resamples 0 -o out",
        "name another folder",
        "agree a.conllu b.conllu --resamples 0 -o new",
        whole=True,
    ),
    "what-jsonl-holds": Advice(
        {"a.jsonl": lines(CROSSING)},
        "convert a.jsonl b.conll --strict",
        "write JSONL",
        "convert a.jsonl b.jsonl --strict",
        whole=True,
    ),
    **{
        f"gaps-{name}": Advice(
            {"a.jsonl": lines(GAPS)},
            command,
            "use chance=overlapping (--chance overlapping)",
            "--chance overlapping",
            without="--chance nested" if "nested" in command else "--chance disjoint",
        )
        for name, command in {
            "score": "score a.jsonl a.jsonl --chance disjoint",
            "nested": "score a.jsonl a.jsonl -m span_f --chance nested",
            "rank": "score a.jsonl x=a.jsonl --resamples 0 -m span_f --chance disjoint",
            "explain": "score a.jsonl a.jsonl --chance disjoint --explain",
        }.items()
    },
    "files-that-are-not-there": Advice(
        {}, "score a.conll a.conll", "check the path", "", mended={"a.conll": TAGS}
    ),
    **{
        f"treebanks-{name}": Advice(
            {file: bad}, f"score {file} {file}", says, "", mended={file: good}
        )
        for name, file, bad, says, good in TREEBANKS
    },
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that writes files into the folder where commands run."""
    monkeypatch.chdir(tmp_path)

    def write(files):
        for name, content in files.items():
            if content is None:
                MADE[name]()
                continue
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(content, encoding="utf-8")

    return write


@pytest.mark.integration
@pytest.mark.parametrize("name", ADVICE)
def test_who_follows_advice_gets_further(name, run):
    advice = ADVICE[name]
    run(advice.files)
    message = failed(*advice.words.split())
    assert advice.says in message
    run(advice.mended)
    done = call(*advice.followed)
    if advice.further:
        assert advice.further in done.stderr and done.stderr.strip() != message
    else:
        assert done.exit_code == 0, f"{' '.join(advice.followed)}\n{done.stderr}"


ROOMS = ("corpora", "formats", "measures", "metrics", "runs", "scoring", "spacy_docs", "tasks")
# options of messages that no row above follows, and where that is done
ELSEWHERE = {}


@cache
def named_options(*rooms):
    """{option: modules that name it in a text, docstrings aside}."""
    found = {}
    for path in sorted(path for room in rooms for path in (PACKAGE / room).rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        docstrings = {
            id(node.body[0].value)
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
            and isinstance(node.body[0] if node.body else None, ast.Expr)
        }
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if id(node) not in docstrings:
                    for option in OPTION.findall(node.value):
                        found.setdefault(option, set()).add(path.relative_to(PACKAGE).as_posix())
    return found


def options_of(command):
    module = import_module(f"spacy_chance_eval.cli.{COMMANDS[command][0]}")
    return spellings(getattr(module, f"{command}_command"))


def test_options_that_messages_name_are_options_of_some_command():
    known = set().union(*map(options_of, COMMANDS))
    unknown = {
        option: modules for option, modules in named_options(*ROOMS).items() if option not in known
    }
    assert unknown == {}


def test_advice_about_every_option_is_followed():
    followed = {
        option
        for advice in ADVICE.values()
        for option in OPTION.findall(f"{advice.says} {advice.words}")
    }
    left = named_options(*ROOMS).keys() - followed
    assert left == ELSEWHERE.keys()


def test_the_tokenizer_that_a_board_needs_is_an_option_of_it(run):
    run({"a.jsonl": lines(TOKENS), "b.json": ENTITIES})
    message = failed("score", "a.jsonl", "b.json", "--align", "tokens", "--resamples", "0")
    assert "--read tokenizer=LANG makes tokens" in message
    done = call(*"score a.jsonl b.json --read tokenizer=en --align tokens --resamples 0".split())
    assert done.exit_code == 0, done.stderr


def test_options_of_the_command_itself_are_not_explained(run):
    run({"a.jsonl": lines(TOKENS), "b.json": ENTITIES})
    message = failed("score", "a.jsonl", "b.json", "--align", "tokens")
    assert "--read tokenizer=LANG makes tokens" in message and "convert the files" not in message


def test_extras_that_messages_name_can_be_installed():
    config = ConfigParser()
    config.read(Path(__file__).parents[2] / "setup.cfg", encoding="utf-8")
    texts = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    named = {extra for text in texts for extra in re.findall(r"spacy-chance-eval\[(\w+)\]", text)}
    assert len(named) > 5
    assert named <= config["options.extras_require"].keys()
