import re
from functools import partial

import pytest

from spacy_chance_eval import formats
from spacy_chance_eval.formats.errors import FormatError

TEXT = "Ada met Rex Roe.\nShe slept."


READ = partial(formats.read, format="brat")


@pytest.fixture
def reading(tmp_path):
    def read(ann, text=TEXT, **options):
        encoded = ann if isinstance(ann, bytes) else ann.encode()
        (tmp_path / "a.ann").write_bytes(encoded)
        (tmp_path / "a.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        return READ(tmp_path / "a.ann", **options).documents[0]

    return read


@pytest.fixture
def failing(reading):
    def fail(*arguments, **options):
        with pytest.raises(FormatError) as caught:
            reading(*arguments, **options)
        return re.sub(r"^.*a\.ann", "a.ann", str(caught.value))

    return fail


def files(folder, **texts):
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")


def test_a_line_of_a_million_characters_is_read(reading):
    text = "🚀 " * 500_000
    assert reading(f"T1\tX 0 1000000\t{text}", text).layers["spans"] == ((0, 1_000_000, "X"),)


@pytest.mark.integration
def test_a_bad_line_of_a_million_characters_is_shown_in_short(failing):
    assert len(failing("x" * 1_000_000)) < 300
    assert len(failing("T1\tX " + "0 1;" * 200_000 + "0 1\tx")) < 500


@pytest.mark.parametrize("which", ["a.ann", "a.txt"])
def test_another_encoding_is_an_error_with_its_file_and_line(tmp_path, which):
    files(tmp_path, a_ann="", a_txt="")
    (tmp_path / which).write_bytes("fine\nse\xf1al".encode("latin-1"))
    with pytest.raises(FormatError, match=rf"{re.escape(which)}:2: not UTF-8"):
        READ(tmp_path / "a.ann")
