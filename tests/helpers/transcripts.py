"""Transcripts: what commands print and write, kept beside the tests and compared with each run.

A file of tests/cli/transcripts has calls, each as a line `$ COMMAND`, and below it, indented, what
it prints; `[exit 2]` is the exit code if it is not 0. `$ head FILE` shows the first lines of a file
that an earlier call wrote, and `> /dev/null` behind a command leaves out what it prints. The calls
of a file run in its order in a folder with gold.jsonl, systems/, annotators/ and treebank.conllu of
the sample.

A line `= TITLE` begins a section in an empty folder of its own. What its calls name is put there:
sample/ with all of the sample, corpus/ with it as .spacy, and the pipelines gazetteer, which
predicts entities, and two_layers, which predicts the span group sc too. `> FILE` writes a file
there: its text stands below, indented.

After a change of words or numbers that is meant, all are written anew by

    python tests/helpers/transcripts.py

and `git diff` shows what changed. To add a call, add its line `$ COMMAND` to a file.
"""

import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path
from textwrap import dedent, indent

from typer.testing import CliRunner

from helpers import pipelines
from spacy_chance_eval import __version__, sample

FOLDER = Path(__file__).parents[1] / "cli" / "transcripts"
ENV = {"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}
HEAD = 8  # lines that `head` shows
MADE = {
    "gazetteer": pipelines.saved,
    "two_layers": lambda path: pipelines.saved(path, "sc"),
    "sample/": lambda path: shutil.copytree(sample.path("test.jsonl").parent, path),
    "corpus/": lambda path: path.mkdir(parents=True) or pipelines.corpus(path),
}
LONGEST = 60  # lines of an output that are kept; of the others their number is


def transcript(text, folder):
    """A transcript whose calls run anew, each section in a folder below one."""
    sections = re.split("^(?== )", text, flags=re.M)
    return "".join(section_of(one, folder / str(i)) for i, one in enumerate(sections) if one)


def section_of(text, folder):
    """A section with what its calls print in a new folder."""
    folder.mkdir()
    calls = "".join(line for line in text.splitlines() if line.startswith("$ "))
    for name, make in MADE.items():
        if name in calls:
            make(folder / name)
    if not text.startswith("= "):
        shutil.copytree(sample.path("systems/late.jsonl").parent, folder / "systems")
        shutil.copytree(sample.path("annotators/anna.jsonl").parent, folder / "annotators")
        shutil.copy(sample.path("test.jsonl"), folder / "gold.jsonl")
        shutil.copy(sample.path("treebank.conllu"), folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        return "".join(map(entry_of, re.split(r"^(?=[$#>=] )", text, flags=re.M)))
    finally:
        os.chdir(before)


def entry_of(text):
    """A call with what it prints; a file, which is written, and a comment as they are."""
    line, _, below = text.partition("\n")
    if line.startswith("> "):
        path = Path(line[2:])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(below).rstrip("\n") + "\n", "utf8", newline="\n")
    return f"{line}\n{indent(output(line[2:]), '    ')}" if line.startswith("$ ") else text


def output(command):
    """What a command prints, with its exit code if that is not 0."""
    name, *arguments = shlex.split(command)
    if name == "head":
        if not Path(arguments[0]).is_file():
            return "no such file\n"
        lines = Path(arguments[0]).read_text("utf8").splitlines(keepends=True)[:HEAD]
        return plain("".join(lines))
    from spacy_chance_eval.cli import app

    silent = arguments[-2:] == [">", "/dev/null"]
    done = CliRunner().invoke(app, [name, *arguments[: -2 if silent else None]], env=ENV)
    lines = plain("" if silent else done.output).splitlines(keepends=True)
    if len(lines) > LONGEST:
        lines[LONGEST:] = [f"... and {len(lines) - LONGEST} more lines\n"]
    return "".join(lines) + f"[exit {done.exit_code}]\n" * bool(done.exit_code)


def plain(text):
    """Without times, the version, the folder, and last digits, which machines round."""
    text = text.replace(f"{Path.cwd()}{os.sep}", "")
    text = re.sub(r"-?\d+\.\d{10,}(e-\d+)?", lambda number: f"{float(number[0]):.9g}", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?\S*", "TIME", text)
    return text.replace(__version__, "VERSION")


def main():
    for path in sorted(FOLDER.glob("*.txt")):
        with tempfile.TemporaryDirectory() as folder:
            text = transcript(path.read_text("utf8"), Path(folder))
        path.write_text(text, "utf8")
        print(path)


if __name__ == "__main__":
    main()
