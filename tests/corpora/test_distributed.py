"""`results_of`: the same results in the same order, whoever works, and whoever dies at it."""

import os
import pickle
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest

from helpers import worktasks
from helpers.worktasks import MANY
from spacy_chance_eval import FormatError
from spacy_chance_eval.corpora import distributed
from spacy_chance_eval.corpora.distributed import LostWorkers, results_of
from spacy_chance_eval.corpora.processes import Processes
from spacy_chance_eval.formats.errors import Mistake
from spacy_chance_eval.formats.safe_xml import Refused
from spacy_chance_eval.tasks.assets import AssetError

pytestmark = pytest.mark.integration

SQUARES = [number * number for number in range(MANY)]


class Shuffled(Executor):
    """Works on the last task of a few first; `losses` tells which calls it loses, how often."""

    def __init__(self, few=5, losses=None, error=BrokenExecutor):
        self.few, self.losses, self.error = few, losses or {}, error
        self.waiting, self.called = [], []

    def submit(self, function, *arguments):
        future = Future()
        self.waiting.append((future, function, arguments))
        if len(self.waiting) >= self.few:
            self.work()
        return future

    def work(self):
        while self.waiting:
            future, function, arguments = self.waiting.pop()
            task = arguments[-1]
            self.called.append(task)
            if self.losses.get(task):
                self.losses[task] -= 1
                future.set_exception(self.error(f"lost {task}"))
            else:
                future.set_result(function(*arguments))

    def check(self):
        """Called while nothing comes: work on what is left."""
        self.work()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(distributed, "PATIENCE", 0.01)


@pytest.fixture(scope="module")
def workers():
    """For tests of anything but their start and end."""
    with Processes(2) as processes:
        yield processes


@pytest.fixture(params=["here", "processes"])
def executor(request):
    return None if request.param == "here" else request.getfixturevalue("workers")


def test_results_come_in_the_order_of_tasks_without_processes():
    assert list(results_of(worktasks.square, range(MANY))) == SQUARES


def test_results_come_in_the_order_of_tasks_from_processes():
    assert list(results_of(worktasks.square, iter(range(MANY)), n_process=2)) == SQUARES


def test_processes_are_others_than_this_one(workers):
    assert os.getpid() not in set(results_of(worktasks.who, range(4), executor=workers))


def test_an_executor_that_is_given_stays_open():
    with ThreadPoolExecutor(3) as executor:
        for _ in range(2):
            assert list(results_of(worktasks.square, range(MANY), executor=executor)) == SQUARES


def test_results_come_in_the_order_of_tasks_from_an_executor_that_has_another(impatient):
    executor = Shuffled()
    assert list(results_of(worktasks.square, range(MANY), executor=executor)) == SQUARES
    assert executor.called != sorted(executor.called) and len(executor.called) == MANY


def test_equal_tasks_count_as_often_as_they_occur(workers):
    assert list(results_of(worktasks.square, [2, 2, 2], executor=workers)) == [4, 4, 4]


@pytest.mark.parametrize("options", [{}, {"n_process": 2}])
def test_no_tasks_have_no_results(options):
    assert list(results_of(worktasks.square, [], **options)) == []


def taken(options):
    """How many tasks were taken when the first result was there."""
    numbers = iter(range(1000))
    with closing(results_of(worktasks.square, numbers, **options)) as results:
        next(results)
        return next(numbers)


def test_without_processes_one_task_is_taken_at_a_time():
    assert taken({}) == 1


def test_three_tasks_are_taken_ahead_for_each_worker():
    with ThreadPoolExecutor(4) as executor:
        assert taken({"executor": executor}) == 12
        assert taken({"executor": executor, "window": 5}) == 5


def test_progress_is_told_how_many_tasks_there_are():
    told = []

    def progress(steps, total, what):
        told.append((total, what))
        yield from steps

    of_list = results_of(worktasks.square, [1, 2], progress=progress)
    of_stream = results_of(worktasks.square, iter([1, 2]), progress=progress)
    assert [*of_list, *of_stream] == [1, 4, 1, 4]
    assert told == [(2, "Tasks"), (None, "Tasks")]


def test_at_least_one_process_is_needed():
    with pytest.raises(ValueError, match="0 processes; expected 1 or more"):
        results_of(worktasks.square, [1], n_process=0)


# Errors of the work itself


def test_the_first_error_in_the_order_of_tasks_comes_through_as_it_is(executor):
    results = results_of(worktasks.refuse_threes, range(1, MANY), executor=executor)
    with closing(results):
        assert [next(results), next(results)] == [1, 2]
        with pytest.raises(FormatError) as caught:
            next(results)
    assert (caught.value.path, caught.value.line) == ("file3.conll", 3)
    assert str(caught.value) == "file3.conll:3: no threes; write fours"


def broken_tasks():
    yield from (1, 2, 3)
    raise FormatError("broken gzip", "last.gz")


def test_an_error_of_the_tasks_comes_after_the_results_before_it(executor):
    results = results_of(worktasks.square, broken_tasks(), executor=executor)
    with closing(results):
        assert [next(results) for _ in range(3)] == [1, 4, 9]
        with pytest.raises(FormatError, match="last.gz: broken gzip"):
            next(results)


def test_an_error_of_a_task_comes_before_later_ones_of_the_tasks(executor):
    results = results_of(worktasks.refuse_threes, broken_tasks(), executor=executor)
    with pytest.raises(FormatError, match="no threes"):
        list(results)


def test_an_error_that_cannot_be_pickled_comes_as_its_text(workers):
    with pytest.raises(RuntimeError, match="Stubborn: for task 1"):
        list(results_of(worktasks.refuse_stubbornly, [1], executor=workers))


def test_an_error_in_a_thread_keeps_its_cause():
    with ThreadPoolExecutor(2) as executor, pytest.raises(ValueError) as caught:
        list(results_of(worktasks.refuse_kindly, [1], executor=executor))
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_function_that_cannot_be_pickled_is_an_error_at_once(workers):
    with pytest.raises((AttributeError, pickle.PicklingError)):
        list(results_of(lambda task: task, [1], executor=workers))


@pytest.mark.parametrize(
    "error",
    [
        *(
            FormatError("odd", Path("a.conll"), 3),
            FormatError("odd", "a.conll"),
            FormatError("odd"),
        ),
        *(Mistake("found", "advice"), Refused("too deep"), AssetError("no file")),
        LostWorkers("two workers"),
    ],
    ids=repr,
)
def test_errors_of_this_package_survive_the_way(error):
    same = pickle.loads(pickle.dumps(error))
    assert (type(same), str(same), vars(same)) == (type(error), str(error), vars(error))


# Workers that go away


def test_a_process_that_dies_is_replaced_and_no_result_is_lost_or_counted_twice(tmp_path):
    tasks = [(number, tmp_path / "note") for number in range(MANY)]
    assert list(results_of(worktasks.die_once, tasks, n_process=2)) == SQUARES
    assert (tmp_path / "note").exists()


def test_many_may_die_if_not_always_with_the_same_task(tmp_path):
    tasks = [(number, tmp_path / "note") for number in range(20)]
    results = results_of(worktasks.die_seldom, tasks, n_process=2, retries=1, window=2)
    assert list(results) == SQUARES[:20]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_task_that_always_kills_its_worker_is_given_up():
    results = results_of(worktasks.die, range(MANY), n_process=2, retries=1, window=1)
    with closing(results):
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(LostWorkers, match="lost 2 times with the same 1 task .* 3 results"):
            next(results)


def test_a_broken_executor_that_was_given_is_an_error():
    with (
        ProcessPoolExecutor(2, get_context("spawn")) as executor,
        pytest.raises(LostWorkers, match="lost 3 times"),
    ):
        list(results_of(worktasks.die, range(MANY), executor=executor))


def test_only_what_was_lost_is_worked_on_again(impatient):
    executor = Shuffled(losses={3: 2, 4: 1, 39: 1})
    assert list(results_of(worktasks.square, range(MANY), executor=executor)) == SQUARES
    again = sorted(executor.called)
    assert [task for task in again if again.count(task) > 1] == [3, 3, 3, 4, 4, 39, 39]


def test_what_is_lost_too_often_is_an_error_that_says_what_happened_last(impatient):
    executor = Shuffled(losses={3: 2})
    with pytest.raises(LostWorkers, match=r"after 3 results \(BrokenExecutor: lost 3\)"):
        list(results_of(worktasks.square, range(MANY), executor=executor, retries=1))


@pytest.mark.parametrize("name", sorted(distributed.LOST))
def test_errors_of_clusters_are_known_by_name(impatient, name):
    module, _, kind = name.rpartition(".")
    error = type(kind, (Exception,), {"__module__": module})
    executor = Shuffled(losses={3: 1}, error=error)
    assert list(results_of(worktasks.square, range(MANY), executor=executor)) == SQUARES


def test_a_worker_with_another_version_is_an_error_and_works_on_nothing(monkeypatch, workers):
    monkeypatch.setattr(distributed, "__version__", "9.9")
    with pytest.raises(ValueError, match="a worker has spacy-chance-eval .*, this program 9.9"):
        list(results_of(worktasks.die, [3], executor=workers))
