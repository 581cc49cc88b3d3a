"""A page for each command: its help, an example with its output, and the keys of its JSON."""

import json
import os
import shlex
import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from typer.testing import CliRunner

import spacy_chance_eval.sample
from spacy_chance_eval.cli import COMMANDS, app

PROGRAM = "spacy-chance-eval"
WIDTH = "80"
LONGEST = 48  # lines of output to show
# command lines on the files of the sample, run in this order
EXAMPLES = {
    "demo": "demo",
    "score": "score test.jsonl systems/late.jsonl -o late.run",
    "diff": "diff test.jsonl systems/late.jsonl",
    "compare": "compare early.run late.run",
    "plan": "plan early.run late.run",
    "agree": "agree annotators/anna.jsonl annotators/ben.jsonl -m span_f",
    "metrics": "metrics",
    "convert": "convert test.jsonl test.conll",
}
# further files that the examples read, and commands that make more
FILES = {
    "places.csv": "LOC,Thing\nCity,LOC\nCountry,LOC\n",
}
BEFORE = "score test.jsonl systems/early.jsonl -o early.run"
KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
KINDS |= {int: "number", float: "number"}
SCHEMAS = ("score", "agree", "diff", "compare", "plan")


def command_pages():
    """{address: text} of the pages of all commands."""
    with in_sample():
        run(BEFORE)
        return {f"reference/commands/{name}.md": page(name) for name in COMMANDS}


def page(name):
    """The page of a command."""
    _, summary, _ = COMMANDS[name]
    lines = [f"# {name}", "", summary, "", "Explained in [All commands](../../commands.md)."]
    lines += ["", "## Example", "", *console(EXAMPLES[name])]
    options = run(f"{name} --help-all").strip()
    lines += ["", "## Options", "", "```text", options, "```"]
    if name in SCHEMAS:
        schema = f"{name}.v1"
        lines += ["", "## JSON", "", f"`-o FILE` writes [{schema}](../schemas/{schema}.md)."]
    elif "JSON with everything" in options:
        lines += ["", "## JSON", "", f"What `-o FILE` writes for `{EXAMPLES[name]}`:", ""]
        lines += ["| key | type |", "| --- | --- |"]
        lines += key_rows(json.loads(run(f"{EXAMPLES[name]} -o -")))
    return "\n".join(lines) + "\n"


def key_rows(value, before=""):
    """Rows for all keys of a result, with paths after `before`; of lists, the first item."""
    for key, own in value.items():
        yield f"| `{before}{key}` | {KINDS[type(own)]} |"
        if isinstance(own, dict):
            yield from key_rows(own, f"{before}{key}.")
        elif isinstance(own, list) and own and isinstance(own[0], dict):
            yield from key_rows(own[0], f"{before}{key}[].")


def console(line):
    """A command line and its output, shortened."""
    printed = run(line).strip("\n").splitlines()
    if len(printed) > LONGEST:
        printed = [*printed[:LONGEST], "..."]
    return ["```console", f"$ {PROGRAM} {line}", *printed, "```"]


def run(line):
    """The output of a command line; an error if the command fails."""
    with mock.patch.dict(os.environ, COLUMNS=WIDTH):
        done = CliRunner().invoke(app, shlex.split(line))
    if done.exit_code:
        raise RuntimeError(f"{line} ends with {done.exit_code}: {done.output}")
    return done.stdout


@contextmanager
def in_sample():
    """A working directory with copies of the sample, in which examples are run."""
    sample, before = Path(spacy_chance_eval.sample.__file__).parent, Path.cwd()
    with TemporaryDirectory() as folder:
        shutil.copytree(sample, folder, dirs_exist_ok=True)
        for name, text in FILES.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
