"""Mutated files for a reader, which may only raise a FormatError."""

import random
import re
import sys
import tempfile
import time
from pathlib import Path

EXECUTIONS = "executions: {}"
# Values in quotes or between tags, whole elements or objects, names, and any few bytes.
STRETCHES = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        rb"[\">]([^\"<>]{0,80})[\"<]",
        rb"(<[^<>]*>)",
        rb"(\{[^{}]*\},?)",
        rb"([A-Za-z_.:%@]+)",
        rb"(-?[0-9]+)",
        rb"(.{1,6})",
    )
]


def run(once, seeds, words):
    """Call `once(data)` with mutations of the seeds, under atheris or, without it, hypothesis.

    `-max_total_time=SECONDS` ends it. Whatever `once` raises is a find; its file, as an argument,
    shows it again.
    """
    try:
        import atheris
    except ImportError:
        return run_hypothesis(once, seeds, words)
    with tempfile.TemporaryDirectory() as folder:
        corpus, dictionary = Path(folder) / "corpus", Path(folder) / "words"
        corpus.mkdir()
        for number, seed in enumerate(seeds):
            (corpus / str(number)).write_bytes(seed)
        dictionary.write_text("".join(f'"{escaped(word)}"\n' for word in words))
        options = [f"-dict={dictionary}", "-max_len=16384", "-rss_limit_mb=3000", "-timeout=60"]

        def mutated(data, max_size, seed):
            rng = random.Random(seed)
            if rng.random() < 0.5:
                return atheris.Mutate(data, max_size)
            return changed(bytes(data), rng, words)[:max_size]

        replayed = any(Path(argument).is_file() for argument in sys.argv[1:])
        corpora = [] if replayed else [str(corpus)]
        atheris.Setup([*sys.argv, *options, *corpora], once, custom_mutator=mutated)
        atheris.Fuzz()


def escaped(word):
    """A word as libFuzzer's dictionaries have it."""
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


def run_hypothesis(once, seeds, words):
    """The same by random changes, drawn by hypothesis."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    given_time = [arg.partition("=")[2] for arg in sys.argv if arg.startswith("-max_total_time=")]
    end, n_executions = time.monotonic() + float((given_time or ["60"])[0]), 0

    @settings(
        deadline=None, max_examples=1000, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.sampled_from(seeds), st.randoms(use_true_random=False))
    def batch(seed, rng):
        nonlocal n_executions
        once(changed(seed, rng, words))
        n_executions += 1

    while time.monotonic() < end:
        batch()
    print(EXECUTIONS.format(n_executions))


def changed(seed, rng, words):
    """A seed with values, elements or other stretches cut, doubled or replaced."""
    data = seed
    for _ in range(rng.randint(1, 4)):
        stretches = [found.span(1) for found in rng.choice(STRETCHES).finditer(data)]
        start, end = rng.choice(stretches or [(0, len(data))])
        old = data[start:end]
        other = data[slice(*rng.choice(stretches or [(0, 0)]))]
        word = rng.choice(words).encode()
        data = data[:start] + rng.choice([b"", old * 2, other, word, word]) + data[end:]
    return data


def only_format_errors(read, *arguments, **options):
    """What a reader returns; None if it refused."""
    # not earlier: what is imported before the readers are instrumented stays as it is
    from spacy_chance_eval.formats.errors import FormatError

    try:
        return read(*arguments, **options)
    except FormatError:
        return None
