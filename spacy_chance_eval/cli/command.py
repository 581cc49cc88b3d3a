"""How commands are imported when they are called, and how they end when something is wrong."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from types import FrameType, UnionType
from typing import Any, NoReturn, TypeAlias, Union, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from .help import HELP_ALL, WIDTH, usage_pieces, write_options, write_text

STOPS = ("SIGTERM", "SIGHUP")  # Ctrl-C raises KeyboardInterrupt by itself
_Handler: TypeAlias = "Callable[[int, FrameType | None], Any] | int | None"


class Command(TyperCommand):
    """A command that ends with a message and exit code 1 if its input is bad.

    Ctrl-C and the signals of `STOPS` end it with 128 and their number, after cleaning up. If nobody
    reads its output to the end, that is no error. Its help fits on a screen; `--help-all` has the
    rest.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The remaining arguments; an unknown option is an error that suggests similar ones."""
        if HELP_ALL in args:
            ctx.meta[HELP_ALL] = True
            typer.echo(ctx.get_help())
            raise typer.Exit()
        try:
            return list(super().parse_args(ctx, args))
        except Exception as raised:
            error: Any = raised
            if hasattr(error, "possibilities"):  # an unknown option
                from ..formats.errors import did_you_mean

                names = [name for param in self.get_params(ctx) for name in param.opts]
                hint = did_you_mean(error.option_name, [*names, HELP_ALL])
                error.possibilities, error.message = None, f"{error.message.rstrip('.')}{hint}"
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the name of the command in its usage."""
        return ["[OPTIONS]", *usage_pieces(self.get_params(ctx))]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: examples first, then arguments and options."""
        everything = HELP_ALL in ctx.meta
        self.format_usage(ctx, formatter)
        write_text(self, ctx, formatter, everything)
        write_options(self, ctx, formatter, everything)

    def invoke(self, ctx: Any) -> Any:
        """The result of the command; raises `typer.Exit` where it ends early."""
        result: Any = None
        error: BaseException | None = None
        handlers = _catch_signals()
        try:
            result = super().invoke(ctx)
        except BaseException as raised:
            error = raised
        for number, handler in handlers.items():
            signal.signal(number, handler)
        unwritten = _flush_output()
        error = error or unwritten
        if error is not None:
            _end(error)
        return result


class Group(TyperGroup):
    """Several commands, listed under the headings of their panels."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the commands, in their order."""
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: examples first, then commands and options."""
        self.format_usage(ctx, formatter)
        write_text(self, ctx, formatter, everything=True)
        self.format_commands(ctx, formatter)
        with formatter.section("Options"):
            records = (param.get_help_record(ctx) for param in self.get_params(ctx))
            formatter.write_dl([record for record in records if record is not None])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names of the commands and what they do, by panel."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            if not command.hidden:
                panel = command.rich_help_panel or "Commands"
                panels.setdefault(panel, []).append((name, command.help or ""))
        width = max(len(name) for rows in panels.values() for name, _ in rows)
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])


def lazy_command(module: str, function: str) -> type[TyperCommand]:
    """A class of commands that import their function when they are called.

    Parameters
    ----------
    module : str
        In this package, such as "score".
    function : str
        It becomes a `Command`; its parameters are the command's.
    """

    class LazyCommand(TyperCommand):
        @cached_property
        def loaded(self) -> Any:
            """The command itself."""
            app = typer.Typer(add_completion=False, rich_markup_mode=None)
            called = getattr(import_module(f".{module}", __package__), function)
            called.__annotations__ = {
                name: _as_union(kind) for name, kind in called.__annotations__.items()
            }
            settings = {"max_content_width": WIDTH}
            app.command(self.name, cls=Command, context_settings=settings)(called)
            return typer.main.get_command(app)

        def make_context(self, *arguments: Any, **options: Any) -> Any:
            """The context of a call, whose command is the loaded one."""
            return self.loaded.make_context(*arguments, **options)

    return LazyCommand


def _as_union(kind: Any) -> Any:
    """A type such as `str | None` as `Union`: typer 0.9, which spaCy 3.7 needs, reads no other."""
    return Union[get_args(kind)] if isinstance(kind, UnionType) else kind  # noqa: UP007


def failure(message: str) -> str:
    """A message with a mark: in colour and wrapped at a terminal, plain and whole in a file."""
    if not sys.stderr.isatty():
        return f"\u2718 {message}"
    from wasabi import Printer

    first, *more = message.split("\n")
    return "\n".join([str(Printer(no_print=True).fail(first)), *more])


class _StopSignal(KeyboardInterrupt):
    """Raised by a signal other than Ctrl-C: whatever cleans up after Ctrl-C does so here."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _catch_signals() -> dict[int, _Handler]:
    """Let the signals that end a program raise `_StopSignal`; returns the handlers of before.

    Without it they end the program on the spot, and a file that is being written stays half-written
    under its temporary name. Signals that someone handles or ignores (nohup) are left to them.
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


def _flush_output() -> OSError | None:
    """Write what is left for the standard output; returns why that cannot be done.

    What cannot be written is forgotten, so that Python does not try again when it ends.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None


def _end(error: BaseException) -> NoReturn:
    """End the program with the message and the exit code of an error; others are raised again."""
    if isinstance(error, BrokenPipeError):  # whoever reads our output has enough
        raise typer.Exit(0) from error
    if isinstance(error, KeyboardInterrupt):
        number = getattr(error, "number", signal.SIGINT)
        print(failure(f"stopped by {signal.Signals(number).name}"), file=sys.stderr)
        raise typer.Exit(128 + number) from error
    if isinstance(error, (ValueError, OSError, ImportError)):
        print(failure(_message(error)), file=sys.stderr)
        raise typer.Exit(1) from error
    raise error


def _message(error: Exception) -> str:
    """What to say of an error."""
    from ..formats.files import FULL

    if isinstance(error, OSError) and error.errno in FULL:  # of files: `FormatError`
        return f"the output cannot be written ({error.strerror})"
    return str(error)
