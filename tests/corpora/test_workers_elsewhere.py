"""Files on workers that are not where the program is, and files that are no usual ones."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from spacy_chance_eval import sample
from spacy_chance_eval.corpora.passes import Workers
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.scoring.evaluation import default_requests
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks.score import score_files

METRICS = default_requests(["span_f"])


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Folders g and p of two files each, seen from their parent."""
    rows = open(sample.path("test.jsonl"), encoding="utf-8").read().splitlines(keepends=True)
    for side in "gp":
        (tmp_path / side).mkdir()
        for number in (0, 1):
            (tmp_path / side / f"s{number}.jsonl").write_text("".join(rows[number::2]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Elsewhere(ThreadPoolExecutor):
    """Workers whose current folder is another one, while they work."""

    def __init__(self, folder):
        super().__init__(1)
        self.folder = folder

    def submit(self, function, *arguments):
        def there():
            here = os.getcwd()
            os.chdir(self.folder)
            try:
                return function(*arguments)
            finally:
                os.chdir(here)

        return super().submit(there)


def test_relative_paths_mean_the_same_on_workers_in_another_folder(folders):
    (folders / "other" / "p").mkdir(parents=True)
    for number in (0, 1):
        (folders / "other" / "p" / f"s{number}.jsonl").write_text('{"tokens": ["x"], "spans": []}')
    with Elsewhere(folders / "other") as executor:
        found = score_files("g", "p", metrics=METRICS, workers=Workers(executor=executor))
    assert headline(found["layers"][0]["scores"]["span_f"]) == 1


def test_the_first_pair_of_files_may_be_the_bad_one(folders):
    lines = (folders / "p/s0.jsonl").read_text().splitlines(keepends=True)
    (folders / "p/s0.jsonl").write_text("".join(lines[:-1]))
    found = score_files("g", "p", metrics=METRICS, workers=Workers(skip_bad=True))
    assert [one["files"] for one in found["left_out"]] == [["g/s0.jsonl", "p/s0.jsonl"]]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes on this system")
def test_pipes_are_read_once_also_with_several_processes(folders):
    paths = [folders / name for name in ("gold.fifo", "pred.fifo")]
    text = (folders / "g/s0.jsonl").read_text()
    for path in paths:
        os.mkfifo(path)
        threading.Thread(target=path.write_text, args=(text,), daemon=True).start()
    both = Reading(format="jsonl")
    found = score_files(*paths, metrics=METRICS, reading=both, workers=Workers(n_process=2))
    assert headline(found["layers"][0]["scores"]["span_f"]) == 1
