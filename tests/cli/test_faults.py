"""Full disks and signals: whoever looks at the folder finds whole files only."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from errno import EFBIG, ENOSPC
from os import strerror

import pytest

from helpers import treefiles
from helpers.cases import each_case
from helpers.signals import SIGNALS, before_start, heeding_signals
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, call, conll, jsonl
from spacy_chance_eval.cli.command import Command
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.outputs import whole_file

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.name != "posix", reason="limits and signals of POSIX"),
]

COPIES = 30
LIMIT = 40  # bytes of a file
TIME = 120  # seconds until a program is taken for hanging
# commands that write, and what they make; nothing is there before, where they need a new folder
WRITERS = {
    "score": ("score gold.conll pred.conll -o out.json", ["out.json"]),
    "convert to CoNLL": ("convert gold.jsonl out.conll", ["out.conll"]),
    "convert to JSONL": ("convert gold.conll out.jsonl", ["out.jsonl"]),
    "convert to packed JSONL": ("convert gold.conll out.jsonl.gz", ["out.jsonl.gz"]),
    "convert to DocBin": ("convert gold.conll out.spacy", ["out.spacy"]),
    "convert to Prodigy": ("convert gold.conll out.jsonl#format=prodigy", ["out.jsonl"]),
    "convert to rows of tags": ("convert gold.conll out.jsonl#format=tagged", ["out.jsonl"]),
    "save": ("score gold.conll pred.conll -o out.run", ["out.run"]),
    "rank": (
        "score gold.conll pred.conll -o out.json -o out.html --resamples 20",
        ["out.json", "out.html"],
    ),
    "pages of a board": ("score gold.conll pred.conll -o out --resamples 20", ["out"]),
    "diff": ("diff gold.conll pred.conll -o out.jsonl", ["out.jsonl"]),
    "pages of differences": ("diff gold.conll pred.conll -o pages", ["pages"]),
    "a page of differences": ("diff gold.conll pred.conll -o a.html", ["a.html"]),
    "tasks to adjudicate": ("diff gold.conll pred.conll -o out.jsonl", ["out.jsonl"]),
    "agree": ("agree gold.conll pred.conll -o out.json", ["out.json"]),
    "pages of an agreement": ("agree gold.conll pred.conll -o pages", ["pages"]),
    "pages of trees": ("score gold.conllu pred.conllu -o pages", ["pages"]),
    "compare": (
        "compare old.run new.run --resamples 20 -o a.html -o a.md -o a.json",
        ["a.html", "a.md", "a.json"],
    ),
    "explain": ("score gold.conll pred.conll -o a.html --explain", ["a.html"]),
    "plots": ("agree gold.conll pred.conll -o out.svg", ["out.svg"]),
}
# runs the commands of standard input where no file may grow, and says how they ended
LIMITED = f"""
import json, resource, sys
from helpers.signals import SIGNALS, before_start, heeding_signals
from helpers.textfiles import call
resource.setrlimit(resource.RLIMIT_FSIZE, ({LIMIT}, resource.RLIM_INFINITY))
print(json.dumps([(done.exit_code, done.stderr) for done in (call(*command)
      for command in json.load(sys.stdin))]))
"""
# the program, at work on its first new file until it is stopped: as on a very slow disk
SLOW = """
import builtins, io, sys, time
plain = builtins.open
class Slow(io.FileIO):
    def write(self, data):
        written = super().write(data)
        if builtins.open is slow:
            builtins.open = plain
            print("writing", file=sys.stderr, flush=True)
            time.sleep(100)
        return written
def slow(path, mode="r", *arguments, **options):
    if mode == "xb":
        return io.BufferedWriter(Slow(path, "x"))
    return plain(path, mode, *arguments, **options)
builtins.open = slow
from spacy_chance_eval.cli import main
main()
"""

# a command that ends a worker
FORKED = """
import os, signal, time, typer
from spacy_chance_eval.cli.command import Command
app = typer.Typer()
@app.command(cls=Command)
def command():
    ready, say = os.pipe()
    worker = os.fork()
    while not worker:
        os.write(say, b"1")
        time.sleep(1)
    os.read(ready, 1)
    os.kill(worker, signal.SIGTERM)
    print(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]))
app()
"""


def environment():
    """That of this process, for Pythons that import what it imports."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def repeat(path):
    """Make a file of one document one of many, of different words."""
    text = path.read_text() + "\n"
    path.write_text("".join(text.replace("Ada", f"Ada{i}") for i in range(COPIES)))


def inputs(folder):
    """All that the commands read."""
    for name, tags in (("gold", GOLD), ("pred", PRED)):
        repeat(conll(folder / f"{name}.conll", tags))
    for name, spans in (("gold", SPANS), ("pred", FOUND)):
        repeat(jsonl(folder / f"{name}.jsonl", spans))
    treefiles.write(folder / "gold.conllu", treefiles.conll())
    treefiles.write(folder / "pred.conllu", treefiles.conll(relations=treefiles.OTHER))
    for name in ("old", "new"):
        done = call(
            "score", folder / "gold.conll", folder / "pred.conll", "-o", folder / f"{name}.run"
        )
        assert done.exit_code == 0, done.stderr
    return folder


def command(folder, text):
    """The parts of a command, its files in the folder."""
    parts = text.split()
    named = {part for part in parts if "." in part or part in ("out", "pages", "plots", "folder")}
    return [str(folder / part) if part in named else part for part in parts]


def contents(folder):
    """{path in the folder: bytes} of all files, hidden ones and temporary ones, too."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """{name of a writer: (its folder, that before the disk was full, exit code, messages)}."""
    folders, befores, commands = {}, {}, []
    for name, (text, made) in WRITERS.items():
        folder = folders[name] = inputs(tmp_path_factory.mktemp("full"))
        if made:
            done = call(*command(folder, text))
            assert done.exit_code == 0, done.stderr
            assert all((folder / one).exists() for one in made)
        commands.append(command(folder, text))
        befores[name] = contents(folder)
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert ended.returncode == 0, ended.stderr
    ends = json.loads(ended.stdout)
    return {name: (folders[name], befores[name], *end) for name, end in zip(WRITERS, ends)}


# --- full disks


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_told_in_one_line(full, name):
    _, _, code, messages = full[name]
    assert code == 1 and "Traceback" not in messages
    (told,) = [line for line in messages.splitlines() if "cannot be written" in line]
    assert (
        f"({strerror(EFBIG)}); check the folder and the room on its disk, or write elsewhere"
        in told
    )
    assert ".tmp" not in told and ".new" not in told


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_files_and_nothing_else(full, name):
    folder, before, _, _ = full[name]
    assert contents(folder) == before


def test_a_disk_that_is_full_at_the_end_leaves_the_old_file(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(FormatError, match="No space left on device.*; check the folder"):
        with whole_file(tmp_path / "a") as file:
            file.write(b"new")
            raise OSError(ENOSPC, strerror(ENOSPC))
    assert contents(tmp_path) == {"a": b"old"}


def test_an_error_at_the_end_names_the_output_and_leaves_no_other(tmp_path, monkeypatch):
    before = contents(inputs(tmp_path))
    replace = os.replace

    def full(source, target):
        if str(target).endswith("pages"):
            raise OSError(ENOSPC, strerror(ENOSPC))
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    done = call(*command(tmp_path, "score gold.conll pred.conll -o pages -o b.json"))
    assert done.exit_code == 1 and contents(tmp_path) == before
    assert f"pages: cannot be written ({strerror(ENOSPC)}); check" in done.stderr.splitlines()[-1]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
@each_case(
    "text, code",
    [("score gold.conll pred.conll", 1), ("compare best.run old.run --fail-below 1", 3)],
)
def test_standard_output_on_a_full_disk_is_told_in_one_line(worse, text, code):
    with open("/dev/full", "w") as full_disk:
        ended = run(*command(worse, text), stdout=full_disk)
    *checked, told = ended.stderr.splitlines()
    assert (ended.returncode, len(checked)) == (code, int(code == 3))
    assert told.startswith(f"\u2718 the output cannot be written ({strerror(ENOSPC)}); check")


# --- output that nobody reads

# how a shell would start the program: what it prints meets a closed pipe, or a closed stream
READERS = {
    "closed pipe": "{ trap '' PIPE; sleep .2; \"$@\"; echo $? >&3; } 3>&2 2>/dev/null | true",
    "closed stdout": '"$@" >&- 2>/dev/null; echo $? >&2',
    "closed stderr": '"$@" 2>&- >/dev/null; echo $? >&2',
    "both closed": '"$@" 2>&- >&-; echo $? >&2',
    "full stderr": '"$@" 2>/dev/full >/dev/null; echo $? >&2',
}


@pytest.fixture
def worse(tmp_path):
    """Runs of a system and of a worse one."""
    folder = inputs(tmp_path)
    done = call("score", folder / "gold.conll", folder / "gold.conll", "-o", folder / "best.run")
    assert done.exit_code == 0, done.stderr
    return folder


def code_of(reader, folder, text):
    """The exit code of the program below a shell, and what else is said."""
    program = [sys.executable, "-c", "from spacy_chance_eval.cli import main; main()"]
    shell = ["bash", "-c", READERS[reader], "bash", *program, *command(folder, text)]
    ended = subprocess.run(shell, capture_output=True, text=True, env=environment(), timeout=TIME)
    *said, code = ended.stderr.splitlines()
    return int(code), said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("text", "made", "code"),
    [
        ("compare best.run old.run --fail-below 1 -o a.json -o a.html", 2, 3),
        ("diff gold.conll pred.conll -o a.json -o a.html", 2, 0),
        ("score --help", 0, 0),
    ],
    ids=["compare", "diff", "help"],
)
def test_files_and_exit_codes_do_not_depend_on_who_reads(worse, reader, text, made, code):
    before = contents(worse)
    assert code_of(reader, worse, text) == (code, [])
    assert len(contents(worse)) - len(before) >= made


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["score", "--help"]])
def test_help_on_a_full_disk_is_told_in_one_line(words):
    with open("/dev/full", "w") as full_disk:
        ended = run(*words, stdout=full_disk)
    advice = "check the folder and the room on its disk, or write elsewhere"
    told = f"\u2718 the output cannot be written ({strerror(ENOSPC)}); {advice}\n"
    assert (ended.returncode, ended.stderr) == (1, told)


# --- signals


def start(*arguments, code="from spacy_chance_eval.cli import main; main()", **streams):
    """The program in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **streams},
        env=environment(),
        **before_start(heeding_signals),
    )


def run(*arguments, **streams):
    """What the program says until it ends."""
    process = start(*arguments, **streams)
    stdout, stderr = process.communicate(timeout=TIME)
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *(("score", number) for number in SIGNALS),
        *((name, signal.SIGTERM) for name in ("convert to DocBin", "save", "pages of differences")),
    ],
)
def test_a_program_that_is_stopped_while_it_writes_leaves_nothing(tmp_path, name, number):
    text, (made, *_) = WRITERS[name]
    before = contents(inputs(tmp_path))
    process = start(*command(tmp_path, text), code=SLOW)
    assert process.stderr.readline() == "writing\n"
    assert len(contents(tmp_path)) > len(before)
    process.send_signal(number)
    assert process.communicate(timeout=TIME)[1] == f"\u2718 stopped by {number.name}\n"
    assert (process.returncode, contents(tmp_path)) == (128 + number, before)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_program_that_is_stopped_while_it_computes_writes_nothing(tmp_path, number):
    before = contents(inputs(tmp_path))
    ours, theirs = pty.openpty()  # a terminal: progress shows when it computes
    text = "score gold.conll pred.conll -m slicm_norm(chance=disjoint,draws=5000000) -o out.json"
    process = start(*command(tmp_path, text), stderr=theirs)
    os.close(theirs)
    said = until(ours, b"Random annotations")
    process.send_signal(number)
    process.communicate(timeout=TIME)
    said = until(ours, b"never")
    assert f"stopped by {number.name}".encode() in said and b"Traceback" not in said
    assert (process.returncode, contents(tmp_path)) == (128 + number, before)


# the program, interrupted while a module is imported that has another error then
IMPORTING = """
import os, signal
from spacy_chance_eval.cli import command, main
def import_module(*_):
    os.kill(os.getpid(), signal.SIGINT)
    raise ImportError
command.import_module = import_module
main()
"""


def test_ctrl_c_within_imports_is_told_in_one_line():
    process = start("score", "gold.conll", "pred.conll", code=IMPORTING)
    assert process.communicate(timeout=TIME)[1] == "\u2718 stopped by SIGINT\n"
    assert process.returncode == 128 + signal.SIGINT


def until(terminal, wanted):
    """What a terminal shows until it has shown this, or its program has ended."""
    said = b""
    while wanted not in said:
        try:
            said += os.read(terminal, 4096)
        except OSError:  # nobody writes any more
            break
    return said


def handler_in_a_command(number):
    """How a command handles a signal."""
    command = Command("ask", callback=lambda: signal.getsignal(number))
    return command.main([], standalone_mode=False)


def test_signals_that_someone_ignores_are_left_alone():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert handler_in_a_command(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_after_a_command_signals_are_what_they_were_before():
    before = [signal.getsignal(number) for number in SIGNALS]
    assert handler_in_a_command(signal.SIGTERM) not in before
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_commands_in_another_thread_leave_signals_alone():
    with ThreadPoolExecutor(1) as threads:
        handler = threads.submit(handler_in_a_command, signal.SIGTERM).result()
    assert handler == signal.getsignal(signal.SIGTERM)


def test_a_forked_worker_dies_of_the_signal_without_a_word():
    ended = run(code=FORKED)
    assert (ended.stdout, ended.stderr) == (f"{-signal.SIGTERM}\n", "")
