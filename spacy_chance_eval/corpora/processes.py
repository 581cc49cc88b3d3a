"""Processes that work for this one, and end with it."""

import os
import pickle
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from threading import Thread


class Processes:
    """Processes of our own, to be used in a `with`; they also end when this process dies.

    They start when there is work. They are spawned: forked ones would be there sooner (by about
    half a second), but would have copies of locks that threads of this process hold (numba's,
    OpenBLAS's, a progress bar's) and of its handlers of signals.
    """

    def __init__(self, n_process):
        self.n_workers = n_process
        self.start()

    def start(self):
        context = get_context("spawn")
        self.reader, self.lifeline = context.Pipe(duplex=False)
        self.pool = ProcessPoolExecutor(self.n_workers, context, end_with, (self.reader,))

    def submit(self, *call):
        with uninterrupted():  # the processes that it starts inherit this
            return self.pool.submit(sendable, *call)

    def wait(self, future):
        """Nothing: a future of processes ends, with a result or with a process."""

    def renew(self):
        """Start anew, after one of them has died."""
        self.close(at_once=True)
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close(at_once=kind is not None)

    def close(self, at_once):
        if at_once:  # before, for shutting down waits for the tasks that are worked on
            self.lifeline.close()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.lifeline.close()
        self.reader.close()


def sendable(function, *arguments):
    """What a function gives; its error too, if only the text of one that cannot be pickled."""
    try:
        return function(*arguments)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # its worker would seem to be lost
            raise RuntimeError(f"{type(error).__name__}: {error}") from error
        raise


@contextmanager
def uninterrupted():
    """A block in which Ctrl-C waits, where the system can.

    At a terminal it reaches all processes, of which only the first is to say anything.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with(lifeline):
    """Let a new process end when the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=wait_for_end, args=(lifeline,), daemon=True).start()


def wait_for_end(lifeline):
    try:
        lifeline.recv_bytes()  # nothing is ever sent
    finally:
        os._exit(1)
