"""The fuzzers of `.spacy` files, runs and pipelines find nothing; `CONTRIBUTING.md` says how to run
them for long."""

import importlib.util
import os
import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of memory are those of Unix")
FOLDER = Path(__file__).parent / "fuzzing"
FUZZERS = ("docbin", "run", "pipeline")


@pytest.fixture(scope="module")
def fuzzers():
    """The modules of the fuzzers by name."""
    made = {}
    sys.path.insert(0, str(FOLDER))
    for name in (*FUZZERS, "batch"):
        file = f"fuzz_{name}" if name != "batch" else "batch_fuzzing"
        spec = importlib.util.spec_from_file_location(file, FOLDER / f"{file}.py")
        sys.modules[file] = made[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made[name])
    sys.path.remove(str(FOLDER))
    return made


def fuzzed(name, n_runs):
    """The output of a fuzzer."""
    words = [sys.executable, str(FOLDER / f"fuzz_{name}.py"), f"-runs={n_runs}", "-seed=7"]
    places = [str(FOLDER.parents[2]), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    return done.stdout + done.stderr


@pytest.mark.integration
@pytest.mark.parametrize("name", FUZZERS)
def test_a_few_mutated_inputs_end_with_our_own_errors(name):
    found = fuzzed(name, 60)
    assert "inputs: 60;" in found and "refused: " in found and "finds: 0" in found, found


@pytest.mark.slow
@pytest.mark.parametrize("name", FUZZERS)
def test_many_mutated_inputs_end_with_our_own_errors(name):
    found = fuzzed(name, 2000)
    assert "inputs: 2000;" in found and "finds: 0" in found, found


@pytest.mark.integration
def test_the_commands_take_what_is_not_mutated(fuzzers, tmp_path):
    docbin, batch = fuzzers["docbin"], fuzzers["batch"]
    paths = {
        "GOLD": tmp_path / "g.spacy",
        "PRED": tmp_path / "p.spacy",
        "SOUND": tmp_path / "s.spacy",
    }
    for path in paths.values():
        path.write_bytes(zlib.compress(docbin.seeds()[3]))
    for words in docbin.COMMANDS:
        for name, path in (paths | {"FOLDER": tmp_path}).items():
            words = [word.replace(name, str(path)) for word in words]
        assert batch.command(*words), words


def test_an_error_of_somebody_else_is_a_find(fuzzers, monkeypatch):
    batch = fuzzers["batch"]
    with pytest.raises(batch.FoundError):
        batch.called("x", lambda: {}["key"])
    with pytest.raises(batch.FoundError):
        batch.called("x", lambda: int("five"))
    assert not batch.called("x", lambda: sys.exit(1)) and batch.called("x", lambda: None)


def test_mutations_are_the_same_for_the_same_number(fuzzers):
    for name in ("docbin", "run"):
        module = fuzzers[name]
        seeds = () if name == "docbin" else (module.seeds()[0],)
        one, two = (module.mutated(*seeds, random.Random("1-5")) for _ in range(2))
        assert one == two
