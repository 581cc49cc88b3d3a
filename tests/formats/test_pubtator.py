"""PubTator: titles and abstracts with the mentions in them."""

import random
from functools import partial

import pytest

from helpers.cases import each_case
from spacy_chance_eval import formats
from spacy_chance_eval.formats import FormatError, format_of

ADA = "7|t|Ada Byron slept\n7|a|in Oslo.\n"
MENTIONS = "7\t0\t9\tAda Byron\tPerson\tQ7259\n7\t19\t23\tOslo\tPlace\n"
BOB = "8|t|Cystitis or gout.\n8|a|\n8\t0\t16\tCystitis or gout\tDisease\tD1|D2\tcystitis|gout\n"
RELATION = "7\tborn\tQ7259\tQ585\n"


READ = partial(formats.read, format="pubtator")


@pytest.fixture
def file(tmp_path):
    def write(text, name="a.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@each_case("name", ["a.txt", "a.PubTator", "a.PubTator.txt"])
def test_it_is_recognised_by_its_first_line_or_its_ending(file, name):
    assert format_of(file(ADA, name)) == "pubtator"


def test_other_text_is_conll(file):
    assert format_of(file("Ada\tB-PER\n7|t|x\tO\n")) == "conll"


def test_damaged_files_are_errors_of_the_format(file):
    draw, sound = random.Random(17), (ADA + MENTIONS + RELATION + "\n" + BOB).encode()
    path = file("")
    for _ in range(300):
        data = bytearray(sound)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.choice(b"\t\n|79x\xff\x00")
        path.write_bytes(data)
        try:
            READ(path)
        except FormatError:
            pass
