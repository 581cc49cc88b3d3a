"""Misspelt names are answered with those that are spelt alike."""

import pytest

from helpers.pipelines import saved
from helpers.textfiles import failed


@pytest.mark.integration
@pytest.mark.parametrize(
    ("layer", "meant"),
    [
        ("ent", "unknown layer 'ent'; expected \"ents\" or"),
        ("ents=spans:sd", "(did you mean 'spans:sc'?); there is"),
    ],
    ids=["gold", "prediction"],
)
def test_layers_of_pipelines_are_suggested(tmp_path, corpus, layer, meant):
    model = saved(tmp_path / "model", "sc")
    assert meant in failed("score", corpus / "test.spacy", model, "--layer", layer)
