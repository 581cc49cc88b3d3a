"""Tables of scores of trees with random errors: text, Markdown, CSV."""

import csv
import io

import pytest

from helpers.perturbations import METRICS, made
from spacy_chance_eval.reports.perturbation import (
    perturbation_csv,
    perturbation_markdown,
    perturbation_text,
    short_names,
)


def test_the_text_has_a_table_for_each_kind_of_noise():
    lines = perturbation_text(made()).split("\n")
    titles = [line for line in lines if line.startswith(("Labels", "Attachments"))]
    assert titles == ["Labels and attachments", "Labels alone", "Attachments alone"]
    rows = [line.split() for line in lines if line.startswith("0.5")]
    assert rows == [["0.5", "0.4500", "-0.8000", "0.4500"]] * 3


def test_the_text_says_what_was_measured():
    first = perturbation_text(made()).split("\n")[0]
    assert first == (
        "gold.conllu: 100 sentences of 120, drawn at random, 1 token, 38 relations, 2 runs, seed 3"
    )


def test_nothing_is_said_of_drawing_if_all_sentences_were_used():
    assert "drawn" not in perturbation_text({**made(), "n_all": 100})


def test_an_undefined_score_is_a_dash():
    text = perturbation_text(made(undefined=[("labels", "las")]))
    rows = [line.split() for line in text.split("\n") if line.startswith("0.5")]
    assert [row[-1] for row in rows] == ["0.4500", "-", "0.4500"]


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (list(METRICS), ["syntax_alpha plain", "syntax_alpha diff", "las"]),
        (["las", "las(ignore=punct+p)"], ["las", "las punct+p"]),
        (["pq_alpha( p=2 , q=3 )"], ["pq_alpha 2 3"]),
        (["pq_alpha(p=2)", "pq_alpha(q=2)"], ["pq_alpha(p=2)", "pq_alpha(q=2)"]),
    ],
)
def test_short_names_are_as_short_as_they_can_be(names, short):
    assert short_names(names) == short


def test_the_markdown_has_the_tables_and_the_metrics_in_full():
    text = perturbation_markdown(made())
    assert text.startswith("# Scores of trees with random errors\n")
    assert text.count("| p | syntax\\_alpha plain | syntax\\_alpha diff | las |") == 3
    assert text.count("| 1 | 0.0000 | -2.5000 | 0.0000 |") == 3
    assert all(f"- `{request}`" in text for request in METRICS.values())


def test_names_of_files_stay_text():
    text = perturbation_markdown(made(treebank="<b>|x|_y_\x1b.conllu"))
    assert "<b>" not in text and "\x1b" not in text and "&lt;b&gt;\\|x\\|\\_y\\_" in text
    assert "\x1b" not in perturbation_text(made(treebank="\x1b.conllu"))


def test_the_csv_has_a_row_for_each_run():
    rows = list(csv.DictReader(io.StringIO(perturbation_csv(made()))))
    assert len(rows) == 3 * 3 * 3 * 2
    assert rows[0] == {
        "treebank": "gold.conllu",
        "noise": "both",
        "probability": "0.1",
        "metric": "syntax_alpha(delta=plain)",
        "run": "1",
        "value": repr(0.9 - 0.05),
        "request": METRICS["syntax_alpha(delta=plain)"],
        "seed": "3",
    }


def test_undefined_values_are_empty_in_the_csv():
    text = perturbation_csv(made(undefined=[("both", "las")]))
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["value"] == ""]
    assert {(row["noise"], row["metric"]) for row in rows} == {("both", "las")}


def test_no_cell_starts_a_formula():
    row = next(csv.DictReader(io.StringIO(perturbation_csv(made(treebank="=1+1.conllu")))))
    assert row["treebank"] == "'=1+1.conllu"
