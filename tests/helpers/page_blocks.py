"""The fenced blocks of a page: what each is, and how it is run and compared.

A block of `text` right below one of `bash` or `python` is its output, and so are the lines below a
command of a `console`, if there are any. A line of three dots stands for lines that were left out.
A block below a line with nothing but a file name is that file.

`PYTHONPATH=tests python -m helpers.page_blocks docs/start.md` writes outputs anew that differ, with
the same lines left out.
"""

import difflib
import doctest
import os
import re
import shlex
import sys
from configparser import RawConfigParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
import srsly

from helpers.examples import OWN_FILES, ROOT, page, run_commands, write_files
from helpers.outputs import printed, without_version
from helpers.prodigy_stub import installed
from helpers.textfiles import call
from spacy_chance_eval.about import __version__

FENCE = re.compile(r"^```(\w*).*\n((?:.*\n)*?)^```$", re.MULTILINE)
FILE_NAME = re.compile(r"`([\w./-]+\.\w+)`\s*\Z")
# words that a shell has to read; all other command lines of the program are run in this process
SHELL = re.compile(r"[|<>&;*$`\\]")
# the second one, of which the arguments are parsed: Prodigy is on no index
PROGRAMS = ("spacy-chance-eval ", "prodigy ")

# (page, how the block begins): why it is not run here; "" stands for all blocks of the page
SKIPPED = {
    ("CONTRIBUTING.md", ""): "sets up environments and records whole versions",
    ("PROJECT.md", ""): "test_workflows.py runs the workflows",
    ("README.md", "python3 -m venv"): "installs; .ci/run runs the second one",
    ("README.md", "python -m spacy train"): "test_training.py trains with these overrides",
    ("docs/evidence.md", "python scripts/"): "downloads corpora; test_evidence.py makes up one",
    ("docs/formats.md", "spacy-chance-eval agree opera.xml"): "GATE's corpus is not included",
    ("docs/tools.md", "import evaluate"): "test_huggingface_libraries.py runs it",
    ("docs/papers.md", "python scripts/papers/calderon.py"): "downloads the authors' data",
    ("docs/papers.md", "python scripts/papers/skjaerholt.py"): "downloads eight corpora",
    ("docs/papers.md", "spacy-chance-eval agree data/"): "needs the corpora",
    ("docs/scale.md", "pip install"): "needs a cluster or a bucket",
    ("docs/scale.md", "from "): "needs a cluster; test_clusters.py uses Dask and Ray",
    ("docs/start.md", "python3 -m venv"): "installs; .ci/run does the same",
}


class Block(NamedTuple):
    """A fenced block: where it stands, its language and content, and what it shows."""

    page: str
    line: int
    language: str
    content: str
    file: str = ""
    output: str | None = None

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks_of(name, text):
    """The blocks of a page in their order, outputs with what they are the output of."""
    found, end = [], 0
    for fence in FENCE.finditer(text):
        between, end = text[end : fence.start()], fence.end()
        language, content = fence.groups()
        if language == "text" and not between.strip() and found and found[-1].output is None:
            if found[-1].language in ("bash", "python"):
                found[-1] = found[-1]._replace(output=content)
                continue
        file = FILE_NAME.search(between)
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Block(name, line, language, content, file[1] if file else ""))
    return found


def reason(block):
    """Why a block is not run; None if it is."""
    for (name, beginning), why in SKIPPED.items():
        if block.page == name and block.content.startswith(beginning):
            return why
    return None


class Session:
    """What the blocks of one page share: names of Python, and the folder that they are run in."""

    def __init__(self):
        self.namespace = {"__name__": "example"}
        self.wrong, self.outputs = [], []

    def run(self, block):
        """Run a block by its language; what is wrong is noted."""
        if block.file:
            os.makedirs(os.path.dirname(block.file) or ".", exist_ok=True)
            with open(block.file, "w", encoding="utf8") as file:
                file.write(block.content)
        try:
            getattr(self, f"run_{block.language}")(block)
        except (Exception, SystemExit) as error:
            self.wrong.append(f"{block}: {type(error).__name__}: {error}")

    def run_python(self, block):
        out = printed(block.content, self.namespace)
        self.compare(block, block.content, out, block.output)

    def run_pycon(self, block):
        told = []
        test = doctest.DocTestParser().get_doctest(
            block.content, self.namespace, str(block), block.page, block.line
        )
        done = doctest.DocTestRunner().run(test, out=told.append, clear_globs=False)
        self.namespace.update(test.globs)  # a doctest has a copy
        if done.failed:
            self.wrong.append("".join(told))

    def run_bash(self, block):
        lines = [line for line in block.content.splitlines() if line and line[0] != "#"]
        if all(map(is_simple, lines)):
            out = "".join(self.output_of(line) for line in lines)
        else:
            done = run_commands(block.content, ".")
            assert done.returncode == 0, done.stderr
            out = done.stdout
        self.compare(block, block.content, out, block.output)

    def run_console(self, block):
        before, *commands = re.split(r"^\$ ", block.content, flags=re.MULTILINE)
        assert commands and not before, "a console block begins with $ and a command"
        for command in commands:
            line, _, output = command.partition("\n")
            fails = output.lstrip().startswith("✘")
            self.compare(block, line, self.output_of(line, fails), output.strip() and output)

    def output_of(self, line, fails=False):
        """What a command line prints; where it has to fail, with its message."""
        if not is_simple(line):
            done = run_commands(line, ".")
            assert (done.returncode != 0) == fails, done.stderr
            return done.stdout
        program, *words = shlex.split(line, comments=True)
        if program == "prodigy":
            with pytest.MonkeyPatch.context() as patch:
                installed(patch).parser(words[0]).parse_args(words[1:])
            return ""
        done = call(*words)
        assert (done.exit_code != 0) == fails, done.stderr
        return done.stdout + done.stderr * fails

    def compare(self, block, what, found, expected):
        """Note a difference from the output that the page shows, if it shows one."""
        if expected and not shows(expected, found):
            self.outputs.append((expected, anew(expected, found)))
            self.wrong.append(f"{block}: {what}\n--- prints\n{found}")

    def run_ini(self, block):
        config = RawConfigParser()
        config.read_string(block.content)
        assert config.sections()

    def run_yaml(self, block):
        assert srsly.yaml_loads(block.content)

    def run_json(self, block):
        if block.content.startswith("{\n"):  # one object, not one a line
            assert srsly.json_loads(block.content)
            return
        for line in block.content.splitlines():
            assert srsly.json_loads(line)

    def run_text(self, block):
        assert block.file, "text that is neither an output nor a file with a name above it"

    run_csv = run_xml = run_text


def is_simple(line):
    """Whether a line calls a program of ours and needs no shell."""
    return line.startswith(PROGRAMS) and not SHELL.search(line.partition(" #")[0])


def shows(expected, found):
    """Whether an output has the lines shown; a line of three dots stands for any lines."""
    parts = re.split(r"^\.\.\.$", without_version(expected), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part.lstrip("\n")) for part in parts)
    return re.fullmatch(pattern + r"\n*", without_version(found) + "\n") is not None


def anew(expected, found):
    """An output with the lines of another one: as many, and those that are most alike."""
    lines, start, made = without_version(found).splitlines(), 0, []
    for part in re.split(r"^(\.\.\.)$", expected.rstrip("\n"), flags=re.MULTILINE):
        shown = part.strip("\n").splitlines()
        if part == "..." or not shown:
            made += shown
            continue

        def likeness(place, shown=shown):
            own = "\n".join(lines[place : place + len(shown)])
            return difflib.SequenceMatcher(None, "\n".join(shown), own, False).ratio()

        places = range(start, max(start, len(lines) - len(shown)) + 1)
        place = max(places, key=likeness)
        start = place + len(shown)
        made += lines[place:start]
    if "..." not in made:
        made = lines
    return "\n".join(made).replace("v=VERSION", f"v={__version__}") + "\n"


def write_anew(names):
    """Write the outputs of pages anew."""
    for name in names:
        text, session = page(name), Session()
        with TemporaryDirectory() as folder:
            write_files(Path(folder))
            OWN_FILES.get(name, lambda folder: None)(Path(folder))
            os.chdir(folder)
            for block in blocks_of(name, text):
                if reason(block) is None:
                    session.run(block)
            os.chdir(ROOT)
        for old, new in session.outputs:
            text = text.replace(old, new)
        (ROOT / name).write_text(text, encoding="utf8")
        print(*session.wrong, sep="\n\n")


if __name__ == "__main__":
    write_anew(sys.argv[1:])
