"""Shared by fuzz_docbin.py and fuzz_run.py: commands on mutated files, in processes of their own.

A process takes a batch of numbered inputs, with bounded memory: a crash of compiled code, and an
allocation of gigabytes, are finds like any exception that is none of ours.
"""

import contextlib
import faulthandler
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

if os.name != "posix":
    raise SystemExit("inputs are tried in bounded memory and time, which this system has not")
import resource

BATCH = 2000  # inputs of a process
MEMORY = 3 * 2**30  # bytes of address space, of which spaCy and numpy take one
SECONDS = 60  # that an input may take
OURS = os.path.join(os.path.dirname(find_spec("spacy_chance_eval").origin), "")
ODD = [None, True, False, 0, -1, 5, 2**31, 2**63, -(2**63), 1.5, float("nan"), float("inf"), "",
       "x", "\0", "\U0001f600", b"", b"x", [], [[]], {}, {"x": 1}, {b"nd": True}]  # fmt: skip


class FoundError(Exception):
    """An exception that no user should see."""


def command(*words):
    """Run a command as in a terminal; whether it took its input.

    Raises
    ------
    FoundError
        For an exception that is neither ours nor says anything.
    """
    from spacy_chance_eval.cli import app

    return called(" ".join(words), lambda: app(list(words)))


def called(what, call):
    """Call a function; whether it took its input. For other exceptions than ours, see `command`."""
    silent = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    try:
        with silent[0], silent[1], warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except SystemExit as end:
        return not end.code
    except Exception as error:
        if not is_ours(error):
            raise FoundError(what) from error
        return False
    return True


def is_ours(error):
    """Whether an exception is bad input with a message that our own code raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return (
        isinstance(error, ValueError)
        and last.filename.startswith(OURS)
        and bool(str(error).strip())
    )


def changed_bytes(data, rng):
    """Some bytes with a few bits, stretches or numbers changed."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at, size = rng.randrange(len(data) + 1), rng.choice([1, 1, 2, 4, 8, 40])
        kind = rng.randrange(5)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at : at + size] = rng.randbytes(size)
        elif kind == 2:
            data[at : at + size] = rng.choice([b"", b"\0" * size, b"\xff" * size])
        elif kind == 3:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other : other + size]
        elif rng.random() < 0.1:
            del data[at:]
    return bytes(data)


def changed_values(value, rng, odd=ODD):
    """Nested values in which one entry is another one, is gone, or is there twice."""
    inner = isinstance(value, (dict, list, tuple)) and len(value) > 0
    if not inner or rng.random() < 0.15:
        return _changed_value(value, rng, odd)
    pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    at = rng.randrange(len(pairs))
    key, old = pairs[at]
    kind = rng.randrange(8)
    if kind == 0:
        del pairs[at]
    elif kind == 1:
        pairs.insert(at, rng.choice(pairs))
    elif kind == 2:
        pairs[at] = (rng.choice([*pairs])[0], old)
    else:
        pairs[at] = (key, changed_values(old, rng, odd))
    return dict(pairs) if isinstance(value, dict) else [one for _, one in pairs]


def _changed_value(value, rng, odd):
    """A value that is changed as its type allows, or is of another type."""
    if rng.random() < 0.5:
        return rng.choice(odd)
    if isinstance(value, bytes):
        return changed_bytes(value, rng)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-1, 1, 7, 2**16, 2**40])
    if isinstance(value, str):
        return value[::-1] + rng.choice(["", "x", value])
    return rng.choice(odd)


# --- processes


def main(script, once, n_runs):
    """Run `once(rng, folder)` for many inputs, in batches; exit with 1 if there is a find.

    `once` says whether the input was taken. Options: `-runs=20000`, `-seed=0`, `-first=0`, and
    `-jobs=2` processes at a time. `-batch=FIRST:END` runs a batch in this process.
    """
    given = dict(word.lstrip("-").split("=") for word in sys.argv[1:])
    seed = int(given.get("seed", 0))
    if "batch" in given:
        _batch(once, seed, *map(int, given["batch"].split(":")))
        return
    first, n_runs = int(given.get("first", 0)), int(given.get("runs", n_runs))
    stretches = [(n, min(n + BATCH, first + n_runs)) for n in range(first, first + n_runs, BATCH)]
    outcomes, finds = _run_batches(script, seed, stretches, int(given.get("jobs", 1)))
    print(f"inputs: {n_runs}; " + ", ".join(f"{k}: {n}" for k, n in sorted(outcomes.items())))
    print(f"finds: {len(finds)}")
    sys.exit(bool(finds))


def _run_batches(script, seed, stretches, n_jobs):
    """(number of inputs by outcome, finds) of stretches of inputs."""
    outcomes, finds, running = Counter(), [], []
    waiting = stretches[::-1]
    while waiting or running:
        while waiting and len(running) < n_jobs:
            first, end = waiting.pop()
            words = [sys.executable, script, f"-seed={seed}", f"-batch={first}:{end}"]
            log = tempfile.TemporaryFile("w+", encoding="utf-8")
            env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            started = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, env=env)
            running.append((started, log, end))
        process, log, end = running.pop(0)
        code = process.wait()
        log.seek(0)
        lines = log.read().splitlines()
        log.close()
        done = [line.split(" ", 2) for line in lines if line.startswith(("taken ", "refused "))]
        outcomes.update(word for word, *_ in done)
        found = [line for line in lines if line.startswith("find ")]
        if code:
            last = [int(line.split()[1]) for line in lines if line.startswith("input ")][-1]
            found.append(f"find {last}: the process ended with {code}: {' / '.join(lines[-12:])}")
            waiting += [(last + 1, end)] if last + 1 < end else []
        print(*found, f"done: {outcomes.total()}", sep="\n", flush=True)
        finds += found
    return outcomes, finds


def _batch(once, seed, first, end):
    """Run a batch in this process, and print what comes of each input."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    folder = Path(tempfile.mkdtemp())
    try:
        for number in range(first, end):
            print("input", number, flush=True)
            signal.alarm(SECONDS)
            try:
                taken = once(random.Random(f"{seed}-{number}"), folder)
            except FoundError as found:
                error = found.__cause__
                frames = traceback.extract_tb(error.__traceback__)[-4:]
                where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in frames[::-1])
                text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                print(f"find {number}: {text} ({where}) {found}", flush=True)
            else:
                print("taken" if taken else "refused", number, flush=True)
        signal.alarm(0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
