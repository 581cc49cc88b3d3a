"""What readers say whose packages are not installed."""

import sys

import pytest

from spacy_chance_eval.formats import cas


def test_a_missing_package_is_named_with_its_installation(tmp_path, monkeypatch):
    assert "cassis" not in vars(cas)  # imported with the package
    monkeypatch.setitem(sys.modules, "cassis", None)
    (tmp_path / "a.json").write_text('{"text": "a", "%TYPES": {}}')
    with pytest.raises(ValueError, match=r"pip install 'spacy-chance-eval\[cas\]'"):
        cas.read_cas(tmp_path / "a.json")
