"""`Processes`: they serve several calls, and none outlives whoever started it."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import psutil
import pytest

from helpers import worktasks
from helpers.worktasks import MANY
from spacy_chance_eval.corpora import distributed
from spacy_chance_eval.corpora.distributed import results_of
from spacy_chance_eval.corpora.processes import Processes

pytestmark = pytest.mark.integration


def gone(processes):
    """If processes have ended, after some time that a busy machine may need."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if not [number for number in processes if is_alive(number)]:
            return True
        time.sleep(0.05)
    return False


def is_alive(number):
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_processes_can_be_used_for_several_calls():
    with Processes(2) as processes:
        first = set(results_of(worktasks.who, range(10), executor=processes))
        second = set(results_of(worktasks.who, range(10), executor=processes))
    assert first & second and not [number for number in first if is_alive(number)]


def test_processes_for_several_calls_start_anew_when_one_dies(tmp_path):
    tasks = [(number, tmp_path / "note") for number in range(10)]
    with Processes(2) as processes:
        for _ in range(2):
            assert list(results_of(worktasks.die_once, tasks, executor=processes)) == [
                number * number for number in range(10)
            ]


def test_processes_end_when_results_are_left_in_the_middle():
    with closing(results_of(worktasks.forever, range(MANY), n_process=2)) as results:
        worker = next(results)
    assert not is_alive(worker)


def test_processes_end_when_results_under_a_progress_bar_are_left():
    progress = partial(lambda steps, *_: (step for step in steps))
    found = results_of(worktasks.forever, range(MANY), n_process=2, progress=progress)
    with closing(found) as results:
        worker = next(results)
    assert not is_alive(worker)


def test_processes_end_when_a_task_fails():
    tasks = (1 / (5 - number) for number in range(MANY))
    results, seen = results_of(worktasks.who, tasks, n_process=2), set()
    with pytest.raises(ZeroDivisionError):
        for process in results:
            seen.add(process)
    assert seen and not [number for number in seen if is_alive(number)]


PROGRAM = """
from helpers import worktasks
from spacy_chance_eval.corpora.distributed import results_of

if __name__ == "__main__":
    for process in results_of(worktasks.forever, range(40), n_process=2):
        print(process, flush=True)
"""


@pytest.fixture
def program(tmp_path):
    """A program, in a group of its own as in a terminal, and one of its workers, which is busy."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    paths = [str(Path(worktasks.__file__).parents[1]), str(Path(distributed.__file__).parents[2])]
    run = subprocess.Popen(
        [sys.executable, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        start_new_session=True,
    )
    yield run, int(run.stdout.readline())
    run.kill()
    run.communicate()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_signal_to_a_program_leaves_no_worker(program, name):
    run, worker = program
    workers = {worker, *(child.pid for child in psutil.Process(run.pid).children(recursive=True))}
    run.send_signal(getattr(signal, name))
    run.wait(60)
    assert gone(workers)


def test_ctrl_c_reaches_all_processes_and_only_the_first_speaks(program):
    run, worker = program
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert gone([worker])
    assert said.count("KeyboardInterrupt") == 1 and "SpawnProcess" not in said
