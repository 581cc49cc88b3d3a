"""Work for the workers of `test_executors.py` and `test_dask.py`, who import it from here."""

import os
import time

import psutil

from spacy_chance_eval import FormatError
from spacy_chance_eval.corpora import executors

MANY = 40


class Stubborn(Exception):
    """An error that cannot be made again from what it says."""

    def __init__(self, *, reason):
        super().__init__(f"for {reason}")


def pretend(version):
    """Let a worker have a version."""
    executors.__version__ = version


def nothing():
    """Work that is none."""


def square(number):
    return number * number


def slow_square(number):
    time.sleep(0.02)
    return number * number


def slow_length(data):
    time.sleep(0.2)
    return len(data)


def who(number):
    """The process that works on a task."""
    time.sleep(0.01)
    return os.getpid()


def forever(number):
    """The process that works on a task; all tasks but the first take very long."""
    if number:
        time.sleep(600)
    return os.getpid()


def refuse_threes(number):
    """Later tasks fail sooner."""
    if number % 3 == 0:
        time.sleep(0.2 / (number + 1))
        raise FormatError("no threes; write fours", f"file{number}.conll", number)
    return number


def refuse_stubbornly(number):
    raise Stubborn(reason=f"task {number}")


def die(number):
    """A worker that does not come back, as if the system had killed it."""
    if number == 3:
        psutil.Process().kill()
    return number


def die_once(task):
    """As `die`, with a note in a file, so that it is not done again."""
    number, note = task
    if number == 7 and not note.exists():
        note.write_text("killed")
        psutil.Process().kill()
    return number * number
