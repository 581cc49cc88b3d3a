"""Threads for functions that release the interpreter lock, and how work is divided for them."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from .arrays import IntArray

S = TypeVar("S")
R = TypeVar("R")


def n_cores() -> int:
    """Number of cores that the process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def in_threads(function: Callable[[S], R], steps: Iterable[S], n_threads: int) -> Iterator[R]:
    """Yield `function(step)` in the order of the steps, of which only a few are begun ahead."""
    if n_threads <= 1:
        yield from map(function, steps)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        begun: deque[Future[R]] = deque()
        try:
            for step in steps:
                begun.append(pool.submit(function, step))
                if len(begun) > n_threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for one in begun:
                one.cancel()


def stretches(count: IntArray, start: int, most: int) -> Iterator[slice]:
    """Yield slices of steps from `start` on: with up to `most` of `count` together, or one."""
    total = np.cumsum(count)
    while start < len(count):
        before = total[start] - count[start]
        stop = max(start + 1, int(np.searchsorted(total, before + most, side="right")))
        yield slice(start, stop)
        start = stop
