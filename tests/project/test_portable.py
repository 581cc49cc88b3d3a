"""The program and its tests run on Windows and macOS: the syntax trees of all files are searched.

Names that only some systems have stand behind a guard: a condition about the system around them or
before them in their function, `try`, or a mark that skips the test. Text has a stated encoding.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

from spacy_chance_eval.corpora.sources import Source, parse_source
from spacy_chance_eval.formats import Corpus, paths

ROOT = Path(__file__).parents[2]
FOLDERS = ("spacy_chance_eval", "benchmarks", "scripts", "tests")
PROGRAMS = FOLDERS[:-1]
MODULES = {"resource", "fcntl", "pty", "termios", "tty", "pwd", "grp", "syslog"}
NAMES = {
    "os": (
        *("fork", "forkpty", "killpg", "setsid", "getpgid", "getuid", "geteuid", "getgid", "uname"),
        *("register_at_fork", "sched_getaffinity", "sysconf", "getloadavg", "mkfifo", "nice"),
        *("WNOHANG", "waitstatus_to_exitcode", "statvfs", "chown", "openpty"),
    ),
    "signal": (
        *("SIGKILL", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "SIGPIPE", "SIGSTOP"),
        *("SIGCONT", "SIGQUIT", "alarm", "setitimer", "pthread_sigmask", "pause"),
    ),
    "select": ("poll", "epoll", "kqueue"),
}
PLACES = ("/tmp", "/dev/", "/proc/")
CONDITIONS = ("hasattr(", "os.name", "sys.platform", "get_all_start_methods", "os.supports_")
SKIPS = ("skipif(", "importorskip(")
TRIED = {"ImportError", "AttributeError", "OSError", "ModuleNotFoundError"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def has(node, words):
    text = ast.unparse(node)
    return any(word in text for word in words)


def is_tried(node):
    """Whether it is `try` with an `except` for what a system lacks."""
    return isinstance(node, ast.Try) and any(
        one.type and TRIED & {name.id for name in ast.walk(one.type) if isinstance(name, ast.Name)}
        for one in node.handlers
    )


def ends_here(node):
    """Whether a statement leaves its function or module on systems that lack something."""
    leaves = (ast.Raise, ast.Return)
    if isinstance(node, ast.If) and has(node.test, CONDITIONS):
        return isinstance(node.body[-1], leaves)
    return is_tried(node) and isinstance(node.handlers[-1].body[-1], leaves)


def is_guard(node):
    """Whether all that is in a node is only for systems that have it."""
    if isinstance(node, (ast.If, ast.IfExp)):
        return has(node.test, CONDITIONS)
    if isinstance(node, ast.BoolOp):
        return any(has(value, CONDITIONS) for value in node.values)
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return any(has(test, CONDITIONS) for loop in node.generators for test in loop.ifs)
    if isinstance(node, FUNCTIONS):
        return any(map(ends_here, node.body)) or any(has(one, SKIPS) for one in node.decorator_list)
    if isinstance(node, ast.Module):
        simple = (one for one in node.body if isinstance(one, (ast.Assign, ast.Expr)))
        return any(map(ends_here, node.body)) or any(has(one, SKIPS) for one in simple)
    return is_tried(node)


def used(node):
    """The name in a node that only some systems have, if there is one."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module, names = node.value.id, [node.attr]
    elif isinstance(node, ast.Import):
        return next((one.name for one in node.names if one.name in MODULES), None)
    elif isinstance(node, ast.ImportFrom):
        if node.module in MODULES:
            return node.module
        module, names = node.module, [one.name for one in node.names]
    elif isinstance(node, ast.Call):
        return next(filter(None, map(place_in, node.args)), None)
    else:
        return None
    return next((f"{module}.{name}" for name in names if name in NAMES.get(module, ())), None)


def place_in(word):
    """A place that only some systems have, or `fork`, if an argument begins with it."""
    first = word.values[0] if isinstance(word, ast.JoinedStr) and word.values else word
    text = first.value if isinstance(first, ast.Constant) else None
    return text if isinstance(text, str) and (text.startswith(PLACES) or text == "fork") else None


def unguarded(node, above=()):
    """(line, name) of each use without a guard, in programs that are texts too."""
    above = (*above, node)
    line = next((one.lineno for one in reversed(above) if hasattr(one, "lineno")), 0)
    if (name := used(node)) and not any(map(is_guard, above)):
        yield line, name
    text = node.value if isinstance(node, ast.Constant) else None
    if isinstance(text, str) and "import " in text:
        try:
            inner = ast.parse(text)
        except (SyntaxError, ValueError):  # no program
            return
        yield from ((line, name) for _, name in unguarded(inner, above))
    for child in ast.iter_child_nodes(node):
        yield from unguarded(child, above)


def is_binary(call):
    """Whether a call of `open` has a mode with b."""
    words = [*call.args[:2], *(key.value for key in call.keywords if key.arg == "mode")]
    modes = [word.value for word in words if isinstance(word, ast.Constant)]
    return any(isinstance(mode, str) and set(mode) <= set("rwxabt+") and "b" in mode
               for mode in modes)  # fmt: skip


def called_in(tree):
    """(call, the function, its last name, names of arguments) of each call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            inner = node.func
            owner = inner.value if isinstance(inner, ast.Attribute) else None
            name = inner.attr if owner is not None else getattr(inner, "id", "")
            yield node, owner, name, {key.arg for key in node.keywords}


def is_help(owner):
    """Whether a method is one of click's formatter of help, whose `write_text` has no file."""
    return owner is not None and "formatter" in ast.unparse(owner)


def without_encoding(tree):
    """(line, name) of text that is opened, read or written in the encoding of the machine."""
    for node, owner, name, given in called_in(tree):
        module = getattr(owner, "id", None)
        if given & {"encoding", None} or is_help(owner):
            continue
        wrong = {
            "open": not is_binary(node)
            and (owner is None or module == "io" or module == "gzip" and len(node.args) > 1),
            "read_text": owner is not None and not node.args,
            "write_text": owner is not None and len(node.args) < 2,
            "TextIOWrapper": len(node.args) < 2,
            **dict.fromkeys(("run", "Popen", "check_output"), bool({"text"} & given)),
        }
        if wrong.get(name):
            yield node.lineno, name


def without_newline(tree):
    """(line, name) of text that is written with the newlines of the machine."""
    for node, owner, name, given in called_in(tree):
        mode = ast.unparse(node.args[1]) if len(node.args) > 1 else ""
        writes = owner is None and name == "open" and set("wax") & set(mode) and not is_binary(node)
        method = owner is not None and name == "write_text"
        if "newline" not in given and (name == "TextIOWrapper" or method or writes):
            if not is_help(owner):
                yield node.lineno, name


@cache
def parsed(text):
    return ast.parse(text)


def found_in(folders, words, search):
    """Lines that a search finds in the files of folders that have one of some words."""
    lines = []
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if file != Path(__file__) and any(word in text for word in words):
                name = file.relative_to(ROOT).as_posix()
                lines += [f"{name}:{line}: {said}" for line, said in search(parsed(text))]
    return "\n".join(lines)


def test_names_of_some_systems_are_guarded():
    words = [f"{way} {module}" for module in MODULES | {*NAMES} for way in ("import", "from")]
    words = [word for word in words if word not in ("import os", "import signal")]
    words += [f"{module}.{name}" for module, names in NAMES.items() for name in names]
    words += [f'"{place}' for place in (*PLACES, "fork")]
    assert found_in(FOLDERS, words, unguarded) == ""


TEXT = ("open(", "_text(", "TextIOWrapper", "text=")


def test_text_has_an_encoding():
    assert found_in(PROGRAMS, TEXT, without_encoding) == ""


def test_text_is_written_with_stated_newlines():
    assert found_in(PROGRAMS[:1], TEXT, without_newline) == ""


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import os\nos.fork()", ["os.fork"]),
        ("import resource", ["resource"]),
        ("from signal import SIGKILL", ["signal.SIGKILL"]),
        ("f = open(f'/proc/{1}/stat')", ["/proc/"]),
        ("get_context('fork')", ["fork"]),
        ("P = '''import os\nos.fork()'''", ["os.fork"]),
        ("if number:\n    os.getuid()", ["os.getuid"]),
        ("if hasattr(os, 'getuid'):\n    os.getuid()", []),
        ("n = os.getuid() if os.name == 'posix' else 0", []),
        ("try:\n    import resource\nexcept ImportError:\n    resource = None", []),
        ("try:\n    import pty\nexcept ImportError:\n    raise SystemExit\nos.fork()", []),
        ("if os.name == 'nt':\n    print()\nos.fork()", ["os.fork"]),
        ("try:\n    os.fork()\nexcept ValueError:\n    pass", ["os.fork"]),
        ("def f():\n    if os.name == 'nt':\n        return\n    os.fork()", []),
        ("@pytest.mark.skipif(x)\ndef f():\n    os.fork()", []),
        ("pytestmark = pytest.mark.skipif(x)\nos.fork()", []),
    ],
)
def test_guards(code, names):
    assert [name for _, name in unguarded(ast.parse(code))] == names


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("open(p)", 1),
        ("open(p, 'rb')", 0),
        ("open(p, encoding='utf-8')", 0),
        ("p.read_text()", 1),
        ("p.read_text('utf-8')", 0),
        ("p.write_text('a')", 1),
        ("p.write_text('a', 'utf-8')", 0),
        ("run(c, text=True)", 1),
        ("gzip.open(p, 'wt')", 1),
        ("gzip.open(p)", 0),
    ],
)
def test_encodings(code, found):
    assert len(list(without_encoding(ast.parse(code)))) == found


def paths_as_they_are(tree):
    """(line, name) of paths in results that `path_text` has not seen: values of a dictionary."""
    for node in ast.walk(tree):
        for value in node.values if isinstance(node, ast.Dict) else ():
            if isinstance(value, ast.Call) and ast.unparse(value.func) in ("str", "os.fspath"):
                given = ast.unparse(value.args[0]) if value.args else ""
                if any(word in given for word in ("path", "folder", "file", "model", "data")):
                    yield value.lineno, f"str({given})"


def test_paths_in_results_have_slashes():
    tree = ast.parse('{"path": str(path), "name": str(name), "x": path_text(path)}')
    assert [*paths_as_they_are(tree)] == [(1, "str(path)")]
    folders = [f"{PROGRAMS[0]}/{room}" for room in ("analysis", "corpora", "scoring", "tasks")]
    assert found_in(folders, ["str("], paths_as_they_are) == ""


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("C:\\new\\gold.conll", "C:/new/gold.conll"),
        ("\\\\server\\share\\gold.conll", "//server/share/gold.conll"),
        ("gold.conll", "gold.conll"),
        ("s3://bucket/a\\b.conll", "s3://bucket/a\\b.conll"),
    ],
)
def test_windows_paths_get_slashes_in_results(monkeypatch, given, result):
    monkeypatch.setattr(paths, "SEPARATOR", "\\")
    assert paths.path_text(given) == Corpus(given, ()).path == result
    source = Source(given, files=(given,))
    assert (source.path, source.files) == (result, (result,))


@pytest.mark.parametrize("path", ["C:\\x\\gold.conll", "c:/x/gold.conll", "\\\\server\\gold.conll"])
@pytest.mark.parametrize("layer", [None, "2"])
@pytest.mark.parametrize("name", [None, "BERT"])
def test_drives_and_servers_of_windows_are_neither_names_nor_addresses(path, layer, name):
    text = f"{name}={path}" if name else path
    source = parse_source(f"{text}#{layer}" if layer else text)
    assert (source.name, source.path, source.layer) == (name, path, layer)
    assert not paths.is_remote(path)
