"""Parameters of commands, declared once: for typer, which writes help and errors, and without it.

typer takes a third of the time of a short command, so that a command line in which nothing is wrong
or unusual is read here, and all others by typer. Both give the same values (a test compares them).
"""

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_args, get_origin

Function: TypeAlias = Callable[..., None]
F = TypeVar("F", bound=Function)


class Declared(NamedTuple):
    """An option or an argument, as `typer.Option` or `typer.Argument` have it."""

    kind: str
    default: Any
    names: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def help(self) -> str:
        """Its help text."""
        text: str = self.settings["help"]
        return text

    def as_typer(self) -> Any:
        """The same for typer."""
        import typer

        settings = {"rich_help_panel" if k == "panel" else k: v for k, v in self.settings.items()}
        return getattr(typer, self.kind)(self.default, *self.names, **settings)


def option(default: Any, *names: str, **settings: Any) -> Any:
    """The declaration of an option; by default its name is that of the parameter.

    Parameters
    ----------
    default
        Its value where it is not given.
    *names : str
        Such as "--output", "-o". Flags have names, such as "--force" or "--color/--no-color".
    **settings
        `help`, `min`, `parser` and `metavar` of typer; `panel`, one of those in help.py.
    """
    return Declared("Option", default, names, settings)


def argument(default: Any, **settings: Any) -> Any:
    """The declaration of an argument; `...` for a default says that it is required."""
    return Declared("Argument", default, (), settings)


class OptionGroup:
    """Options that several commands have; in a subclass the default of a field is its `option`."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def fields(cls) -> dict[str, tuple[Any, Declared]]:
        """{name: (type, declaration)} of all fields, those of the base class first."""
        kinds: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            kinds |= inspect.get_annotations(base)
        return {name: (kind, getattr(cls, name)) for name, kind in kinds.items()}


def with_options(**groups: type[OptionGroup]) -> Callable[[Function], Function]:
    """A decorator: the command has more options, and gets each group of them as one argument.

    In help they come before `output`.

    `groups` are subclasses of `OptionGroup` by the names of the arguments.
    """

    def decorate(command: Function) -> Function:
        names = {argument: group.fields() for argument, group in groups.items()}

        @wraps(command)
        def called(**values: Any) -> None:
            own = {
                argument: groups[argument](**{name: values.pop(name) for name in fields})
                for argument, fields in names.items()
            }
            command(**values, **own)

        signature = inspect.signature(command)
        keyword = inspect.Parameter.KEYWORD_ONLY
        kept = [
            one.replace(kind=keyword)
            for one in signature.parameters.values()
            if one.name not in groups
        ]
        more = [
            inspect.Parameter(name, keyword, default=declared, annotation=kind)
            for fields in names.values()
            for name, (kind, declared) in fields.items()
        ]
        place = next((i for i, one in enumerate(kept) if one.name == "output"), len(kept))
        _set_parameters(called, [*kept[:place], *more, *kept[place:]])
        return called

    return decorate


def main_options(*names: str) -> Callable[[F], F]:
    """A decorator: `--help` explains these options of a command, in this order.

    It names the others, by their panels, and `--help-all` explains them.
    """

    def decorate(command: F) -> F:
        command.main_options = names  # type: ignore[attr-defined]  # which `write_options` reads
        return command

    return decorate


def typer_function(command: Function) -> Function:
    """The same command with the declarations of typer."""

    @wraps(command)
    def called(**values: Any) -> None:
        command(**values)

    parameters = inspect.signature(command).parameters.values()
    _set_parameters(
        called,
        [one.replace(default=one.default.as_typer()) for one in parameters],
    )
    return called


def _set_parameters(function: Any, parameters: Sequence[inspect.Parameter]) -> None:
    """Let a function have these parameters for `inspect`."""
    function.__signature__ = inspect.Signature(parameters)
    function.__annotations__ = {one.name: one.annotation for one in parameters}


# --- command lines in which nothing is wrong


class _UnsureError(Exception):
    """Raised for what typer has to look at."""


OPTIONAL = {"--explain": "*"}  # options whose value may be left out, and what it is then


def with_optional_values(words: Sequence[str]) -> list[str]:
    """The words of a command line, values that are left out written behind their options.

    A file that follows such an option is none of its values; --explain=NAME takes all names.
    """
    return [
        f"{word}={OPTIONAL[word]}"
        if word in OPTIONAL
        and (following[:1] == "-" or os.path.exists(following.partition("#")[0]))
        else word
        for word, following in zip(words, [*words[1:], "-"])
    ]


def plain_values(command: Function, words: Sequence[str]) -> dict[str, Any] | None:
    """The values of all parameters of a command, equal to typer's; None where typer is needed.

    It is for help, completion, errors, and rare ways to write.
    """
    expanded = os.name == "nt" and any(re.search(r"[*?\[~$%]", word) for word in words)  # no shell
    if expanded or any(name.endswith("_COMPLETE") for name in os.environ):
        return None
    parameters = inspect.signature(command).parameters
    try:
        given = _given_texts(parameters, with_optional_values(words))
        return {name: _value(one, given.get(name)) for name, one in parameters.items()}
    except _UnsureError:
        return None


def spellings(command: Function) -> set[str]:
    """The options of a command as they are written, such as "--layer" and "-l"."""
    return {*_options_of(inspect.signature(command).parameters)}


def _options_of(
    parameters: Mapping[str, inspect.Parameter],
) -> dict[str, tuple[inspect.Parameter, str | None]]:
    """{spelling: (parameter, text that a flag stands for)} of the options of a command."""
    options: dict[str, tuple[inspect.Parameter, str | None]] = {}
    for one in parameters.values():
        if one.default.kind == "Option":
            for spelling in one.default.names or [f"--{one.name.replace('_', '-')}"]:
                on, _, off = spelling.partition("/")
                flag = one.annotation is bool
                options |= {on: (one, "on" if flag else None)} | ({off: (one, "")} if off else {})
    return options


def _given_texts(
    parameters: Mapping[str, inspect.Parameter], words: Iterable[str]
) -> dict[str, list[str]]:
    """{name: the texts that were given for it}; of flags "on", or "" for one like --no-color."""
    options = _options_of(parameters)
    given: dict[str, list[str]] = {}
    others = []
    rest = iter(words)
    for word in rest:
        if word == "-" or not word.startswith("-"):
            others.append(word)
            continue
        spelling, equals, value = word.partition("=") if word[:2] == "--" else (word, "", "")
        option, text = options.get(spelling, (None, ""))
        if option is None or text is not None and equals:
            raise _UnsureError
        if text is None:
            text = value if equals else next(rest, None)
        if text is None or text.startswith("--"):  # --help-all is one wherever it stands
            raise _UnsureError
        given.setdefault(option.name, []).append(text)
    for one in parameters.values():
        if one.default.kind == "Argument" and others:
            n = len(others) if get_origin(one.annotation) is list else 1
            given[one.name], others = others[:n], others[n:]
    if others:
        raise _UnsureError
    return given


def _value(parameter: inspect.Parameter, texts: Sequence[str] | None) -> Any:
    """The value of a parameter; `texts` is None where it was not given."""
    declared: Declared = parameter.default
    kind = next(iter(get_args(parameter.annotation)), parameter.annotation)
    if texts is None and declared.default is ...:
        raise _UnsureError
    if kind is bool:
        return declared.default if texts is None else bool(texts[-1])
    parse = declared.settings.get("parser", PARSERS.get(kind))
    if texts is None:
        return parse(declared.default) if isinstance(declared.default, str) else declared.default
    try:
        values = [parse(text) for text in texts if text]
    except ValueError:
        values = []
    least = declared.settings.get("min")
    if len(values) < len(texts) or least is not None and min(values) < least:
        raise _UnsureError
    return values if get_origin(parameter.annotation) is list else values[-1]


def _whole(text: str) -> int:
    """A whole number as it is usually written."""
    if not re.fullmatch("-?(0|[1-9][0-9]{0,17})", text):
        raise ValueError
    return int(text)


def _decimal(text: str) -> float:
    """A number as it is usually written."""
    if not re.fullmatch(r"-?(0|[1-9][0-9]{0,14})?\.?[0-9]{1,15}", text):
        raise ValueError
    return float(text)


PARSERS: dict[Any, Callable[[str], Any]] = {str: str, int: _whole, float: _decimal, Path: Path}
