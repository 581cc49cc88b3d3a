"""Who does the work: this process, others on this machine, or the workers of a cluster.

Results come in the order of the tasks, so that the merged result does not depend on who
worked on what. Why `concurrent.futures` alone is not enough: `Executor.map` takes all tasks at once
(its `buffersize` came with Python 3.14), and so does joblib; and the processes of both outlive a
program that is killed.
"""

import logging
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    InvalidStateError,
    ProcessPoolExecutor,
)
from concurrent.futures import wait as wait_for
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ..about import __version__
from ..measures.messages import quoted
from ..measures.threads import n_cores

if TYPE_CHECKING:
    from distributed import Client

Task = TypeVar("Task")
R = TypeVar("R")
AHEAD = 3  # tasks in hand for each worker: it finds the next one at once, and memory stays small
PATIENCE = 30  # seconds without a result, before we ask if there are workers at all
EXTRA = "pip install 'spacy-chance-eval[dask]'"


class LostWorkersError(OSError):
    """Workers died, or there are none."""


def results_of(
    function: Callable[[Task], R], tasks: Iterable[Task], executor: Executor | None = None
) -> Generator[R, None, None]:
    """Results of a function, in the order of the tasks, of which only a few are taken ahead.

    Errors are raised as they are, the first one in the order of the tasks, an error of `tasks`
    itself after those of the tasks before it. Close the results (`contextlib.closing`) to leave
    them in the middle: tasks that nobody has begun are then cancelled.

    Parameters
    ----------
    function : callable
        It takes one task. For executors other than threads, it, tasks and results are pickled.
    tasks : iterable
        Three for each worker are in hand at a time.
    executor : concurrent.futures.Executor, optional
        `Processes`, a `dask_executor`, or any other; it stays open. An attribute `n_workers` says
        how many tasks it works on at a time (by default one for each core of this machine). By
        default this process does the work.
    """
    if executor is None:
        yield from map(function, tasks)
        return
    pending: deque[tuple[Any, Future[R]]] = deque()
    try:
        if not isinstance(executor, Processes):
            _check_version(executor)
        futures = _submitted(executor, function, tasks)
        known = (getattr(executor, name, None) for name in ("n_workers", "_max_workers"))
        window = AHEAD * next(filter(None, known), n_cores())
        helped = getattr(executor, "helped", False)
        while True:
            pending.extend(islice(futures, window - len(pending)))
            if not pending:
                break
            if helped:
                _help(pending, function)
            result = _result(pending[0][1], executor)
            pending.popleft()
            yield result
    except (BrokenExecutor, CancelledError) as error:
        raise LostWorkersError(
            f"a worker was lost ({type(error).__name__}: {error}); was it killed, or out of "
            "memory? Use fewer processes, or give each worker more memory"
        ) from error
    finally:
        for _, future in pending:
            future.cancel()


def _submitted(
    executor: Executor, function: Callable[[Task], R], tasks: Iterable[Task]
) -> Iterator[tuple[Any, Future[R]]]:
    """Tasks and their futures, handed out one by one; the last future has an error, if any."""
    try:
        for task in tasks:
            yield task, executor.submit(function, task)
    except Exception as error:
        failed: Future[R] = Future()
        failed.set_exception(error)
        yield None, failed


def _help(pending: deque[tuple[Any, Future[R]]], function: Callable[[Any], R]) -> None:
    """Do the first task that no worker has taken, unless the first result of all is there."""
    if pending[0][1].done():
        return
    for number, (task, future) in enumerate(pending):
        if future.cancel():
            mine: Future[R] = Future()
            try:
                mine.set_result(function(task))
            except Exception as error:
                mine.set_exception(error)
            pending[number] = task, mine
            return


def _result(future: Future[R], executor: Executor) -> R:
    """The result of a future; asks the executor now and then if anybody works on it."""
    check = getattr(executor, "check", None)
    while check and not wait_for([future], PATIENCE).done:
        check()
    return future.result()


def _check_version(executor: Executor) -> None:
    """Raise if the first free worker has another version of this package."""
    version = _result(executor.submit(_version_here), executor)
    if version != __version__:
        raise ValueError(
            f"a worker has spacy-chance-eval {version}, this program {__version__}; "
            "install the same version everywhere"
        )


def _version_here() -> str:
    return __version__


class Processes(ProcessPoolExecutor):
    """An executor of `n_process` processes, to be used in a `with`; they also end when we die.

    With `helped` this process is one of them: it works, too, while it waits for results. The others
    start when there is work. They are spawned: forked ones would start sooner (by about
    half a second), but would have copies of locks that threads of this process hold (numba's,
    OpenBLAS's, a progress bar's) and of its handlers of signals.
    """

    def __init__(self, n_process: int, helped: bool = False) -> None:
        context = get_context("spawn")
        self._reader, self._lifeline = context.Pipe(duplex=False)
        super().__init__(n_process - helped, context, _end_with, (self._reader,))
        self.n_workers, self.helped = n_process, helped

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _interrupts_blocked():  # the processes that it starts inherit this
            future = super().submit(_with_picklable_errors, function, *args, **kwargs)
        # When a process dies, the thread of the pool lets all futures fail, also those that `_help`
        # has cancelled. An error there would end it before it closes the queue of tasks, for which
        # Python then waits at its end.
        future.set_exception = partial(_fail, future)  # type: ignore[method-assign]
        return future

    def start(self, function: Callable[[], object]) -> None:
        """Start all processes with a task each, before there is work: they load its module."""
        for _ in range(self.n_workers - self.helped):
            with suppress(BrokenExecutor):  # which the first results say
                self.submit(function)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # After an error nobody waits for tasks that have begun: closing the lifeline ends them. The
        # pool drops cancelled tasks before, as it could not tell them that their process has died.
        workers = [*(self._processes or {}).values()]
        queue = getattr(self, "_call_queue", None)
        if sys.version_info < (3, 11, 5) and queue is not None and error is not None:
            queue._reader.close()  # later ones do so: nobody waits until tasks are read
        self.shutdown(wait=error is None, cancel_futures=True)
        self._lifeline.close()
        self._reader.close()
        for worker in workers:
            worker.join()


def _fail(future: Future[Any], error: BaseException | None) -> None:
    """Let a future fail, unless it is cancelled."""
    with suppress(InvalidStateError):
        Future.set_exception(future, error)


def _end_with(lifeline: Connection) -> None:
    """Let a new process end when the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where signals cannot be blocked
    Thread(target=_wait_for_end, args=(lifeline,), daemon=True).start()


def _wait_for_end(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()  # nothing is ever sent
    finally:
        os._exit(1)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """A block in which Ctrl-C waits, where the system can.

    At a terminal it reaches all processes, but only the first should print anything.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _with_picklable_errors(function: Callable[..., R], *args: Any, **kwargs: Any) -> R:
    """The result of a call; of an error that cannot be pickled, its text."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # its worker would seem to be lost
            raise RuntimeError(f"{type(error).__name__}: {error}") from error
        raise


@contextmanager
def dask_executor(address: str, *, timeout: float = 30) -> Iterator[Executor]:
    """An executor for `results_of`: the workers of a Dask cluster that exists.

    Dask itself gives a task whose worker died to others, as often as the cluster's setting
    `distributed.scheduler.allowed-failures` says.

    Parameters
    ----------
    address : str
        Of the scheduler, such as tcp://10.0.0.1:8786.
    timeout : float
        Seconds to wait for the scheduler, and for a first worker.

    Raises
    ------
    ImportError
        Without the extra `dask`.
    LostWorkersError
        If no scheduler answers, or none any more, it has no workers, or a task's workers died too
        often.
    ValueError
        If the address is invalid, or a worker lacks this version of this package.
    """
    try:
        from dask import config
        from distributed import Client, KilledWorker
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise ImportError(f"a Dask cluster needs Dask: {EXTRA}") from error
    try:
        get_address_host_port(address)
    except ValueError as error:
        message = f"{quoted(address)} is not an address such as tcp://10.0.0.1:8786: {error}"
        raise ValueError(message) from error
    try:
        client = Client(address, timeout=timeout, set_as_default=False)
    except OSError as error:  # TimeoutError, too
        message = f"no Dask scheduler answers at {address} within {timeout} seconds: {error}"
        raise LostWorkersError(message) from error
    # tasks may be large, but are few at a time
    settings = config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})
    with client, settings, _without_log():
        _wait_for_worker(client, address, timeout)
        _check_versions(client, address)
        executor = client.get_executor(pure=False)  # equal tasks count once for each occurrence
        executor.check = partial(_wait_for_worker, client, address, timeout=timeout)
        executor.n_workers = sum(client.nthreads().values())
        try:
            yield executor
        except KilledWorker as error:
            raise LostWorkersError(f"the Dask cluster at {address} gave up: {error}") from error
        except Exception as error:  # without a scheduler, Dask raises AttributeError and others
            if client.status == "running" and client.scheduler is not None:
                raise
            message = f"the Dask scheduler at {address} no longer answers; was it stopped?"
            raise LostWorkersError(message) from error


@contextmanager
def _without_log() -> Iterator[None]:
    """A block in which Dask does not log errors of its client: they are raised."""

    def is_of_others(record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        of_dask = type(error).__module__.partition(".")[0] == "distributed"
        return not (record.name == "distributed.client" or of_dask)

    loggers = [logging.getLogger(name) for name in ("distributed.client", "tornado.application")]
    for logger in loggers:
        logger.addFilter(is_of_others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_of_others)


def _wait_for_worker(client: "Client", address: str, timeout: float) -> None:
    """Wait for a worker; raise if there is none after some time."""
    try:
        client.wait_for_workers(1, timeout)
    except OSError as error:  # no worker in time, or no scheduler any more
        message = f"the Dask cluster at {address} has no workers after {timeout} seconds: {error}"
        raise LostWorkersError(message) from error


def _check_versions(client: "Client", address: str) -> None:
    """Raise unless all workers have this package in our version."""
    found = client.run(_version_here, on_error="return")
    others = [f"{worker} has {what}" for worker, what in found.items() if what != __version__]
    if others:
        raise ValueError(
            f"{len(others)} of {len(found)} workers of {address} lack spacy-chance-eval "
            f"{__version__}; install it there ({sorted(others)[0]})"
        )
