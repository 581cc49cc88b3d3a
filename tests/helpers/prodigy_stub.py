"""A stand-in for Prodigy, which is not on any index: its decorator, parser and database.

As in Prodigy 1.12 and later, arguments are declared by `Arg` and their types by annotations. The
parser takes the types that radicli, Prodigy's own one, takes: str, int, float, bool, list[str].
"""

import argparse
import inspect
import json
import sys
from contextlib import redirect_stderr
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from types import ModuleType
from typing import NamedTuple, Union, get_args, get_origin

import pytest

from spacy_chance_eval.cli import recipes as ours

TOKENS = [
    {"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": True},
    {"text": "Byron", "start": 4, "end": 9, "id": 1, "ws": True},
    {"text": "met", "start": 10, "end": 13, "id": 2, "ws": True},
    {"text": "Bob", "start": 14, "end": 17, "id": 3, "ws": False},
]


class Arg(NamedTuple):
    """One argument: positional without names."""

    option: str | None = None
    short: str | None = None
    help: str | None = None


class Prodigy:
    """An installed Prodigy with some datasets; `recipes` are those that were registered."""

    def __init__(self, datasets, folder=None):
        self.rows, self.recipes, self.folder = datasets, {}, folder

    # --- the decorator and the command line

    def recipe(self, name, **arguments):
        """The decorator: notes the function and its arguments."""

        def register(function):
            parameters = inspect.signature(function).parameters
            assert set(arguments) == set(parameters), "each parameter needs its Arg"
            self.recipes[name] = function, arguments
            return function

        return register

    def parser(self, name):
        """What reads the command line of a recipe."""
        function, arguments = self.recipes[name]
        parser = argparse.ArgumentParser(f"prodigy {name}", description=function.__doc__)
        for key, parameter in inspect.signature(function).parameters.items():
            arg, kind = arguments[key], parameter.annotation
            if get_origin(kind) is Union:  # Optional; of X | None radicli knows nothing
                kind = get_args(kind)[0]
            names = [one for one in (arg.option, arg.short) if one] or [key]
            how = {"help": arg.help} | ({"dest": key} if arg.option else {})
            if arg.option:
                how["default"] = parameter.default
            if kind is bool:
                how["action"] = "store_true"
            elif get_origin(kind) is list:
                how |= {"action": "append", "type": get_args(kind)[0]}
            else:
                assert kind in (str, int, float), f"{key} has a type that radicli cannot parse"
                how["type"] = kind
            parser.add_argument(*names, **how)
        return parser

    def run(self, name, *words):
        """What a recipe returns on a command line."""
        function, _ = self.recipes[name]
        return function(**vars(self.parser(name).parse_args(list(map(str, words)))))

    def result(self, name, *words):
        """The JSON that a recipe writes."""
        file = self.folder / "out.json"
        assert self.run(name, *words, "-o", file) is None
        return json.loads(file.read_text(encoding="utf-8"))

    def failure(self, name, *words):
        """The message with which a recipe ends the program, which then has the exit code 1."""
        with redirect_stderr(StringIO()) as printed, pytest.raises(SystemExit) as caught:
            self.run(name, *words)
        assert caught.value.code in (1, 2) or str(caught.value.code).startswith("✘")
        return printed.getvalue() or caught.value.code

    # --- the database

    def connect(self):
        return self

    @property
    def datasets(self):
        return list(self.rows)

    def __contains__(self, name):
        return name in self.rows

    def get_dataset_examples(self, name):
        return self.rows.get(name)


def installed(monkeypatch, folder=None, missing=()):
    """A `Prodigy` that can be imported, with our recipes; names `missing` from prodigy.core."""
    stub = Prodigy(datasets(), folder)
    names = ("prodigy", "prodigy.core", "prodigy.components", "prodigy.components.db")
    modules = {name: ModuleType(name) for name in names}
    for name, found in {"Arg": Arg, "recipe": stub.recipe}.items():
        if name not in missing:
            setattr(modules["prodigy.core"], name, found)
    modules["prodigy.components.db"].connect = stub.connect
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    spec = spec_from_file_location(ours.__name__, ours.__file__)
    stub.module = module_from_spec(spec)
    spec.loader.exec_module(stub.module)
    return stub


def marked(number, who, *spans, **fields):
    """A task of ner_manual; spans are (first token, last token, label), the last one included."""
    entries = [
        {
            "start": TOKENS[first]["start"],
            "end": TOKENS[last]["end"],
            "token_start": first,
            "token_end": last,
            "label": label,
        }
        for first, last, label in spans
    ]
    row = {"text": "Ada Byron met Bob", "tokens": TOKENS, "_view_id": "ner_manual"}
    if entries:
        row["spans"] = entries
    return row | answer(number, who) | fields


def chosen(number, who, *accept, **fields):
    """A task of the choice interface."""
    options = [{"id": label, "text": label} for label in ("arts", "news", "sport")]
    row = {"text": f"text {number}", "options": options, "accept": list(accept)}
    return row | {"_view_id": "choice"} | answer(number, who) | fields


def decided(number, who, label, said):
    """A binary task."""
    row = {"text": f"text {number}", "label": label, "_view_id": "classification"}
    return row | answer(number, who) | {"answer": said}


def suggested(number, who, said, start, end, label):
    """A task of ner.teach: a span that a model suggests is accepted or rejected."""
    span = {"start": start, "end": end, "label": label, "score": 0.5, "pattern": None}
    row = {"text": "Ada Byron met Bob", "spans": [span], "_view_id": "ner"}
    return row | answer(number, who) | {"answer": said}


def answer(number, who):
    """What Prodigy adds to every answer."""
    return {
        "_input_hash": number,
        "_task_hash": -number,
        "answer": "accept",
        "_session_id": who,
        "_annotator_id": who,
        "_timestamp": 1_700_000_000 + number,
    }


NAME, BOB = (0, 1, "PER"), (3, 3, "PER")
NEWS = [
    marked(1, "ann", NAME, BOB),
    marked(1, "ben", NAME, BOB),
    marked(2, "ann", NAME, BOB),
    marked(2, "ben", NAME),
    marked(3, "ann", (0, 0, "PER")),
    marked(3, "ben", (1, 1, "PER"), (3, 3, "ORG")),
    marked(4, "ann", NAME),
    marked(5, "ben"),
    marked(5, "ann", answer="reject"),
]
TOPICS = [
    chosen(1, "ann", "arts"),
    chosen(1, "ben", "arts"),
    chosen(2, "ann", "news"),
    chosen(2, "ben", "arts"),
    chosen(3, "ann", "sport"),
    chosen(3, "ben", "sport"),
]
BINARY = [
    decided(1, "ann", "ARTS", "accept"),
    decided(1, "ben", "ARTS", "reject"),
    decided(1, "ann", "NEWS", "reject"),
    decided(1, "ben", "NEWS", "reject"),
    decided(2, "ann", "ARTS", "accept"),
    decided(2, "ben", "ARTS", "accept"),
    decided(2, "ann", "NEWS", "accept"),
    decided(2, "ben", "NEWS", "ignore"),
]
ADA_PER, BOB_PER, BOB_ORG = (0, 9, "PER"), (14, 17, "PER"), (14, 17, "ORG")
TEACH = [
    suggested(1, "ann", "accept", *ADA_PER),
    suggested(1, "ben", "reject", *ADA_PER),
    suggested(1, "ann", "accept", *BOB_PER),
    suggested(1, "ben", "accept", *BOB_PER),
    suggested(1, "ann", "reject", *BOB_ORG),
    suggested(1, "ben", "reject", *BOB_ORG),
    suggested(2, "ann", "accept", *ADA_PER),
]


def datasets():
    """Datasets of two annotators, and one without any annotation."""
    given = {"news": NEWS, "topics": TOPICS, "binary": BINARY, "teach": TEACH, "new": []}
    return {name: list(rows) for name, rows in given.items()}
