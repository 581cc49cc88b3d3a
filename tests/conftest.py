"""What all tests share: hypothesis profiles, workers, and a few costly fixtures."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from helpers.resamples import recorder  # noqa: F401  a fixture

# the inner loop tries each law on few cases; with -m integration the same laws meet more
for profile, max_examples in {"inner": 5, "suite": 20}.items():
    settings.register_profile(
        profile,
        deadline=None,
        derandomize=True,
        max_examples=max_examples,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


def is_inner(config):
    return "not integration" in config.option.markexpr


def pytest_configure(config):
    if config.option.markexpr == "integration":
        config.option.markexpr = "integration and not slow"
    settings.load_profile("inner" if is_inner(config) else "suite")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    laws = () if is_inner(config) else items
    for item in laws:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("integration")


def pytest_xdist_auto_num_workers(config):
    """No workers for single files, which are through before workers are up; else xdist decides."""
    return None if any(Path(arg).is_dir() for arg in config.args) else 0


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
