"""Many cases in one test, where an id for each would say nothing."""

import json
from functools import wraps
from inspect import signature
from pathlib import Path

import pytest


def later(*values):
    """Parameters for the integration run: the inner loop tries those beside them."""
    return [pytest.param(value, marks=pytest.mark.integration) for value in values]


def each_case(names, cases):
    """Like `pytest.mark.parametrize`, but one test for all cases; a failure names the cases.

    Fixtures are those of the one test: what a case changes, the next one finds changed.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    rows = [dict(zip(names, case if len(names) > 1 else [case], strict=True)) for case in cases]
    assert rows, "no cases"

    def decorated(test):
        @wraps(test)
        def loop(*args, **fixtures):
            failures = []
            for row in rows:
                try:
                    test(*args, **fixtures, **row)
                except (Exception, pytest.fail.Exception) as error:
                    failures.append((row, error))
            if failures:
                row, error = failures[0]
                failed = f"{len(failures)} of {len(rows)} cases fail, the first is {row}: {error}"
                raise AssertionError(failed) from error

        whole = signature(test)
        kept = [one for one in whole.parameters.values() if one.name not in names]
        loop.__signature__ = whole.replace(parameters=kept)
        return loop

    return decorated


def rows_in(test, name):
    """Rows of a table that stands in a file of JSON lines beside its test."""
    with open(Path(test).with_name(name), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
