"""Make the results on WAX of Calderon, Reichart and Dror (2025) again, beside those they print.

    python scripts/papers/calderon.py [FOLDER] [--url URL] [--to text|md|csv|json] [-o FILE]

FOLDER has the authors' files, or gets them: calderon.assets.yml says from where, of which commit,
and with which checksums. Without it they are downloaded and thrown away. Printed values are those
of their notebook, alt_test_example.ipynb, which has two decimals.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import srsly
from printing import Cell, Result, cell, made_again, parser, table, write

from spacy_chance_eval import FormatError, Replacement, Resampling, Spans, replace_test

sys.path.append(str(Path(__file__).parents[1]))
from assets import fetch

LISTING = Path(__file__).with_suffix(".assets.yml")
PAPER = 'Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge"'
EPSILON = 0.1  # as in the notebook
# by candidate: winning rate and average advantage probability
PRINTED = {
    "gemini_flash": ("0.38", "0.69"),
    "gemini_pro": ("0.50", "0.74"),
    "gpt-4o": ("0.50", "0.73"),
    "llama-31": ("0.00", "0.57"),
    "gpt-4o-mini": ("0.00", "0.59"),
    "mistral-v03": ("0.00", "0.50"),
}
DETAILED = "gpt-4o"


def tested(data: Path) -> Replacement:
    """The test of all candidates, on the relations that each annotator chose.

    Parameters
    ----------
    data : Path
        Folder with the authors' two files.
    """
    humans, models = (srsly.read_json(data / f"{who}_annotations.json") for who in ("human", "llm"))
    items = sorted({item for work in humans.values() for item in work})
    annotators = {name: _labels(work, items) for name, work in humans.items()}
    candidates = {name: _labels(models[name], items) for name in PRINTED}
    return replace_test(
        annotators,
        candidates,
        epsilon=EPSILON,
        positions="category",
        intervals=Resampling(0),
    )


def _labels(work: Mapping[str, str], items: Sequence[str]) -> Spans:
    """The relation of each item; None where the annotator did not see it."""
    labels = [[(0, 1, work[item])] if item in work else None for item in items]
    return Spans.from_tuples(labels, [1] * len(items))


def tables_of_paper(data: Path) -> Result:
    """The tables.

    Parameters
    ----------
    data : Path
        Folder with the authors' two files.
    """
    result = tested(data)
    rates = table(
        "Candidates",
        f"Winning rate and average advantage probability, epsilon {EPSILON}",
        ("winning rate", "in the notebook", "advantage", "in the notebook", "passes"),
        ((name, _cells(result[name], *PRINTED[name])) for name in PRINTED),
    )
    annotators = table(
        "Annotators",
        f"{DETAILED} and each of them; the notebook prints no p-values",
        ("instances", "advantage", "mean d", "p", "as good"),
        (
            (
                row["annotator"],
                [
                    cell(row["n_instances"]),
                    cell(row["advantage_probability"]),
                    cell(row["mean_difference"]),
                    cell(row["p_value"]),
                    cell("yes" if row["rejected"] else "no"),
                ],
            )
            for row in sorted(result[DETAILED]["annotators"], key=lambda row: int(row["annotator"]))
        ),
    )
    return made_again(PAPER, [rates, annotators])


def _cells(found: Mapping[str, Any], rate: str, advantage: str) -> list[Cell]:
    """The cells of a candidate; each printed value is beside ours."""
    return [
        cell(found["winning_rate"], rate),
        cell(rate),
        cell(found["advantage_probability"], advantage),
        cell(advantage),
        cell("yes" if found["passed"] else "no"),
    ]


def main() -> None:
    """Print the tables."""
    options = parser(__doc__)
    options.add_argument(
        "folder", nargs="?", type=Path, help="of the files; else they are not kept"
    )
    options.add_argument("--url", help="another folder that has them: https:// or file:///")
    asked = options.parse_args()
    try:
        with TemporaryDirectory() as empty:
            folder = asked.folder or Path(empty)
            fetch(LISTING, folder, asked.url)
            write(tables_of_paper(folder), asked)
    except (FormatError, ValueError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
