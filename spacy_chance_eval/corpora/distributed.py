"""One function on many tasks: here, in processes of our own, or on an executor that exists.

Results come in the order of the tasks, so that what is merged from them does not depend on who
worked on what.
"""

from collections import deque
from concurrent.futures import BrokenExecutor, CancelledError, Future
from concurrent.futures import wait as wait_for
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice

from ..about import __version__
from ..measures.threads import n_cores
from .processes import Processes

AHEAD = 3  # tasks in hand for each worker: it finds the next one at once, and memory stays small
PATIENCE = 30  # seconds without a result, before we ask if there are workers at all
EXTRA = "pip install 'spacy-chance-eval[dask]'"
# by name, for their packages are not ours to import
LOST = {
    "distributed.client.ClosedClientError",
    "distributed.client.FutureCancelledError",
    "distributed.comm.core.CommClosedError",
    "distributed.scheduler.KilledWorker",
    "ray.exceptions.ActorDiedError",
    "ray.exceptions.NodeDiedError",
    "ray.exceptions.WorkerCrashedError",
}


class LostWorkers(OSError):
    """There are no workers, or they went away more often than is put up with."""


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
    executor : concurrent.futures.Executor or processes.Processes, optional
        It stays open. Tasks that it works on when something fails are cancelled if it can.
    n_process : int
        Processes to start where no executor is given; 1 works in this process. They end with the
        results: for several calls, give `Processes(n)` as the executor.
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
        results = (function(task) for task in tasks)
    elif executor is None:
        results = of_processes(n_process, function, tasks, window, retries)
    else:
        pool = executor if isinstance(executor, Processes) else Given(executor)
        results = in_order(pool, function, tasks, window, retries)
    return watched(results, progress, total) if progress else results


def watched(results, progress, total):
    with closing(results):
        yield from progress(results, total, "Tasks")


def of_processes(n_process, *call):
    with Processes(n_process) as pool:
        yield from in_order(pool, *call)


def in_order(pool, function, tasks, window, retries):
    """Results from a pool, each when those of all tasks before it are there."""
    tasks, begun, n_results = to_the_error(tasks), deque(), 0
    window = window or AHEAD * pool.n_workers
    try:
        while True:
            for task in islice(tasks, window - len(begun)):
                begun.append(InHand(pool, function, task))
            if not begun:
                break
            pool.wait(begun[0].future)
            error = begun[0].loss()
            if error is not None:
                hand_out_again(pool, begun, retries, n_results, error)
                continue
            result = begun.popleft().result()
            n_results += 1
            yield result
    finally:
        for one in begun:
            one.future.cancel()


class Failure:
    """In the place of a task: the error that came instead of it."""

    def __init__(self, error):
        self.error = error


def failed(error):
    """A future that has ended with an error."""
    future = Future()
    future.set_exception(error)
    return future


def to_the_error(tasks):
    """The tasks; an error of theirs is to be raised after those of the tasks before it."""
    try:
        yield from tasks
    except Exception as error:
        yield Failure(error)


class InHand:
    """A task that was handed out, and how often."""

    def __init__(self, pool, function, task):
        self.function, self.task, self.times = function, task, 0
        if isinstance(task, Failure):
            self.future = failed(task.error)
        else:
            self.hand_out(pool)

    def hand_out(self, pool):
        self.times += 1
        try:
            self.future = pool.submit(versioned, __version__, self.function, self.task)
        except Exception as error:  # found when its turn comes, as one that is lost on the way
            self.future = failed(error)

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
        self.check = getattr(executor, "check", None)
        known = (getattr(executor, name, None) for name in ("n_workers", "_max_workers"))
        self.n_workers = next(filter(None, known), n_cores())

    def wait(self, future):
        """Wait for a future, and look now and then if there is anybody who works on it."""
        while self.check and not wait_for([future], PATIENCE).done:
            self.check()

    def renew(self):
        """Nothing: whether lost workers come back is the executor's affair."""


@contextmanager
def dask_executor(address, *, timeout=30):
    """An executor for `results_of`: the workers of a Dask cluster that exists.

    Parameters
    ----------
    address : str
        Of the scheduler, such as tcp://10.0.0.1:8786.
    timeout : float
        Seconds to wait for the scheduler, and then for a first worker.

    Raises
    ------
    ImportError
        Without the extra `dask`.
    LostWorkers
        If no scheduler answers, or it has no workers.
    ValueError
        If the address is none, or a worker has not this package in this version.
    """
    try:
        from dask import config
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise ImportError(f"a Dask cluster needs Dask: {EXTRA}") from error
    try:
        get_address_host_port(address)
    except ValueError as error:
        message = f"{address!r} is no address such as tcp://10.0.0.1:8786: {error}"
        raise ValueError(message) from error
    try:
        client = Client(address, timeout=timeout, set_as_default=False)
    except OSError as error:  # TimeoutError, too
        message = f"no Dask scheduler answers at {address} within {timeout} seconds: {error}"
        raise LostWorkers(message) from error
    # tasks may be large, but are few at a time
    with client, config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
        wait_for_worker(client, address, timeout)
        check_versions(client, address)
        executor = client.get_executor(pure=False)  # equal tasks count as often as they occur
        executor.check = partial(wait_for_worker, client, address, timeout=timeout)
        executor.n_workers = sum(client.nthreads().values())
        yield executor


def wait_for_worker(client, address, timeout):
    """Wait until there is a worker; raise if there is none after some time."""
    try:
        client.wait_for_workers(1, timeout)
    except OSError as error:  # no worker in time, or no scheduler any more
        message = f"the Dask cluster at {address} has no workers after {timeout} seconds: {error}"
        raise LostWorkers(message) from error


def check_versions(client, address):
    """Raise unless all workers have this package in our version."""
    found = client.run(version_here, on_error="return")
    others = [f"{worker} has {what}" for worker, what in found.items() if what != __version__]
    if others:
        raise ValueError(
            f"{len(others)} of {len(found)} workers of {address} lack spacy-chance-eval "
            f"{__version__}; install it there ({sorted(others)[0]})"
        )


def version_here():
    """The version of this package where the function is called."""
    return __version__
