"""Work in threads, whose results come in order: for functions that leave the interpreter free."""

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor


def n_cores():
    """The number of cores that the process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def in_threads(function, steps, n_threads):
    """Results of a function in the order of the steps, of which only a few are begun ahead."""
    if n_threads == 1:
        yield from map(function, steps)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        begun = deque()
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
