"""Skips for what is not installed, without the import that a whole run would pay for."""

from importlib.util import find_spec

import pytest


def needs(module, extra):
    """A mark for tests of an extra."""
    reason = f"needs the extra: pip install '.[{extra}]'"
    return pytest.mark.skipif(find_spec(module) is None, reason=reason)


def skip_without_cairo():
    """Skip a test of PDF where cairosvg, or the library cairo, is not installed."""
    from spacy_chance_eval.reports.figures import load_cairo

    try:
        load_cairo()
    except ImportError as error:
        pytest.skip(str(error))
