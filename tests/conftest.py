"""What all tests share: hypothesis profiles, workers, and a few costly fixtures."""

import gc
import os
import re
from functools import cache
from pathlib import Path

import pytest
import typer.testing
from hypothesis import HealthCheck, is_hypothesis_test, settings

from helpers.resamples import no_more, recorder  # noqa: F401  fixtures

gc.disable()  # until all is collected: nothing of it is garbage

# the inner loop tries each law on few cases; with -m integration the same laws meet more
for profile, max_examples in {"inner": 2, "suite": 10}.items():
    settings.register_profile(
        profile,
        deadline=None,
        derandomize=True,
        max_examples=max_examples,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


# what takes long to make: tests that ask for it are of the integration run
COSTLY = {"chromium", "pages", "gazetteer", "two_layers"}


def is_inner(config):
    return "not integration" in config.option.markexpr


def pytest_configure(config):
    os.environ.pop("COLUMNS", None)  # workers have it: tables would be divided, as in a terminal
    if config.option.markexpr == "integration":
        config.option.markexpr = "integration and not slow"
    settings.load_profile("inner" if is_inner(config) else "suite")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in items:
        is_law = not is_inner(config) and is_hypothesis_test(getattr(item, "obj", None))
        if is_law or COSTLY & set(getattr(item, "fixturenames", ())):
            item.add_marker("integration")


def pytest_collection_finish():
    """What was imported and collected stays: looking for garbage in it took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def pytest_make_parametrize_id(val, argname):
    """Short and plain texts are ids; of others the name of the argument is, with a number."""
    if isinstance(val, bytes) or (isinstance(val, str) and not re.fullmatch("[ -~]{1,40}", val)):
        return argname


def pytest_xdist_auto_num_workers(config):
    """No workers for single files, which are through before workers are up; else xdist decides."""
    return None if any(Path(arg).is_dir() for arg in config.args) else 0


@pytest.fixture(scope="session", autouse=True)
def one_program():
    """For each call in a test, typer would build all commands anew, which takes 25 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """Folder with the sample as train.spacy, dev.spacy and test.spacy."""
    from helpers import pipelines

    return pipelines.corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="session")
def gazetteer(tmp_path_factory):
    """Folder of a saved pipeline that only predicts entities, by rules."""
    from helpers import pipelines

    return pipelines.saved(tmp_path_factory.mktemp("models") / "gazetteer")


@pytest.fixture(scope="session")
def two_layers(tmp_path_factory):
    """Folder of a saved pipeline that predicts entities and the span group sc."""
    from helpers import pipelines

    return pipelines.saved(tmp_path_factory.mktemp("models") / "two", "sc")
