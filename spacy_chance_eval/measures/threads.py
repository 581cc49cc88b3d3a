"""Threads for functions that release the interpreter lock."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

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
    if n_threads == 1:
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
