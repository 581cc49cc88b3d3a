"""A few hostile inputs for each reader; `fuzzing/fuzz_readers.py` tries as many as one likes."""

import sys
from pathlib import Path
from random import Random

import pytest

from helpers.extras import needs
from helpers.textfiles import call

sys.path.insert(0, str(Path(__file__).parent / "fuzzing"))

BINARY = ("spacy", "runs", "pipelines")

pytestmark = [pytest.mark.integration, needs("pyarrow", "parquet")]


def test_hostile_files_are_read_or_refused_with_a_message_of_ours():
    import fuzz_readers

    found = {
        name: fuzz_readers.fuzz(name, subject, n_inputs=60 if name in BINARY else 8, seed=21)
        for name, subject in fuzz_readers.subjects().items()
    }
    assert {name: [*finds] for name, (_, finds) in found.items() if finds} == {}
    assert sum(n_read for n_read, _ in found.values()) > len(found)


def test_errors_of_python_and_of_libraries_are_finds():
    import fuzz_readers

    assert fuzz_readers.judged(int, "x")[1].startswith("ValueError")
    assert fuzz_readers.judged(fuzz_readers.read, "missing.conll") == (None, None)
    assert fuzz_readers.judged(len, 1)[1].startswith("TypeError")


@pytest.mark.slow
@pytest.mark.parametrize("name", BINARY)
def test_many_hostile_binary_files_are_read_or_refused(name):
    import fuzz_readers

    assert not fuzz_readers.fuzz(name, fuzz_readers.subjects()[name], n_inputs=2000, seed=7)[1]


def test_the_commands_take_what_is_not_changed(tmp_path, monkeypatch):
    import fuzz_readers
    import packed

    monkeypatch.chdir(tmp_path)
    for folder in ("own", "sound"):
        (tmp_path / folder).mkdir()
        content = list(packed.docbin_seeds())[2]["a.spacy"]
        (tmp_path / folder / "a.spacy").write_bytes(content)
    for line in fuzz_readers.DOCBINS.splitlines():
        words = line.replace("{}", "own/a.spacy").format(whole="sound/a.spacy", folder=".").split()
        done = call(*words)
        assert done.exit_code == 0, (line, done.stderr)


def test_equal_numbers_give_equal_changes():
    import packed

    for seeds, change in (
        (packed.docbin_seeds(), packed.changed_docbin),
        (packed.run_seeds(), packed.changed_run),
    ):
        (content, *_) = next(iter(seeds)).values()
        one, two = (change(content, Random("1-5")) for _ in range(2))
        assert one == two != content
