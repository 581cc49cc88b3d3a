"""`results_of` on a Dask cluster of real processes, some of which are killed."""

import os
import sys
from contextlib import closing

import psutil
import pytest

from helpers import worktasks
from helpers.extras import needs
from helpers.worktasks import MANY
from spacy_chance_eval.corpora import executors
from spacy_chance_eval.corpora.executors import LostWorkersError, dask_executor, results_of

pytestmark = [pytest.mark.integration, needs("distributed", "dask")]

SQUARES = [number * number for number in range(MANY)]
# a task may lose one worker
SETTINGS = {"distributed.scheduler.allowed-failures": 1, "distributed.admin.log-format": ""}


def cluster_of(n_workers):
    import dask
    from distributed import LocalCluster

    with dask.config.set(SETTINGS):
        return LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=60
        )


@pytest.fixture(scope="module")
def cluster():
    with cluster_of(2) as cluster:
        yield cluster


@pytest.fixture
def executor(cluster):
    """On two workers, for killed ones come back."""
    cluster.wait_for_workers(2)
    with dask_executor(cluster.scheduler_address) as executor:
        executor.client = executor._client
        yield executor


def test_results_come_in_the_order_of_tasks(executor):
    assert list(results_of(worktasks.square, iter(range(MANY)), executor)) == SQUARES
    assert executor.n_workers == 2


def test_the_cluster_is_there_for_the_next(cluster):
    for _ in range(2):
        with dask_executor(cluster.scheduler_address) as executor:
            assert list(results_of(worktasks.square, [3], executor)) == [9]


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(executor):
    victim = sorted(executor.client.run(os.getpid).values())[0]
    found = []
    for result in results_of(worktasks.slow_square, range(MANY), executor):
        found.append(result)
        if len(found) == MANY // 4:
            psutil.Process(victim).kill()
    assert found == SQUARES
    assert victim not in executor.client.run(os.getpid).values()


def test_a_task_that_kills_its_worker_once_is_done_by_another(executor, tmp_path):
    tasks = [(number, tmp_path / "note") for number in range(MANY)]
    assert list(results_of(worktasks.die_once, tasks, executor)) == SQUARES
    assert (tmp_path / "note").exists()


def test_a_task_that_always_kills_its_worker_is_given_up(cluster):
    with pytest.raises(LostWorkersError, match="gave up: .*on 2 different workers"):
        with dask_executor(cluster.scheduler_address) as executor:
            list(results_of(worktasks.die, range(5), executor))


def test_a_worker_with_another_version_is_named_before_any_work(cluster, executor):
    worker = sorted(executor.client.run(os.getpid))[0]
    executor.client.run(worktasks.pretend, "0.0.1", workers=[worker])
    message = f"1 of 2 workers of .* lack spacy-chance-eval .* \\({worker} has 0.0.1\\)"
    try:
        with pytest.raises(ValueError, match=message), dask_executor(cluster.scheduler_address):
            pass
    finally:
        executor.client.run(worktasks.pretend, executors.__version__, workers=[worker])


def test_a_cluster_without_workers_is_an_error():
    with cluster_of(0) as empty:
        address = empty.scheduler_address
        with pytest.raises(LostWorkersError, match=f"{address} has no workers after 0.2 seconds"):
            with dask_executor(address, timeout=0.2):
                pass


def test_a_cluster_whose_workers_all_left_is_an_error(monkeypatch):
    monkeypatch.setattr(executors, "PATIENCE", 0.1)
    with cluster_of(1) as small, dask_executor(small.scheduler_address) as executor:
        executor.check.keywords["timeout"] = 0.5
        with closing(results_of(worktasks.forever, range(3), executor)) as results:
            next(results)
            small.scale(0)
            with pytest.raises(LostWorkersError, match="has no workers after 0.5 seconds"):
                next(results)


def test_a_scheduler_that_ends_in_the_middle_is_an_error_without_a_log(capfd):
    with cluster_of(1) as cluster:
        with pytest.raises(LostWorkersError, match="was it stopped|no Dask scheduler answers"):
            with dask_executor(cluster.scheduler_address, timeout=3) as executor:
                results = results_of(worktasks.square, iter(range(10_000)), executor)
                assert next(results) == 0
                cluster.close()
                list(results)
    assert "Traceback" not in capfd.readouterr().err


def test_no_scheduler_is_an_error():
    message = "no Dask scheduler answers at tcp://127.0.0.1:1 within"
    with pytest.raises(LostWorkersError, match=message):
        with dask_executor("tcp://127.0.0.1:1", timeout=0.2):
            pass


def test_without_the_extra_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'spacy-chance-eval\[dask\]'"):
        with dask_executor("tcp://127.0.0.1:8786"):
            pass
