"""Misspelt names are answered with those that are spelt alike."""

import pytest

from helpers.pipelines import saved
from helpers.textfiles import FOUND, SPANS, call, failed, jsonl


@pytest.fixture
def two(tmp_path):
    """Gold and a prediction."""
    return [jsonl(tmp_path / f"{name}.jsonl", own) for name, own in zip("gp", (SPANS, FOUND))]


@pytest.mark.parametrize(
    ("command", "options", "meant"),
    [
        ("score", ("-m", "spanf"), "'span_f'"),
        ("score", ("-m", "span_f(unti=doc)"), "'unit'"),
        ("score", ("--chance", "disjiont"), "'disjoint'"),
        ("score", ("--layer", "span"), "'spans'"),
        ("score", ("--format", "jsnol"), "'jsonl'"),
        ("diff", ("--label", "LCO"), "'LOC'"),
        ("diff", ("--relation", "mising"), "'missing'"),
        ("agree", ("--layer", "a=span"), "'spans'"),
        ("score", ("--subset", "lenght"), "'length'"),
        ("score", ("--cluster", "nnone"), "'none'"),
    ],
)
def test_names_that_are_spelt_alike_are_suggested(two, command, options, meant):
    assert f"(did you mean {meant}" in failed(command, *two, *options)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("layer", "meant"),
    [("ent", "(did you mean 'ents'?)"), ("ents=spans:sd", "(did you mean 'spans:sc'?); there is")],
    ids=["gold", "prediction"],
)
def test_layers_of_pipelines_are_suggested(tmp_path, corpus, layer, meant):
    model = saved(tmp_path / "model", "sc")
    assert meant in failed("score", corpus / "test.spacy", model, "--layer", layer)


def test_options_that_are_spelt_alike_are_suggested(two):
    done = call("score", *two, "--resample", "10")
    assert done.exit_code == 2
    assert "No such option: --resample (did you mean '--resamples'" in done.stderr


def test_an_option_like_no_other_is_just_unknown(two):
    assert "No such option: --zzzz\n" in call("score", *two, "--zzzz").stderr


def test_commands_that_are_spelt_alike_are_suggested():
    assert "Did you mean 'score'?" in call("scroe").stderr
