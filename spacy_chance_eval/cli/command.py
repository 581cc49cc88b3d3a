"""The program of typer: commands that are imported when they are called, and their help."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from importlib import import_module
from typing import Any, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup

from ..about import __version__
from ..measures.messages import bounded
from .help import HELP_ALL, WIDTH, usage_pieces, write_options, write_text
from .parameters import with_optional_values
from .running import allow_interrupts, run

SETTINGS = {"max_content_width": WIDTH, "help_option_names": ["-h", "--help"]}


class Command(TyperCommand):
    """A command that `run` runs. Its help fits on a screen; `--help-all` has the rest."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The remaining arguments; an unknown option is an error that suggests similar ones."""
        args = with_optional_values(args)
        if HELP_ALL in args:
            ctx.meta[HELP_ALL] = True
            typer.echo(ctx.get_help())
            raise typer.Exit()
        try:
            return list(super().parse_args(ctx, args))
        except Exception as raised:
            error: Any = raised
            _bound_message(error)
            if hasattr(error, "possibilities"):  # an unknown option
                from ..formats.errors import did_you_mean
                from .gone import refuse_gone

                refuse_gone("options", error.option_name, ctx.command.name or "")
                names = [name for param in self.get_params(ctx) for name in param.opts]
                hint = did_you_mean(error.option_name, [*names, HELP_ALL])
                error.possibilities, error.message = None, f"{error.message.rstrip('.')}{hint}"
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The part of the usage after the name of the command."""
        return ["[OPTIONS]", *usage_pieces(self.get_params(ctx))]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: examples first, then arguments and options."""
        everything = HELP_ALL in ctx.meta
        self.format_usage(ctx, formatter)
        write_text(self, ctx, formatter, everything)
        write_options(self, ctx, formatter, everything)

    def invoke(self, ctx: Any) -> Any:
        """The result of the command; raises `SystemExit` where it ends early."""
        return run(partial(super().invoke, ctx))


def _bound_message(error: Any) -> None:
    """Bound the message of an error about the command line, which quotes it, if it has one."""
    if isinstance(getattr(error, "message", None), str):
        error.message = bounded(error.message)


class Group(TyperGroup):
    """Several commands, listed under the headings of their panels."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words begin with."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            from .gone import refuse_gone

            refuse_gone("commands", args[0])
            _bound_message(error)
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: examples first, then commands and options."""
        self.format_usage(ctx, formatter)
        write_text(self, ctx, formatter, everything=True)
        self.format_commands(ctx, formatter)
        with formatter.section("Options"):
            records = (param.get_help_record(ctx) for param in self.get_params(ctx))
            formatter.write_dl([record for record in records if record is not None])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names and the summaries of the commands, by panel."""
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
            allow_interrupts()
            app.command(self.name, cls=Command, context_settings=SETTINGS)(called)
            return typer.main.get_command(app)

        def make_context(self, *arguments: Any, **options: Any) -> Any:
            """The context of a call, whose command is the loaded one."""
            return self.loaded.make_context(*arguments, **options)

    return LazyCommand


# --- the program

Row: TypeAlias = tuple[str, str, str]  # module, first paragraph of its help, and panel


def make_app(name: str, text: str, commands: Mapping[str, Row]) -> typer.Typer:
    """A program that says its version, and has commands.

    Parameters
    ----------
    name, text : str
        Its name and its help.
    commands : mapping
        Rows by name.
    """
    app = typer.Typer(
        name=name,
        help=text,
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings=SETTINGS,
    )

    @app.callback()
    def program(
        version: bool = typer.Option(
            False, "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ) -> None:
        """Commands follow."""

    program.__doc__ = text
    for command, row in commands.items():
        add_command(app, command, row)
    return app


def _print_version(wanted: bool) -> None:
    """Print the version, and end, if it is wanted."""
    if wanted:
        typer.echo(f"spacy-chance-eval {__version__}")
        raise typer.Exit()


def add_command(app: typer.Typer, name: str, row: Row, alias: str | None = None) -> None:
    """Add a command to an app, under its name or another; its module is not imported.

    Under another name it is not listed, if the app has it under its own.
    """
    module, summary, panel = row
    lazy = lazy_command(module, f"{name}_command")
    listed = alias is None or all(command.name != name for command in app.registered_commands)
    app.command(alias or name, help=summary, cls=lazy, hidden=not listed, rich_help_panel=panel)(
        lambda: None
    )
