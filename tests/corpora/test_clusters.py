"""The examples of the page on large corpora: Dask and Ray give what one process gives."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import spacy_chance_eval
from helpers.examples import blocks, page
from spacy_chance_eval import parse
from spacy_chance_eval.corpora import Workers, dask_executor
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks import score_files

pytestmark = pytest.mark.integration

EXAMPLES = blocks(page("docs/scale.md"), "python")
ADDRESS = "tcp://10.0.0.1:8786"
ROWS = {
    "gold": '{"tokens": ["In", "Oslo"], "spans": [{"start": 1, "end": 2, "label": "LOC"}]}\n',
    "predicted": '{"tokens": ["In", "Oslo"], "spans": [{"start": 0, "end": 2, "label": "LOC"}]}\n',
}


@pytest.fixture
def folder(tmp_path):
    """Folders with shards, of which the first is perfect and the others are not."""
    for side, row in ROWS.items():
        (tmp_path / side).mkdir()
        for number in range(4):
            found = ROWS["gold"] if number == 0 else row
            (tmp_path / side / f"{number}.jsonl").write_text(found * 10)
    return tmp_path


def example(name):
    """The example that uses a package."""
    (found,) = [one for one in EXAMPLES if name in one]
    return found


def printed(code, folder):
    """What a program prints in a folder, as a number."""
    paths = [str(Path(spacy_chance_eval.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    settings = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    return float(run.stdout.split()[-1])


def expected(folder):
    """The score of one process."""
    sides = folder / "gold", folder / "predicted"
    result = score_files(*sides, metrics={"span_f": parse("span_f")})
    return headline(result["layers"][0]["scores"]["span_f"])


@pytest.fixture
def cluster(folder):
    """A Dask cluster of two processes, which find the folder by its whole path only."""
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    settings = {"dashboard_address": ":0", "silence_logs": 60, "local_directory": folder / "dask"}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **settings) as cluster:
        yield cluster


def test_the_example_of_dask_gives_the_score_of_one_process(folder, cluster):
    code = example("dask_executor").replace(ADDRESS, cluster.scheduler_address)
    for side in ROWS:
        code = code.replace(f'"{side}"', f'"{folder / side}"')
    assert printed(code, folder) == pytest.approx(expected(folder), abs=1e-12)


def test_scores_stay_the_same_when_a_worker_of_dask_is_killed_in_the_middle(folder, cluster):
    passes = []

    def killing(steps, total=None, what=""):
        passes.append(what)
        for number, step in enumerate(steps):
            if number == 1:
                victim = min(executor._client.run(os.getpid).values())
                psutil.Process(victim).kill()
            yield step

    metrics = {"span_f": parse("span_f")}
    sides = folder / "gold", folder / "predicted"
    with dask_executor(cluster.scheduler_address) as executor:
        workers = Workers(executor=executor, progress=killing)
        result = score_files(*sides, metrics=metrics, workers=workers)
    assert passes == ["Survey", "Counts"]
    assert result == score_files(*sides, metrics=metrics, workers=Workers(skip_bad=True))


def test_the_example_of_ray_gives_the_score_of_one_process(folder):
    pytest.importorskip("ray")
    code = example("import ray").replace('address="auto"', "num_cpus=2, include_dashboard=False")
    assert printed(code, folder) == pytest.approx(expected(folder), abs=1e-12)
