"""Rows as files, and the errors that reading them gives."""

import json
import re

import pytest

from spacy_chance_eval.formats.errors import FormatError


@pytest.fixture
def file(tmp_path):
    """Writes rows to a file of JSON: an array if it ends in `.json`, and one a line otherwise."""

    def write(*rows, name="a.jsonl"):
        array = name.endswith(".json")
        text = json.dumps([*rows]) if array else "\n".join(map(json.dumps, rows))
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def failing(reading):
    """What an error says behind the name of the file that the fixture `reading` reads."""

    def fail(*rows, **options):
        with pytest.raises(FormatError) as caught:
            reading(*rows, **options)
        return re.split(r"\ba\.(?:jsonl?|conll)", str(caught.value), maxsplit=1)[1]

    return fail
