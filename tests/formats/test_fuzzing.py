"""A few hostile inputs for each reader; `fuzzing/fuzz_readers.py` tries as many as one likes."""

import sys
from pathlib import Path

import pytest

from helpers.extras import needs

sys.path.insert(0, str(Path(__file__).parent / "fuzzing"))

pytestmark = [pytest.mark.integration, needs("pyarrow", "parquet")]


def test_hostile_files_are_read_or_refused_with_a_message_of_ours():
    import fuzz_readers

    found = {
        name: fuzz_readers.fuzz(name, subject, n_inputs=8, seed=21, keep=None)
        for name, subject in fuzz_readers.subjects().items()
    }
    assert {name: [*finds] for name, (_, finds) in found.items() if finds} == {}
    assert sum(n_read for n_read, _ in found.values()) > len(found)


def test_errors_of_python_and_of_libraries_are_finds():
    import fuzz_readers

    assert fuzz_readers.judged(int, "x")[1].startswith("ValueError")
    assert fuzz_readers.judged(fuzz_readers.read, "missing.conll") == (None, None)
    assert fuzz_readers.judged(len, 1)[1].startswith("TypeError")
