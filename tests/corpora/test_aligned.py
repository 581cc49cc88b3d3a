"""Files with other tokens are compared by every command, in one block as in many."""

import json
from random import Random

import pytest
from typer.testing import CliRunner

from helpers.blocks import assert_alike, many_blocks
from spacy_chance_eval.cli import app

N_DOCS = 30
TEXT = "Ann Lee met Bo-Jo in New York, Ltd."
TOKENS = {
    "gold": TEXT.replace("-", " - ").replace(",", " ,").split(),
    "other": TEXT.replace("Lee", "L ee").replace(",", " ,").split(),
    "spelled": TEXT.replace("-", " _ ").replace(",", " ,").split(),
    "few": TEXT.replace("-", " _ ").replace(",", " ,").split(),
}


def rows(tokens, seed):
    """Rows of documents with random spans, of which every third has gold's tokens, or others."""
    rng = Random(seed)
    for number in range(N_DOCS):
        is_gold = tokens != "text" and (number % 3 == 0) == (tokens != "few")
        words = TOKENS["gold"] if is_gold else TOKENS.get(tokens)
        size = len(words or TEXT)
        start = rng.randrange(size)
        span = [start, rng.randint(start + 1, min(size, start + 4)), rng.choice(["PER", "LOC"])]
        spans = [[0, 1, "PER"], span] if span[0] else [span]
        spans = [dict(zip(("start", "end", "label"), one)) for one in spans]
        about = {"text": TEXT, "_input_hash": number} if words is None else {"tokens": words}
        yield about | {"spans": spans}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("gold", "other", "spelled", "text", "same", "few")):
        tokens = "gold" if name == "same" else name
        lines = (json.dumps(row) + "\n" for row in rows(tokens, seed))
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))


def run(*args, code=0):
    result = CliRunner().invoke(app, list(args))
    assert result.exit_code == code, result.output
    return result.output


def made(*args):
    more = ["-o", "out.json"]
    run(*args, *more)
    with open("out.json") as file:
        return json.load(file)


SCORE = ["score", "--resamples", "20", "--per-doc", "gold.jsonl"]
COMMANDS = {
    "score": [*SCORE, "other.jsonl"],
    "score_text": [*SCORE, "text.jsonl"],
    "score_position": [*SCORE, "spelled.jsonl", "--align", "position"],
    "score_characters": [*SCORE, "other.jsonl", "--align", "characters"],
    "score_skip": [*SCORE, "few.jsonl", "--on-error", "skip"],
    "rank_skip": ["score", "gold.jsonl", "few.jsonl", "other.jsonl", "--on-error", "skip"],
    "rank": ["score", "gold.jsonl", "other.jsonl", "gold2=gold.jsonl", "--resamples", "20"],
    "agree": ["agree", "gold.jsonl", "other.jsonl", "--resamples", "20"],
    "agree_text": ["agree", "gold.jsonl", "text.jsonl", "--resamples", "20"],
    "agree_position": ["agree", "gold.jsonl", "spelled.jsonl", "--align", "position"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_one_block_gives_the_numbers_of_many(files, name):
    with many_blocks(strict="text" not in name):  # Prodigy's exports are one block
        found = made(*COMMANDS[name])
    assert_alike(found, made(*COMMANDS[name]))


ALIGNED = {
    "score": "align=gold_tokens",
    "score_position": "align=position",
    "score_characters": "align=characters",
    "rank": "align=gold_tokens",
    "agree": "align=common_tokens",
    "agree_text": "align=characters",
}


def test_documents_of_another_text_are_left_out_and_counted(files):
    result = made(*COMMANDS["score_skip"])
    (layer,) = result["layers"]
    assert (layer["n_docs"], layer["n_skipped"]) == (20, 10)
    assert "skipped=pred=10/30 documents" in layer["scores"]["span_f"]["signature"]
    message = run(*SCORE, "spelled.jsonl", "--on-error", "skip", code=1)
    assert "20 of 30 documents would be left out" in message


@pytest.mark.parametrize("name", ALIGNED)
def test_signatures_and_warnings_say_what_was_done(files, name):
    result = made(*COMMANDS[name])
    assert ALIGNED[name] in json.dumps(result)
    told = "spelled otherwise" if "position" in name else "not the same tokens"
    assert any(told in one for one in result["warnings"])


def test_a_list_of_systems_says_how_each_is_aligned(files, tmp_path):
    text = "systems:\n- {path: spelled.jsonl, align: position}\n- {path: other.jsonl}\n"
    (tmp_path / "two.yml").write_text(text)
    one, two = sorted(
        made("score", "gold.jsonl", "two.yml")["systems"], key=lambda one: one["name"]
    )
    assert [one["name"], two["name"]] == ["other", "spelled"]
    with many_blocks():
        found = made("score", "gold.jsonl", "two.yml", "--resamples", "20")
    assert_alike(found, made("score", "gold.jsonl", "two.yml", "--resamples", "20"))
    (tmp_path / "two.yml").write_text(text.replace("position", "characters"))
    assert "spelled.jsonl: align is 'characters'" in run("score", "gold.jsonl", "two.yml", code=1)


def test_differences_in_characters_are_not_taken_into_gold(files):
    more = ["--merge", "pred", "-o", "new.jsonl", "--align", "characters"]
    assert "leave --align characters out" in run("diff", "gold.jsonl", "other.jsonl", *more, code=2)
