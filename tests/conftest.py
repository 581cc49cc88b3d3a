"""What every test of the suite shares: a fixed, untimed hypothesis profile."""

import pytest
from hypothesis import HealthCheck, settings

from helpers.resamples import recorder  # noqa: F401  a fixture

settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    max_examples=20,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")


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
