"""Make the first part of docs/metrics.md, which questions lead to which metric, from choose.yml.

python scripts/website/choose.py
"""

from pathlib import Path

import srsly

from spacy_chance_eval import parse

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "metrics.md"
REST = "## All metrics\n"  # where the other part begins, made by metrics.py
HEAD = """# Metrics

<!-- Made by `python scripts/website/choose.py` from choose.yml. A test compares the two. -->

For those who have annotation and need a number. The questions lead to a metric; below them stand
reasons for and against each, and [all metrics](#all-metrics) with their parameters. Questions of
spans are made from the formal properties by which the paper of SL-ICM (Amigó et al. 2025, with a
chart of its own, Figure 2) [compares metrics](spans.md#which-metric-has-which-property); the
wording and the order are ours, and so are all other questions.
"""
MODEL = "Then, for the metrics with a star (corrected by the random annotation model):"


def choose_page(data: dict) -> str:
    """The part, in Markdown."""
    lines = [HEAD, "## The questions", "", *_nested("task", 0, data, set()), "", MODEL, ""]
    for question in data["model"].values():
        lines += _question(question)
    lines += ["", "## Why, and when not", ""]
    lines += ["| metric | because | but not if | more |", "| --- | --- | --- | --- |"]
    for advice in data["advice"].values():
        cells = (_metrics(advice), advice["why"], advice["unless"])
        page = advice["page"]
        lines.append(f"| {' | '.join(cells)} | [{page.partition('#')[0]}]({page}) |")
    return "\n".join(lines) + "\n"


def is_corrected(advice: dict) -> bool:
    """Whether the random annotation model corrects the metrics without being asked."""
    of_files = [text for text in advice["metrics"] if "closeness" in text]  # which name no real one
    return not of_files and all(parse(text).placement != "none" for text in advice["metrics"])


def _nested(name: str, depth: int, data: dict, seen: set[str]) -> list[str]:
    """The lines of a question and of all that follows it."""
    seen.add(name)
    question = data["questions"][name]
    lines = [f"{'    ' * depth}- {question['ask']}"]
    for answer in question["answers"]:
        then = answer["then"]
        line = (
            f"{'    ' * depth}    - {': '.join(filter(None, (answer['key'], answer.get('says'))))}"
        )
        if then in data["advice"]:
            lines.append(f"{line} -> {_metrics(data['advice'][then])}")
        elif then in seen:
            lines.append(f'{line} -> go on with "{data["questions"][then]["ask"]}", above')
        else:
            lines += [line, *_nested(then, depth + 2, data, seen)]
    return lines


def _question(question: dict) -> list[str]:
    """A question about the chance model, with the parameters that its answers set."""
    lines = [f"- {question['ask']}"]
    for answer in question["answers"]:
        sets = ",".join(f"{key}={value}" for key, value in answer.get("sets", {}).items())
        says = f"    - {answer['key']}: {answer['says']}"
        lines.append(f"{says} -> {f'`{sets}`' if sets else 'nothing to add'}")
    return lines


def _metrics(advice: dict) -> str:
    """The recommended metrics on one line, with a star if chance models correct them."""
    names = ", ".join(f"`{text}`" for text in advice["metrics"])
    options = f" with `{advice['options']}`" if "options" in advice else ""
    return names + options + " *" * is_corrected(advice)


if __name__ == "__main__":
    rest = PAGE.read_text(encoding="utf-8").partition(REST)[2]
    first = choose_page(srsly.read_yaml(HERE / "choose.yml"))
    PAGE.write_text(f"{first}\n{REST}{rest}", encoding="utf-8")
