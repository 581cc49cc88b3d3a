"""Skips for what is not installed, without the import that a whole run would pay for."""

from importlib.util import find_spec

import pytest


def needs(module, extra):
    """A mark for tests of an extra."""
    reason = f"needs the extra: pip install '.[{extra}]'"
    return pytest.mark.skipif(find_spec(module) is None, reason=reason)
