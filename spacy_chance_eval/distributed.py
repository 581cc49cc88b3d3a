"""One function on many tasks: here, in processes of our own, or on an executor that exists.

Results come in the order of the tasks, so that what is merged from them does not depend on who
worked on what.
"""

import os
import signal
from collections import deque
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from threading import Thread

from .about import __version__
from .measures.threads import n_cores

AHEAD = 3  # tasks in hand for each worker: it finds the next one at once, and memory stays small
# by name, for their packages are not ours to import
LOST = {
    "distributed.client.FutureCancelledError",
    "distributed.comm.core.CommClosedError",
    "distributed.scheduler.KilledWorker",
    "ray.exceptions.ActorDiedError",
    "ray.exceptions.NodeDiedError",
    "ray.exceptions.WorkerCrashedError",
}


class LostWorkers(OSError):
    """Workers went away with tasks in hand, more often than is put up with."""


def results_of(
    function, tasks, *, executor=None, n_process=1, retries=2, window=None, progress=None
):
    """Results of a function, in the order of the tasks, of which only a few are taken ahead.

    The first error in the order of the tasks is raised as it is, whoever came upon it. Leave the
    results in the middle only with `contextlib.closing` around them: that ends our processes.

    Parameters
    ----------
    function : callable
        Of one task. For processes and executors, it, tasks and results are pickled.
    tasks : iterable
    executor : concurrent.futures.Executor, optional
        It stays open.
    n_process : int
        Processes to start where no executor is given; 1 works in this process.
    retries : int
        How often a task is handed out again after its worker was lost.
    window : int, optional
        Tasks that are in hand at a time; by default three for each worker.
    progress : callable, optional
        progress(steps, total, what) wraps the results; total is None unless tasks have a length.

    Raises
    ------
    LostWorkers
        If workers are lost with one and the same task in hand more than `retries` times.
    ValueError
        If a worker has another version of this package.
    """
    if n_process < 1:
        raise ValueError(f"{n_process} processes; expected 1 or more")
    total = len(tasks) if hasattr(tasks, "__len__") else None
    if executor is None and n_process == 1:
        results = map(function, tasks)
    else:
        pool = Processes(n_process) if executor is None else Given(executor)
        window = window or AHEAD * pool.n_workers
        results = in_order(pool, function, tasks, window, retries)
    return progress(results, total, "Tasks") if progress else results


def in_order(pool, function, tasks, window, retries):
    """Results from a pool, which is closed in the end."""
    tasks, begun, n_results = iter(tasks), deque(), 0
    at_once = True
    try:
        while True:
            for task in islice(tasks, window - len(begun)):
                begun.append(InHand(pool, function, task))
            if not begun:
                break
            error = begun[0].loss()
            if error is not None:
                hand_out_again(pool, begun, retries, n_results, error)
                continue
            result = begun.popleft().result()
            n_results += 1
            yield result
        at_once = False
    finally:
        for one in begun:
            one.future.cancel()
        pool.close(at_once)


class InHand:
    """A task that was handed out, and how often."""

    def __init__(self, pool, function, task):
        self.function, self.task, self.times = function, task, 0
        self.hand_out(pool)

    def hand_out(self, pool):
        self.times += 1
        try:
            self.future = pool.submit(versioned, __version__, self.function, self.task)
        except BrokenExecutor as error:  # found when its turn comes, as one lost on the way
            self.future = Future()
            self.future.set_exception(error)

    def loss(self):
        """The error that tells that the worker was lost, or None; waits for either."""
        try:
            error = self.future.exception()
        except CancelledError as cancelled:  # by others than us: the cluster forgot it
            return cancelled
        return error if is_lost(error) else None

    def result(self):
        version, result = self.future.result()
        if version != __version__:
            raise ValueError(
                f"a worker has spacy-chance-eval {version}, this program {__version__}; "
                "install the same version on both sides"
            )
        return result


def versioned(version, function, task):
    """Our version and the result, where a worker is; another version works on nothing."""
    return __version__, function(task) if version == __version__ else None


def is_lost(error):
    """If an error tells of a worker that went away, and not of its task."""
    kinds = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__}
    return isinstance(error, (BrokenExecutor, CancelledError)) or not LOST.isdisjoint(kinds)


def hand_out_again(pool, begun, retries, n_results, error):
    """Hand out what was lost, to new workers where they are ours; nothing that has a result."""
    pool.renew()
    lost = [one for one in begun if one.future.done() and one.loss() is not None]
    n_lost = sum(one.times > retries for one in lost)
    if n_lost:
        raise LostWorkers(
            f"workers were lost {retries + 1} times with the same {n_lost} "
            f"task{'s' * (n_lost > 1)} in hand, after {n_results} results "
            f"({type(error).__name__}: {error}); were they out of memory, or killed?"
        ) from error
    for one in lost:
        one.hand_out(pool)


class Given:
    """An executor that belongs to the caller."""

    def __init__(self, executor):
        self.submit = executor.submit
        known = (getattr(executor, name, None) for name in ("n_workers", "_max_workers"))
        self.n_workers = next(filter(None, known), n_cores())

    def renew(self):
        """Nothing: whether lost workers come back is the executor's affair."""

    def close(self, at_once):
        """Nothing: the caller goes on with it."""


class Processes:
    """Processes of our own, which end with us: when closed, and when this process dies.

    They are spawned. Forked ones would be there sooner (by about half a second, once), but would
    have copies of locks that threads of this process hold (numba's, OpenBLAS's, a progress bar's)
    and of its handlers of signals.
    """

    def __init__(self, n_process):
        self.n_workers = n_process
        self.start()

    def start(self):
        context = get_context("spawn")
        self.reader, self.lifeline = context.Pipe(duplex=False)
        self.pool = ProcessPoolExecutor(self.n_workers, context, end_with, (self.reader,))

    def submit(self, *call):
        return self.pool.submit(*call)

    def renew(self):
        self.close(at_once=True)
        self.start()

    def close(self, at_once):
        if at_once:  # before, for shutting down waits for the tasks that are worked on
            self.lifeline.close()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.lifeline.close()
        self.reader.close()


def end_with(lifeline):
    """Let a new process end when the other end of the pipe is closed."""
    # Ctrl-C reaches all processes of a terminal; the one that started the others ends them
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=wait_for_end, args=(lifeline,), daemon=True).start()


def wait_for_end(lifeline):
    try:
        lifeline.recv_bytes()  # nothing is ever sent
    finally:
        os._exit(1)
