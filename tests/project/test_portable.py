"""The program runs on Windows and macOS: without what these lack, and with their paths."""

import subprocess
import sys

import pytest

from spacy_chance_eval.corpora.sources import Source, parse_source
from spacy_chance_eval.formats import Corpus, paths

# imports all modules of the package as on a system that lacks these
LACKING = """
import os, pkgutil, signal, sys
from importlib import import_module
import numpy, psutil, spacy, typer  # they have guards of their own
for name in "resource fcntl pty termios tty pwd grp syslog".split():
    sys.modules[name] = None
for name in "fork killpg setsid getuid uname register_at_fork sched_getaffinity sysconf".split():
    delattr(os, name)
for name in "SIGKILL SIGHUP SIGALRM SIGPIPE alarm setitimer pthread_sigmask".split():
    delattr(signal, name)
import spacy_chance_eval
for module in pkgutil.walk_packages(spacy_chance_eval.__path__, "spacy_chance_eval."):
    if "__main__" not in module.name:
        try:
            import_module(module.name)
        except ImportError as error:  # of an extra
            assert error.name not in sys.modules, error
"""


@pytest.mark.integration
def test_modules_are_imported_without_what_only_some_systems_have():
    done = subprocess.run([sys.executable, "-c", LACKING], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("C:\\new\\gold.conll", "C:/new/gold.conll"),
        ("\\\\server\\share\\gold.conll", "//server/share/gold.conll"),
        ("gold.conll", "gold.conll"),
        ("s3://bucket/a\\b.conll", "s3://bucket/a\\b.conll"),
    ],
)
def test_windows_paths_get_slashes_in_results(monkeypatch, given, result):
    monkeypatch.setattr(paths, "SEPARATOR", "\\")
    assert paths.path_text(given) == Corpus(given, ()).path == result
    source = Source(given, files=(given,))
    assert (source.path, source.files) == (result, (result,))


@pytest.mark.parametrize("path", ["C:\\x\\gold.conll", "c:/x/gold.conll", "\\\\server\\gold.conll"])
@pytest.mark.parametrize("layer", [None, "2"])
@pytest.mark.parametrize("name", [None, "BERT"])
def test_drives_and_servers_of_windows_are_neither_names_nor_addresses(path, layer, name):
    text = f"{name}={path}" if name else path
    source = parse_source(f"{text}#{layer}" if layer else text)
    assert (source.name, source.path, source.layer) == (name, path, layer)
    assert not paths.is_remote(path)
