"""What Python prints, and how two outputs are compared."""

import contextlib
import io
import os
from unittest import mock

from spacy_chance_eval.about import __version__


def _widest(fallback=(80, 24)):
    """The size of a terminal that none is: what the caller falls back on."""
    return os.terminal_size(fallback)


@contextlib.contextmanager
def standard_output():
    """A file for what is printed, which is as wide as needed, whatever the terminal is."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        with mock.patch("shutil.get_terminal_size", _widest):
            yield out


def printed(code, namespace):
    """The output of some code."""
    with standard_output() as out:
        exec(compile(code, "example", "exec"), namespace)
    return out.getvalue()


def without_version(text):
    """A text as it is in every version, without spaces at the ends of lines."""
    text = text.replace(f"v={__version__}", "v=VERSION")
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
