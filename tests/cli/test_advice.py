"""Advice in messages: each option that they name is followed, and gets further.

Most of it is followed in transcripts/advice.txt: a call that fails, what its message says to do,
and the call that does it. Here is what needs pipelines, many documents, or runs of old.
"""

import ast
import re
from configparser import ConfigParser
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import spacy

import spacy_chance_eval
from helpers.textfiles import call, failed, spellings
from helpers.transcripts import FOLDER
from helpers.treefiles import conll as tree
from spacy_chance_eval.cli import COMMANDS
from spacy_chance_eval.runs.files import read_run, write_run

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")  # in a message
PACKAGE = Path(spacy_chance_eval.__file__).parent
TAGS = "Ada B-P\nmet O\n\nRex B-P\n"
NO_SPANS = "a pipeline is scored on .spacy files"
# a command that fails, what its message says, the command that does that, and the next message
ADVICE = [
    ("score a.conll model --code no.py", "--code expects a Python file",
     "score a.conll model --code own.py", "the pipeline predicts neither"),
    ("score a.conll model", "--metric syntax_alpha",
     "score a.conllu model --metric syntax_alpha", NO_SPANS),
    ("score a.conllu model --align characters", "leave them out", "score a.conllu model", NO_SPANS),
    ("agree a b -m span_f --resamples 0", "--documents file or sentence says",
     "agree a b -m span_f --resamples 0 --documents file", ""),
    ("compare old.run old.run --below 1", "write it again with score -o",
     "compare a.run a.run --below 1", ""),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with a pipeline, runs, and annotators who divide files otherwise."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "a.conll": TAGS,
        "a.conllu": tree(),
        "own.py": "",
        "a/1.conll": "Ada B-P\nmet O\n\n" * 2000,
        "a/2.conll": TAGS,
        "a/3.conll": TAGS,
        "b/1.conll": f"Ada B-{'P' * 60}\nmet O\n\n" * 2000,
        "b/3.conll": TAGS,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    spacy.blank("xx").to_disk("model")
    assert call("score", "a.conll", "a.conll", "-o", "a.run").exit_code == 0
    write_run("old.run", replace(read_run("a.run"), annotations=None))
    return tmp_path


@pytest.mark.integration
@pytest.mark.parametrize(
    ("words", "said", "followed", "further"),
    ADVICE,
    ids=["code", "metric", "align", "documents", "runs"],
)
def test_who_follows_advice_gets_further(folder, words, said, followed, further):
    message = failed(*words.split())
    assert said in message
    done = call(*followed.split())
    assert done.exit_code == bool(further) and further in done.stderr != message


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
    texts = (FOLDER / "advice.txt").read_text("utf8"), *(" ".join(row) for row in ADVICE)
    followed = {option for text in texts for option in OPTION.findall(text)}
    left = named_options(*ROOMS).keys() - followed
    assert left == ELSEWHERE.keys()


def test_extras_that_messages_name_can_be_installed():
    config = ConfigParser()
    config.read(Path(__file__).parents[2] / "setup.cfg", encoding="utf-8")
    texts = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    named = {extra for text in texts for extra in re.findall(r"spacy-chance-eval\[(\w+)\]", text)}
    assert len(named) > 5
    assert named <= config["options.extras_require"].keys()
