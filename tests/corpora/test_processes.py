"""`Processes`: they serve several calls, and none outlives whoever started it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from helpers import worktasks
from helpers.signals import before_start, heeding_signals, ignoring_interrupts
from helpers.worktasks import MANY
from spacy_chance_eval.corpora import executors
from spacy_chance_eval.corpora.executors import Processes, results_of

LONG = 60  # seconds that a busy machine may need; an end is noticed when it comes

pytestmark = pytest.mark.integration


def gone(processes):
    """Whether processes have ended, or do so soon."""
    return not psutil.wait_procs(processes, timeout=LONG)[1]


def is_alive(number):
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_processes_can_be_used_for_several_calls():
    with Processes(2) as processes:
        first = set(results_of(worktasks.who, range(10), processes))
        second = set(results_of(worktasks.who, range(10), processes))
    assert first & second and not [number for number in first if is_alive(number)]


def test_processes_end_when_the_tasks_have_an_error():
    tasks = (1 / (5 - number) for number in range(MANY))
    seen = set()
    with pytest.raises(ZeroDivisionError), Processes(2) as processes:
        for process in results_of(worktasks.who, tasks, processes):
            seen.add(process)
    assert seen and not [number for number in seen if is_alive(number)]


PROGRAM = """
from helpers import worktasks
from spacy_chance_eval.corpora.executors import Processes, results_of

if __name__ == "__main__":
    with Processes(2) as processes:
        for process in results_of(worktasks.forever, range(40), processes):
            print(process, flush=True)
"""


# loses a worker that is at work on large tasks, of which this process takes some itself
LOSING = """
import os, signal, sys, threading, time
import psutil
from helpers import worktasks
from spacy_chance_eval.corpora.executors import Processes, results_of

def lose():
    time.sleep(1.5)
    for process in psutil.Process().children():
        if "spawn_main" in " ".join(process.cmdline()):
            process.kill()

if __name__ == "__main__":
    threading.Thread(target=lose, daemon=True).start()
    with Processes(2, helped=True) as processes:
        n = sum(results_of(worktasks.slow_length, [bytes(3_000_000)] * 60, processes))
    print(n)
"""


# a command, as a script starts it in the background
BACKGROUND = """
from helpers import worktasks
from spacy_chance_eval.cli.running import run
from spacy_chance_eval.corpora.executors import Processes, results_of

def command():
    with Processes(2) as processes:
        for process in results_of(worktasks.forever, range(40), processes):
            print(process, flush=True)

if __name__ == "__main__":
    run(command)
"""


def environment():
    paths = [str(Path(worktasks.__file__).parents[1]), str(Path(executors.__file__).parents[2])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_program_that_has_lost_a_worker_ends(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(LOSING, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, env=environment(), timeout=LONG
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "LostWorkersError: a worker was lost" in ended.stderr


@pytest.fixture
def program(tmp_path, request):
    """A program, in a group of its own as in a terminal, and its workers, of which one is busy."""
    code, begin = getattr(request, "param", (PROGRAM, heeding_signals))
    file = tmp_path / "program.py"
    file.write_text(code, encoding="utf-8")
    run = subprocess.Popen(
        [sys.executable, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
        **before_start(begin),
    )
    worker = int(run.stdout.readline())  # it has worked on the first task, and goes on
    workers = psutil.Process(run.pid).children(recursive=True)
    assert worker in [process.pid for process in workers]
    yield run, workers
    run.kill()
    run.communicate()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_signal_to_a_program_leaves_no_worker(program, name):
    run, workers = program
    run.send_signal(getattr(signal, name))
    run.wait(LONG)
    assert gone(workers)


@pytest.mark.skipif(os.name == "nt", reason="groups of processes of POSIX")
def test_ctrl_c_reaches_all_processes_and_only_the_first_speaks(program):
    run, workers = program
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=LONG)
    assert gone(workers)
    assert said.count("KeyboardInterrupt") == 1 and "SpawnProcess" not in said


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("program", "name"),
    [((BACKGROUND, ignoring_interrupts), "SIGTERM"), ((BACKGROUND, heeding_signals), "SIGINT")],
    indirect=["program"],
    ids=["background", "terminal"],
)
def test_a_command_ends_by_ctrl_c_but_in_the_background_of_a_script_by_sigterm(program, name):
    run, workers = program
    os.killpg(run.pid, signal.SIGINT)
    if name == "SIGTERM":
        run.terminate()
    _, said = run.communicate(timeout=LONG)
    assert gone(workers)
    assert (run.returncode, said) == (128 + signal.Signals[name], f"\u2718 stopped by {name}\n")
