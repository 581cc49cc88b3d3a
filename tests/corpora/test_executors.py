"""`results_of`: the same results in the same order, whoever works; errors as they are."""

import os
import pickle
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest

from helpers import worktasks
from helpers.worktasks import MANY
from spacy_chance_eval import FormatError
from spacy_chance_eval.corpora import executors
from spacy_chance_eval.corpora.executors import LostWorkersError, Processes, results_of
from spacy_chance_eval.formats.errors import ContentError

SQUARES = [number * number for number in range(MANY)]


class Shuffled(Executor):
    """Works on the last task of five first."""

    def __init__(self):
        self.waiting, self.called = [], []

    def submit(self, function, *arguments):
        future = Future()
        self.waiting.append((future, function, arguments))
        if len(self.waiting) >= 5:
            self.check()
        return future

    def check(self):
        """Called while nothing comes: work on what is left."""
        while self.waiting:
            future, function, arguments = self.waiting.pop()
            self.called += arguments
            future.set_result(function(*arguments))


@pytest.fixture(scope="module")
def workers():
    """For tests of anything but their start and end."""
    with Processes(2) as processes:
        yield processes


@pytest.fixture(scope="module")
def helped():
    """The same, and this process is one of them."""
    with Processes(2, helped=True) as processes:
        yield processes


@pytest.fixture(params=["here", "workers", "helped"])
def executor(request):
    return None if request.param == "here" else request.getfixturevalue(request.param)


def test_results_come_in_the_order_of_tasks(executor):
    assert list(results_of(worktasks.square, iter(range(MANY)), executor)) == SQUARES


def test_this_process_is_one_of_those_that_it_helps(helped):
    helped.start(worktasks.nothing)
    found = set(results_of(worktasks.who, range(MANY), helped))
    assert os.getpid() in found and len(found) == 2


def taken(executor):
    """How many tasks were taken when the first result was there."""
    numbers = iter(range(1000))
    with closing(results_of(worktasks.square, numbers, executor)) as results:
        next(results)
        return next(numbers)


def test_three_tasks_are_taken_ahead_for_each_worker():
    with ThreadPoolExecutor(4) as executor:
        assert taken(executor) == 12
        executor.n_workers = 2
        assert taken(executor) == 6


# Errors of the work itself


def test_the_first_error_in_the_order_of_tasks_comes_through_as_it_is(executor):
    results = results_of(worktasks.refuse_threes, range(1, MANY), executor)
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
    results = results_of(worktasks.square, broken_tasks(), executor)
    with closing(results):
        assert [next(results) for _ in range(3)] == [1, 4, 9]
        with pytest.raises(FormatError, match="last.gz: broken gzip"):
            next(results)


def test_an_error_of_a_task_comes_before_later_ones_of_the_tasks(executor):
    results = results_of(worktasks.refuse_threes, broken_tasks(), executor)
    with pytest.raises(FormatError, match="no threes"):
        list(results)


def test_an_error_that_cannot_be_pickled_comes_as_its_text(workers):
    with pytest.raises(RuntimeError, match="Stubborn: for task 1"):
        list(results_of(worktasks.refuse_stubbornly, [1], workers))


def test_a_function_that_cannot_be_pickled_is_an_error_at_once(workers):
    with pytest.raises((AttributeError, pickle.PicklingError)):
        list(results_of(lambda task: task, [1], workers))


@pytest.mark.parametrize(
    "error",
    [
        *(
            FormatError("odd", Path("a.conll"), 3),
            FormatError("odd", "a.conll"),
            FormatError("odd"),
        ),
        ContentError("found", "advice"),
        LostWorkersError("two workers"),
    ],
    ids=repr,
)
def test_errors_of_this_package_survive_the_way(error):
    same = pickle.loads(pickle.dumps(error))
    assert (type(same), str(same), vars(same)) == (type(error), str(error), vars(error))


# Workers that go away


@pytest.fixture(params=["ours", "given"])
def mortal(request):
    if request.param == "ours":
        return Processes(2)
    return ProcessPoolExecutor(2, get_context("spawn"))


@pytest.mark.integration
def test_a_process_that_dies_is_an_error_that_says_what_to_do(mortal):
    found = []
    with mortal, pytest.raises(LostWorkersError, match="BrokenProcessPool.*Use fewer"):
        for result in results_of(worktasks.die, range(MANY), mortal):
            found.append(result)
    assert found == list(range(len(found))) and len(found) <= 3


class Forgetful(Executor):
    """Cancels the third task."""

    def submit(self, function, *arguments):
        future = Future()
        if arguments == (3,):
            future.cancel()
        else:
            future.set_result(function(*arguments))
        return future


def test_a_task_that_a_cluster_forgets_is_an_error():
    with pytest.raises(LostWorkersError, match="a worker was lost .CancelledError"):
        list(results_of(worktasks.square, range(1, MANY), Forgetful()))


def test_a_worker_with_another_version_is_an_error_and_works_on_nothing(monkeypatch):
    executor = Shuffled()
    monkeypatch.setattr(executors, "PATIENCE", 0.01)
    monkeypatch.setattr(executors, "_version_here", lambda: "9.9")
    with pytest.raises(ValueError, match="a worker has spacy-chance-eval 9.9, this program"):
        list(results_of(worktasks.square, [3], executor))
    assert executor.called == []
