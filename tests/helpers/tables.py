"""Tables of cases in files of text: what a case has, and its outcome, which can be written again.

A case has parts, such as files and options, and last of all its outcome:

    === name of the case
    --- options {"annotator": "user"}
    --- a.jsonl
    {"text": "Ada slept", "label": [[0, 3, "PER"]]}
    --- read
    None: Ada slept
      spans: PER [0, 3)

`--- a.conll escaped` has escapes such as \\r in its content. To write outcomes again, and then look
at the change: `SNAPSHOT_UPDATE=1 pytest FILE`.
"""

import json
import os
import re


def cases(table):
    """(name of the case, {head of a part: its text}) of each case of a table."""
    for case in re.split(r"^=== ", table.read_text(encoding="utf-8"), flags=re.M)[1:]:
        name, _, rest = case.partition("\n")
        parts = re.split(r"^--- (.*)\n", rest, flags=re.M)[1:]
        yield name, dict(zip(parts[::2], parts[1::2]))


def content_of(head, text):
    """The bytes of a file whose part has this head."""
    if head.endswith(" escaped"):
        text = text.removesuffix("\n").encode("ascii").decode("unicode_escape")
    return text.encode("utf-8", "surrogatepass")


def written(parts, folder, outcomes):
    """(paths, options) of a case, whose files are written."""
    options, paths = {}, []
    for head, text in parts.items():
        kind, _, more = head.partition(" ")
        if kind == "options":
            options = json.loads(more)
        elif kind not in outcomes:
            paths.append(folder / kind)
            paths[-1].parent.mkdir(parents=True, exist_ok=True)
            paths[-1].write_bytes(content_of(head, text))
    return paths, options


def check(table, name, parts, outcomes, found):
    """Assert that a case has the outcome (kind, text), or write it into the table."""
    said = next(((kind, parts[kind]) for kind in outcomes if kind in parts), None)
    if not os.environ.get("SNAPSHOT_UPDATE") or found == said:
        assert found == said
        return
    inputs = {head: text for head, text in parts.items() if head not in outcomes}
    whole = "".join(f"--- {head}\n{text}" for head, text in {**inputs, found[0]: found[1]}.items())
    text = table.read_text(encoding="utf-8")
    start = f"=== {name}\n"
    before, _, rest = text.partition(start)
    behind = rest.find("\n=== ")
    after = rest[behind + 1 :] if behind >= 0 else ""
    table.write_text(before + start + whole + after, encoding="utf-8")
