"""Notebooks without a kernel: the cells run in one namespace, and give what Jupyter would store.

`PYTHONPATH=tests python -m helpers.notebooks docs/notebooks/first.ipynb` writes the outputs anew.
A kernel would add five packages and seconds to the tests, and no check: cells are plain Python.
"""

import ast
import json
import sys
from pathlib import Path

from helpers.outputs import standard_output


def load(path):
    """A notebook as plain values."""
    return json.loads(Path(path).read_text(encoding="utf8"))


def run(notebook):
    """The outputs of each code cell, in their order."""
    namespace = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [
        outputs("".join(cell["source"]), namespace, count) for count, cell in enumerate(cells, 1)
    ]


def outputs(source, namespace, count):
    """The printed output of a cell, and the value of its last expression."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    value, found = None, []
    with standard_output() as out:
        exec(compile(ast.Module(body, []), "cell", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
        shown = repr(value)
    if out.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(out.getvalue())})
    if value is not None:
        data = {"text/plain": lines(shown)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        made = {"data": data, "execution_count": count, "metadata": {}}
        found.append({**made, "output_type": "execute_result"})
    return found


def lines(text):
    """A text as notebooks store it."""
    return text.splitlines(keepends=True)


def with_outputs(notebook):
    """The notebook with the outputs of its cells."""
    made = iter(enumerate(run(notebook), 1))
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count, found = next(made)
            cell = {**cell, "execution_count": count, "outputs": found}
        cells.append(cell)
    return {**notebook, "cells": cells}


def save(path, notebook):
    """Write a notebook as Jupyter does."""
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True)
    Path(path).write_text(text + "\n", encoding="utf8")


if __name__ == "__main__":
    for path in sys.argv[1:]:
        save(path, with_outputs(load(path)))
