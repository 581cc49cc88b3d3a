"""The JSON schemas of docs/schemas as pages: keys, types, descriptions."""

import json
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs/schemas"
INTRODUCTION = """# JSON

What commands write with `-o`. Each result begins with `version`, that of the package, and `schema`,
which names one of these. Keys may be added to a schema; whatever would break a reader becomes a new
one. An undefined score is null.

| schema | what it describes |
| --- | --- |
"""


def schema_pages():
    """{address: text} of the pages of all schemas, and of the page that lists them."""
    pages = {"reference/schemas/README.md": INTRODUCTION}
    for path in sorted(FOLDER.glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        name = path.stem
        pages["reference/schemas/README.md"] += (
            f"| [`{name}`]({name}.md) | {schema['description']} |\n"
        )
        pages[f"reference/schemas/{name}.md"] = page(name, schema)
    return pages


def page(name, schema):
    """The page of a schema: its own keys, then the keys of shared objects."""
    lines = [f"# {name}", "", schema["description"]]
    lines += ["", f"The schema itself: [{name}.json](../../schemas/{name}.json).", ""]
    lines += ["## Keys", "", *table(schema)]
    for part, definition in schema["$defs"].items():
        lines += ["", f"## {part}", ""]
        if about := definition.get("description"):
            lines += [about, ""]
        lines += table(definition)
    return "\n".join(lines) + "\n"


def table(schema):
    """The keys of an object, followed by the keys of nested objects."""
    yield from ("| key | type | what it is |", "| --- | --- | --- |", *rows(schema, ""))


def rows(schema, before):
    """Rows for all keys of a schema, with paths that begin with `before`."""
    for key, value in schema.get("properties", {}).items():
        path = f"{before}{key}"
        always = "" if key in schema.get("required", ()) else " *Not always there.*"
        what = value.get("description", "") + always
        yield f"| `{path}` | {kind(value)} | {what.strip()} |".replace("  ", " ")
        yield from rows(value, f"{path}.")
        if "items" in value:
            yield from rows(value["items"], f"{path}[].")
        if isinstance(more := value.get("additionalProperties"), dict):
            yield from rows(more, f"{path}.*.")


def kind(value):
    """The type of a value in words."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "anyOf" in value:
        return " or ".join(map(kind, value["anyOf"]))
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    types = value.get("type", "any value")
    words = " or ".join([types] if isinstance(types, str) else types)
    if "items" in value and "properties" not in value["items"]:
        words += f" of {kind(value['items'])}"
    more = value.get("additionalProperties")
    if isinstance(more, dict) and "properties" not in more:
        words += f" of {kind(more)} by name"
    return words
