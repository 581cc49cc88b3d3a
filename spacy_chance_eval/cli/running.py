"""How a command ends, also after errors and signals; and how it prints: when all else is done."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType
from typing import Any, NoReturn, TextIO, TypeAlias, TypeVar

from ..measures.messages import bounded, harmless

# no space: on the disk, for this user, for so large a file
FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG}
STOPS = ("SIGTERM", "SIGHUP")  # Ctrl-C raises KeyboardInterrupt by itself
FAILED = 3  # exit code of a score that is not good enough, and of a board that lacks a system
COLOURS = re.compile(r"(\033\[[\d;]*m)")  # what our own reports colour with
R = TypeVar("R")
_Handler: TypeAlias = "Callable[[int, FrameType | None], Any] | int | None"


class MisuseError(ValueError):
    """Raised for a wrong use of the command line, such as a bad value of an option: exit code 2."""


@contextmanager
def option_values() -> Iterator[None]:
    """Let a value that makes no sense be a wrong use of the command line; files are data."""
    from ..formats.errors import FormatError

    try:
        yield
    except (FormatError, MisuseError):
        raise
    except ValueError as error:
        raise MisuseError(str(error)) from error


# output held until a command has ended: lines, and whether they are errors and have colours
_held: ContextVar[list[tuple[Iterable[str], bool, bool]] | None] = ContextVar("held", default=None)


def run(command: Callable[[], R]) -> R:
    """The result of a command; bad input ends the program with a message and exit code 1.

    What it prints comes when it has ended: neither files nor the exit code depend on who reads it,
    or how far. Ctrl-C and the signals of `STOPS` end it with 128 and their number, after cleaning
    up.
    """
    error: BaseException | None = None
    texts: list[tuple[Iterable[str], bool, bool]] = []
    open_streams()
    handlers, show = _catch_signals(), warnings.showwarning
    warnings.showwarning = _show_warning
    before = _held.set(texts)
    try:
        result = command()
    except BaseException as raised:
        error = raised
    finally:
        warnings.showwarning = show
        _held.reset(before)
    unwritten = None if isinstance(error, KeyboardInterrupt) else _print_all(texts)
    if isinstance(error, SystemExit) and error.code and isinstance(unwritten, OSError):
        complain(_message(unwritten))  # the exit code is decided before
    elif error is None or isinstance(error, SystemExit):
        error = unwritten or error
    for number, handler in handlers.items():
        signal.signal(number, handler)
    if error is not None:
        end(error)
    return result


def run_program(program: Callable[[], object]) -> None:
    """Run a program; Ctrl-C and output that cannot be written end it with one line everywhere.

    In commands `run` sees to that; here it is for imports and help.
    """
    open_streams()
    error: BaseException | None = None
    try:
        program()
    except BaseException as raised:
        error = raised
    unwritten = flush_output()
    if error is None or isinstance(error, SystemExit) and not error.code:
        error = unwritten or error
    if isinstance(
        error and error.__context__ or error, BrokenPipeError
    ):  # of help: nobody reads on
        raise SystemExit(0) from error
    if isinstance(error, (KeyboardInterrupt, OSError)):
        end(error)
    if error is not None:
        raise error


def allow_interrupts() -> None:
    """Let Ctrl-C raise KeyboardInterrupt: from here on there is more to do than imports."""
    handler = signal.getsignal(signal.SIGINT)
    if getattr(handler, "__module__", "") == __package__:  # that of `main`
        signal.signal(signal.SIGINT, signal.default_int_handler)


def open_streams() -> None:
    """Discard output to a stream that is closed (`>&-`)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8", newline="\n"))


def _print_all(texts: Iterable[tuple[Iterable[str], bool, bool]]) -> BaseException | None:
    """Print the held output; returns the reason if standard output cannot be written.

    A reader who has closed it is none.
    """
    error: BaseException | None = None
    for lines, err, colour in texts:
        if err or error is None:
            try:
                for text in lines:
                    _print(text, err, colour)
            except BaseException as raised:
                error = error or raised
    error = error or flush_output()
    return None if isinstance(error, BrokenPipeError) else error


def echo(text: str | Iterable[str] = "", err: bool = False, colour: bool = False) -> None:
    """Print a text, or many as they are made, to standard error if `err`; within `run` at its end.

    Nothing in it acts on a terminal. With `colour` it has colours of our own, which are kept.
    """
    lines = [text] if isinstance(text, str) else text
    held = _held.get()
    if held is not None:
        held.append((lines, err, colour))
        return
    for line in lines:
        _print(line, err, colour)


def _print(text: str, err: bool, colour: bool) -> None:
    """Print a text now; standard error that cannot be written to is passed over."""
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or ""
    parts = COLOURS.split(text) if colour else [text]
    parts[::2] = map(harmless, parts[::2])
    text = "".join(parts)
    with suppress(*[OSError] if err else []):
        if colour or not (text.isascii() or encoding.lower().startswith("utf")):
            import typer  # which finds an encoding, and shows colours on Windows

            typer.echo(text, err=err)
        else:
            print(text, file=stream, flush=True)


def complain(message: str) -> None:
    """Print an error, bounded, with a mark."""
    echo(f"\u2718 {bounded(message)}", err=True)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning, also one of a library, which may quote a text."""
    text = warnings.formatwarning(message, category, filename, lineno, line)
    with suppress(OSError):
        print(bounded(text), file=file or sys.stderr, end="")


class _StopSignal(KeyboardInterrupt):
    """Raised by a signal other than Ctrl-C: the same code cleans up after both."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _catch_signals() -> dict[int, _Handler]:
    """Let the signals that end a program raise `_StopSignal`; returns the handlers of before.

    Without it they end the program on the spot, and a file that is being written stays half-written
    under its temporary name. Signals that someone handles or ignores are left to them: SIGHUP is
    ignored below nohup, and SIGINT in the background of a script, where SIGTERM ends the program.
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    owner = os.getpid()

    def stop(number: int, _: FrameType | None) -> None:
        if os.getpid() != owner:  # a forked worker: end it, as if there were no handler
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        signal.signal(number, signal.SIG_IGN)  # once is enough: it must not interrupt cleaning up
        raise _StopSignal(number)

    numbers = (getattr(signal, name) for name in STOPS if hasattr(signal, name))
    free = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    return {number: signal.signal(number, stop) for number in free}


def flush_output() -> OSError | None:
    """Write the rest for the standard output; returns the reason if that cannot be done.

    Output that cannot be written is dropped, so that Python does not try again when it ends.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None


def end(error: BaseException) -> NoReturn:
    """End the program with the message and the exit code of an error; others are raised again."""
    if isinstance(error, KeyboardInterrupt):
        number = getattr(error, "number", signal.SIGINT)
        complain(f"stopped by {signal.Signals(number).name}")
        raise SystemExit(128 + number) from error
    if isinstance(error, (ValueError, OSError, ImportError, MemoryError)):
        complain(_message(error))
        raise SystemExit(2 if isinstance(error, MisuseError) else 1) from error
    raise error


def _message(error: Exception) -> str:
    """Message about an error."""
    if isinstance(error, OSError) and error.errno in FULL:  # of files: `FormatError`
        from ..formats.outputs import ELSEWHERE

        return f"the output cannot be written ({error.strerror}); {ELSEWHERE}"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}; check the path"
    if isinstance(error, MemoryError):
        reason = f" ({error})" if str(error) else ""
        return (
            f"there is not enough memory{reason}; allow this program more, or compare fewer "
            "documents, labels or annotators at once"
        )
    return str(error)
