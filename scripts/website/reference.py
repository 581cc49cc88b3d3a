"""Hook of mkdocs.yml: the reference, generated from the code with every build of the site.

Pages for each command, the names that are registered with spaCy and Prodigy, the Python API (filled
in by mkdocstrings) and the JSON schemas.
"""

import importlib
import inspect
import json
import re
import sys
from collections.abc import Mapping
from configparser import ConfigParser
from pathlib import Path
from types import ModuleType
from unittest import mock

from griffe import Docstring
from mkdocs.structure.files import File
from pages_of_commands import command_pages
from pages_of_schemas import schema_pages

import spacy_chance_eval

ROOT = Path(__file__).parents[2]
PACKAGE = "spacy_chance_eval"
# titles of the pages, by room of the package with public names
ROOMS = {
    "tasks": "Evaluate, compare, agree",
    "scoring": "Scores, intervals, boards",
    "metrics": "Metrics",
    "formats": "Documents and files",
    "corpora": "Sources and workers",
    "measures": "Spans, panels, trees",
    "runs": "Saved runs",
    "integrations": "Docs",
}
# groups of entry points in setup.cfg, with title and usage
REGISTERED = {
    "spacy_scorers": ("Scorers", '`@scorers = "{}"` in a config'),
    "spacy_factories": ("Components", '`nlp.add_pipe("{}")`, or `factory = "{}"` in a config'),
    "spacy_callbacks": ("Callbacks", '`@callbacks = "{}"` in a config'),
    "prodigy_recipes": ("Prodigy recipes", "`prodigy {}`"),
}

FILE_LINK = re.compile(r"\[(?:[\w-]+/)*[\w-]+\.md\]\(((?:[\w.-]+/)*[\w-]+\.md)(#[\w-]+)?\)")

made = {}  # address: text


def on_config(config):
    """Generate all pages, and add them to the navigation below *Reference*."""
    made.clear()
    sections = {
        "Commands": command_pages(),
        "Registered names": {"reference/names.md": registered_names()},
        "Python": python_pages(),
        "JSON": schema_pages(),
    }
    (reference,) = (entry["Reference"] for entry in config.nav if "Reference" in entry)
    for title, pages in sections.items():
        made.update(pages)
        reference.append({title: list(pages) if len(pages) > 1 else next(iter(pages))})
    return config


def on_files(files, config):
    """Add the generated pages."""
    for uri, text in made.items():
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """A page whose links have titles; the search finds guides first, and no schemas."""
    uri = page.file.src_uri
    if uri.startswith(("project/", "reference/schemas/")):
        page.meta["search"] = {"exclude": True}
    elif not uri.startswith("reference/"):
        page.meta["search"] = {"boost": 2}
    folder = (ROOT / "docs" / page.file.src_uri).parent
    markdown = FILE_LINK.sub(lambda link: titled(link, folder), markdown)
    if uri == "commands.md":
        linked = r"## \1\n\n[All options and output of `\1`](reference/commands/\1.md)\n"
        names = "|".join(Path(uri).stem for uri in made if uri.startswith("reference/commands/"))
        return re.sub(rf"^## ({names})\n", linked, markdown, flags=re.MULTILINE)
    return markdown


def titled(link, folder):
    """A link with the title of its page as text, if it is a page of the documentation."""
    path = (folder / link[1]).resolve()
    if not path.is_file() or not path.is_relative_to(ROOT / "docs"):
        return link[0]
    title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return f"[{title}]({link[1]}{link[2] or ''})"


# --- names that are registered


def registered_names():
    """The page of all registered names in setup.cfg, with the parameters of their functions."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = ["# Registered names", "", "What an installation adds to spaCy and Prodigy."]
    for group, (title, usage) in REGISTERED.items():
        lines += ["", f"## {title}"]
        for row in setup["options.entry_points"][group].strip().splitlines():
            name, target = re.split(r" *= *", row.strip(), maxsplit=1)
            lines += ["", f"### {name}", "", usage.replace("{}", name), ""]
            lines += recipe_lines(name) if group == "prodigy_recipes" else function_lines(target)
    return "\n".join(lines) + "\n"


def function_lines(target):
    """The purpose of a registered function, and its parameters."""
    module, _, name = target.partition(":")
    function = getattr(importlib.import_module(module), name)
    described = function
    defaults = {}
    if name == "make_chance_eval":  # described by the component that it makes
        module = importlib.import_module(module)
        described, defaults = module.ChanceEval, module.DEFAULTS
    parts = Docstring(inspect.getdoc(described), parser="numpy").parse(warnings=False)
    told = {
        row.name: (str(row.annotation or ""), row.description)
        for part in parts
        if part.kind.value == "parameters"
        for row in part.value
    }
    yield parts[0].value
    yield from ("", "| parameter | values | default | what it is |", "| --- | --- | --- | --- |")
    for key, parameter in inspect.signature(function).parameters.items():
        if key in ("nlp", "name"):
            continue
        values, what = told[key]
        default = defaults.get(key, parameter.default)
        yield table_row(f"`{key}`", values, shown(default), what)


def recipe_lines(name):
    """The purpose of a recipe, and its arguments."""
    function, arguments = recipes()[name]
    doc = inspect.getdoc(function)
    yield re.sub(r"^Example: (.*)$", r"`\1`", doc, flags=re.MULTILINE)
    yield from ("", "| argument | default | what it is |", "| --- | --- | --- |")
    for key, parameter in inspect.signature(function).parameters.items():
        options, text = arguments[key]
        spelt = ", ".join(f"`{one}`" for one in options) or f"`{key}`"
        yield table_row(spelt, shown(parameter.default), text)


def recipes():
    """{name: (function, arguments)} of all recipes; Prodigy need not be installed."""
    found = {}
    core = ModuleType("prodigy.core")
    core.Arg = lambda *names, help: (names, help)
    core.recipe = lambda name, **arguments: (
        lambda function: found.setdefault(name, (function, arguments))[0]
    )
    name = f"{PACKAGE}.cli.recipes"
    with mock.patch.dict(sys.modules, {"prodigy": ModuleType("prodigy"), "prodigy.core": core}):
        sys.modules.pop(name, None)
        importlib.import_module(name)
    return found


def shown(default):
    """A default in the notation of configs; a dash for required values."""
    return "–" if default is inspect.Parameter.empty else f"`{json.dumps(default)}`"


def table_row(*cells):
    """A row of a table."""
    return "| " + " | ".join(" ".join(cell.split()).replace("|", r"\|") for cell in cells) + " |"


# --- Python


def python_pages():
    """A page for each room with public names: those of the package, and those used in docs/."""
    names = {room: [] for room in ROOMS}
    for name in spacy_chance_eval.__all__:
        if name != "__version__":
            names[room_of(name)].append(f"{PACKAGE}.{name}")
    for name in sorted(named_in_docs()):
        names[name.split(".")[1]].append(name)
    return {
        f"reference/python/{room}.md": "\n".join(
            [f"# {title}", *(f"\n::: {name}{options_of(name)}" for name in names[room])]
        )
        for room, title in ROOMS.items()
        if names[room]
    }


def options_of(name):
    """Options of mkdocstrings for a name: the value of a mapping is not shown."""
    value = getattr(spacy_chance_eval, name.removeprefix(f"{PACKAGE}."), None)
    return "\n    options:\n      show_attribute_values: false" * isinstance(value, Mapping)


def room_of(name):
    """The room of a public name of the package; for data, the first room that exports it."""
    module = getattr(getattr(spacy_chance_eval, name), "__module__", "")
    if module:
        return module.split(".")[1]
    faces = {room: importlib.import_module(f"{PACKAGE}.{room}") for room in ROOMS}
    return next(room for room, face in faces.items() if name in face.__all__)


def named_in_docs():
    """Full names that pages import from rooms of the package, or use with a dot."""
    found = set()
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        for module, own in re.findall(rf"from ({PACKAGE}\.[\w.]+) import ([\w, ]+)", text):
            found |= {f"{module}.{name.strip()}" for name in own.split(",")}
        found |= set(re.findall(rf"\b{PACKAGE}(?:\.\w+)+", text))
    return {name for name in found if is_public(name)}


def is_public(name):
    """Whether a full name belongs to a function or class, not to a module, data or the package."""
    module, _, own = name.rpartition(".")
    if module in ("", PACKAGE) or name.startswith(f"{PACKAGE}.sample"):
        return False
    try:
        value = getattr(importlib.import_module(module), own)
    except (ImportError, AttributeError):  # such as the name of a test, or of a method
        return False
    return inspect.isfunction(value) or inspect.isclass(value)
