"""Whether tests can fail: change a line of the package at random, and run the tests next to it.

    python scripts/mutants.py map lines.json tests/measures tests/scoring tests/corpora
    python scripts/mutants.py run lines.json --seed 1 --number 300 --output mutants.jsonl
    python scripts/mutants.py run lines.json --again mutants.jsonl --output survivors.jsonl

`map` records which tests run which lines, and how long they take (with the package `coverage`).
`run` draws changes from the rooms in proportion to their code, makes each in a copy of the
checkout, and runs the tests of its line, the quickest first. A mutant that no test notices is
listed as survived: it wants a test, or its code is not needed, or it changes no result. Texts,
annotations and decorators stay as they are. With `--again`, mutants that survived are tried anew.
Not for Windows: processes are forked after the libraries were imported.
"""

import argparse
import ast
import importlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from bisect import bisect
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from pathlib import Path

try:
    import resource
except ImportError as error:
    raise SystemExit("mutants are tried on Linux and macOS only") from error

ROOT = Path(__file__).parents[1]
PACKAGE = "spacy_chance_eval"
ROOMS = ("measures", "scoring", "corpora", "formats", "reports", "tasks", "cli", "integrations")
WARM = ("pytest", "hypothesis", "numpy", "numpy.testing", "spacy", "typer.testing", "jinja2")
FIRST_SECONDS = 3  # of tests that run at first; most mutants need no more
MOST_TESTS = 1500  # each is an argument
PATIENCE = 40  # seconds, beside five times those of the tests
MEMORY = 8 << 30  # bytes that tests of a mutant may ask for: some make arrays without end

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
PAIRS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("floor", "ceil"),
    ("zeros", "ones"),
    ("append", "extend"),
    ("union", "intersection"),
)
NAMES = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
NAMES |= {"sum": "max", "sorted": "list", "cumsum": "sort", "reversed": "list"}


@dataclass(frozen=True)
class Mutant:
    """A place in a module, the text there, the one that replaces it, and the outcome."""

    module: str
    line: int
    start: int  # bytes of the file
    stop: int
    before: str
    after: str
    fate: str = ""
    seconds: float = 0


def changes(node):
    """Nodes, or texts of statements, to put in place of a node."""
    match node:
        case ast.Compare(left, [op, *ops], right):
            for other in COMPARISONS[type(op)]:
                yield ast.Compare(left, [other(), *ops], right)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield ast.BoolOp(op, values[1:]) if len(values) > 2 else values[1]
            yield ast.BoolOp(op, values[:-1]) if len(values) > 2 else values[0]
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
            yield ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.AugAssign(target, op, value) if type(op) in ARITHMETIC:
            yield f"{ast.unparse(target)} {sign(ARITHMETIC[type(op)]())}= {ast.unparse(value)}"
            yield "pass"
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield ast.UnaryOp(ast.Not(), test)
        case ast.comprehension(ifs=[test, *_]):
            yield ast.UnaryOp(ast.Not(), test)
            yield ast.Constant(True)
        case ast.Subscript(value, ast.Slice(lower, upper, step), ctx) if lower or upper:
            if lower:
                yield ast.Subscript(value, ast.Slice(None, upper, step), ctx)
            if upper:
                yield ast.Subscript(value, ast.Slice(lower, None, step), ctx)
        case ast.Call(ast.Name(name), arguments, keywords) if name in NAMES:
            yield ast.Call(ast.Name(NAMES[name]), arguments, keywords)
        case ast.Call(ast.Attribute(value, name), arguments, keywords) if name in NAMES:
            yield ast.Call(ast.Attribute(value, NAMES[name]), arguments, keywords)
        case ast.Return(ast.expr() as value) if not is_none(value):
            yield "return None"
        case ast.Expr(ast.Call()) | ast.Raise() | ast.Delete():
            yield "pass"
        case ast.Assign([ast.Subscript() | ast.Attribute()]):
            yield "pass"
        case ast.Continue() | ast.Break():
            yield "break" if isinstance(node, ast.Continue) else "continue"


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def sign(op):
    return ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b"))).split()[1]


def places(tree):
    """The nodes of a syntax tree that may be changed, with the node that gives the position."""
    todo = [tree]
    while todo:
        node = todo.pop()
        match node:
            case ast.If(test=ast.Name("TYPE_CHECKING")) | ast.Import() | ast.ImportFrom():
                continue
            case ast.If() | ast.While() | ast.IfExp():
                yield node, node.test
            case ast.comprehension(ifs=[test, *_]):
                yield node, test
            case ast.stmt() | ast.expr():
                yield node, node
        skipped = {"annotation", "returns", "decorator_list", "exc", "msg", "format_spec", "bases"}
        for name, value in ast.iter_fields(node):
            if name not in skipped:
                children = value if isinstance(value, list) else [value]
                todo += [child for child in children if isinstance(child, ast.AST)]


def mutants_of(module):
    """For each place of a module, the mutants that it has."""
    source = (ROOT / module).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, spot in places(ast.parse(source)):
        start = starts[spot.lineno - 1] + spot.col_offset
        stop = starts[spot.end_lineno - 1] + spot.end_col_offset
        before = source[start:stop].decode()
        texts = [
            new if isinstance(new, str) else f"({ast.unparse(ast.fix_missing_locations(new))})"
            for new in changes(node)
        ]
        if texts:
            yield [Mutant(module, spot.lineno, start, stop, before, text) for text in texts]


def draw(seed, number, rooms):
    """Mutants of places that are drawn with equal chances, none twice."""
    rng = random.Random(seed)
    files = [path for room in rooms for path in sorted((ROOT / PACKAGE / room).rglob("*.py"))]
    found = [each for path in files for each in mutants_of(str(path.relative_to(ROOT)))]
    return [rng.choice(each) for each in rng.sample(found, number)]


def copy_of_checkout(folder):
    """The files that git knows or would add, in a folder below another."""
    listing = ("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in subprocess.check_output(listing, text=True, encoding="utf-8").split("\0"):
        if name and (ROOT / name).is_file():
            target = Path(folder) / "copy" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
    if (ROOT.parent / "shared").is_dir():
        (Path(folder) / "shared").symlink_to((ROOT.parent / "shared").resolve())
    return Path(folder) / "copy"


def enter(folder):
    """Let this process, and those that it starts, import the package from a copy."""
    os.chdir(folder)
    os.environ |= {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    sys.path[:] = [str(folder), *(p for p in sys.path if Path(p).resolve() not in (ROOT, folder))]
    for name in WARM:
        importlib.import_module(name)


class Recorder:
    """Plugin of pytest: which lines each test ran, and the seconds of those that passed."""

    def __init__(self, coverage):
        self.coverage, self.seconds, self.failed = coverage, Counter(), set()

    def pytest_runtest_logstart(self, nodeid):
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logfinish(self, nodeid):
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration
        if not report.passed:  # it would fail with any mutant
            self.failed.add(report.nodeid)

    def passed(self):
        return {one: time for one, time in self.seconds.items() if one not in self.failed}


def write_map(output, arguments):
    """Run tests with coverage, and write which tests ran which line."""
    import coverage
    import pytest

    with tempfile.TemporaryDirectory() as folder:
        copy = copy_of_checkout(folder)
        enter(copy)
        watch = coverage.Coverage(data_file=None, source=[str(copy / PACKAGE)])
        recorder = Recorder(watch)
        watch.start()
        pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", *arguments], [recorder])
        watch.stop()
        data, lines = watch.get_data(), {}
        seconds = recorder.passed()
        names = {name: i for i, name in enumerate(seconds)}
        for path in data.measured_files():
            module = str(Path(path).relative_to(copy))
            contexts = data.contexts_by_lineno(path).items()
            lines[module] = {n: [names[c] for c in cs if c in names] for n, cs in contexts}
        os.chdir(ROOT)
    output.write_text(json.dumps({"seconds": seconds, "lines": lines}), encoding="utf-8")


class Tests:
    """Which tests run which lines, of several maps."""

    def __init__(self, paths):
        self.seconds, self.lines = {}, defaultdict(set)
        for path in paths:
            found = json.loads(path.read_text(encoding="utf-8"))
            self.seconds |= found["seconds"]
            names = list(found["seconds"])
            for module, lines in found["lines"].items():
                for line, tests in lines.items():
                    self.lines[module, int(line)] |= {names[i] for i in tests}

    def near(self, mutant, most):
        """Tests of a line, those of the module's own name first, then the quickest.

        Those of the line before it that was seen to run, as statements have several lines. What
        runs when a module is imported is no test's: for it, tests of all its lines.
        """
        seen = [n for (module, n) in self.lines if module == mutant.module]
        line = max((n for n in seen if n <= mutant.line), default=0)
        tests = self.lines.get((mutant.module, line))
        if not tests:
            tests = set().union(*(self.lines[mutant.module, n] for n in seen))
        own = f"test_{Path(mutant.module).stem}"
        chosen, total = [], 0.0
        for test in sorted(tests, key=lambda t: (own not in t, self.seconds[t]))[:MOST_TESTS]:
            total += self.seconds[test]
            if chosen and total > most:
                break
            chosen.append(test)
        return chosen


def stages(tests, seconds):
    """The tests in up to two runs, since most mutants need few, each with its limit of seconds."""
    cut = bisect([*accumulate(seconds[test] for test in tests)], FIRST_SECONDS)
    parts = [part for part in (tests[:cut], tests[cut:]) if part]
    return [(part, PATIENCE + 5 * sum(seconds[test] for test in part)) for part in parts]


def passes(tests, limit):
    """Whether tests pass in a child of this process; None if they take longer than a limit."""
    pid = os.fork()
    if not pid:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        import pytest

        sys.dont_write_bytecode = True
        # every mark, with as few examples of laws as in the inner loop
        every = ["-m", "integration or not integration"]
        quiet = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *every]
        os._exit(pytest.main([*quiet, *tests]))
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.05)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def start_worker(folder):
    """Give a worker its copy of the checkout, compiled, and import what tests import."""
    copy = copy_of_checkout(tempfile.mkdtemp(dir=folder))
    subprocess.run([sys.executable, "-m", "compileall", "-q", PACKAGE], cwd=copy, check=True)
    enter(copy)


def fate(mutant, runs):
    """A mutant with what became of it: killed, timeout, survived, no test, or stale."""
    path = Path(mutant.module)
    source = path.read_bytes()
    if source[mutant.start : mutant.stop].decode() != mutant.before:
        return replace(mutant, fate="stale")
    began, end = time.monotonic(), "survived" if runs else "no test"
    # the bytes that were compiled go: their time stamp could be that of the mutant
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()
    path.write_bytes(source[: mutant.start] + mutant.after.encode() + source[mutant.stop :])
    try:
        for tests, limit in runs:
            passed = passes(tests, limit)
            if not passed:
                end = "timeout" if passed is None else "killed"
                break
    finally:
        path.write_bytes(source)
    return replace(mutant, fate=end, seconds=round(time.monotonic() - began, 1))


def run(arguments):
    """Try mutants, write them with what became of them, and print how many were killed."""
    tests = Tests(arguments.map)
    if arguments.again:
        tried = [
            Mutant(**json.loads(line))
            for line in arguments.again.read_text(encoding="utf-8").splitlines()
        ]
        mutants = [one for one in tried if one.fate not in ("killed", "timeout")]
    else:
        mutants = draw(arguments.seed, arguments.number, arguments.rooms)
    # not below /tmp/pytest-...: tests look for files around them
    with tempfile.TemporaryDirectory() as folder, arguments.output.open("w") as out:
        fates = Counter()
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(
            arguments.processes, context, initializer=start_worker, initargs=(folder,)
        ) as pool:
            futures = []
            for one in mutants:
                near = tests.near(one, arguments.seconds)
                futures.append(pool.submit(fate, one, stages(near, tests.seconds)))
            for future in futures:
                one = future.result()
                fates[one.module.split(os.sep)[1], one.fate] += 1
                print(json.dumps(asdict(one)), file=out, flush=True)
                if one.fate not in ("killed", "timeout"):
                    print(f"{one.fate} {one.module}:{one.line}\n  - {one.before}\n  + {one.after}")
    for (room, end), n in sorted(fates.items()):
        print(f"{room:10} {end:10} {n:5}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    mapping = commands.add_parser("map", help="record which tests run which lines")
    mapping.add_argument("output", type=Path)
    mapping.add_argument("tests", nargs="+", help="folders, files and options for pytest")
    running = commands.add_parser("run", help="try mutants")
    running.add_argument("map", type=Path, nargs="+")
    running.add_argument("--output", type=Path, required=True, help="JSONL, a line per mutant")
    running.add_argument("--seed", type=int, default=1)
    running.add_argument("--number", type=int, default=300)
    running.add_argument("--rooms", nargs="+", default=ROOMS)
    running.add_argument("--again", type=Path, help="an output, whose survivors are tried")
    running.add_argument("--seconds", type=float, default=60, help="of tests for one mutant")
    running.add_argument("--processes", type=int, default=2)
    arguments, rest = parser.parse_known_args()
    if arguments.command == "map":
        write_map(arguments.output.resolve(), arguments.tests + rest)
    elif rest:
        parser.error(f"unknown: {' '.join(rest)}")
    else:
        run(arguments)


if __name__ == "__main__":
    main()
