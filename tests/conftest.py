"""What every test of the suite shares: a fixed, untimed hypothesis profile."""

from hypothesis import HealthCheck, settings

from resamples import recorder  # noqa: F401  a fixture

settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    max_examples=20,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")
