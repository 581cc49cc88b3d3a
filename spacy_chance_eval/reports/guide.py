"""The guide to metrics as text, and as the Markdown page of the documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .tables import code
from .words import Result

HEAD = """# Which metric should I use?

<!-- Made by `spacy-chance-eval choose --markdown`. Do not edit: a test compares the two. -->

At a terminal `spacy-chance-eval choose` asks these questions one by one and ends with the command
line to run. With `--list` it prints them all; `--answers gold,partial,no,yes,yes` answers them at
once.

The paper of SL-ICM (Amigó et al. 2025) has a decision chart too, its Figure 2, which is a drawing
without text. Its questions are made here from the formal properties by which the paper compares
metrics, one or two for each question; the wording and the order are ours, and so are all other
questions: of trees, GATE's scores, coefficients of agreement, chance models and units. Tests hold
the answers against the properties that each metric has, computed on the paper's examples
([spans.md](spans.md#which-metric-has-which-property)).

## As a chart

Boxes are questions, rounded boxes are metrics. A star stands for "then ask about the chance model".
"""
MODEL = "Then, for the metrics with a star (corrected by the random annotation model)"


def chart_text(chart: Result) -> str:
    """All questions, answers and metrics as a nested list.

    Parameters
    ----------
    chart : dict
        The questions, as `metrics.guide.chart` returns them.
    """
    lines = ["Which metric should I use?", "", *_nested(chart["root"], 0), "", f"{MODEL}:"]
    for question in chart["model"]:
        lines += ["", *_nested(question, 0)]
    return "\n".join(lines)


def advice_text(advice: Result) -> str:
    """The metrics that some answers lead to, and why.

    Parameters
    ----------
    advice : dict
        Answers and advice, as `metrics.guide.choose` returns them.
    """
    lines = [f"{row['question']} {row['says'] or row['answer']}" for row in advice["answers"]]
    lines += [
        "",
        f"Use:      {', '.join(advice['metrics'])}",
        f"Because:  {advice['why']}",
        f"But not:  {advice['unless']}",
        f"Read:     {advice['page']}",
        f"Run:      {advice['command']}",
    ]
    if advice["plan"]:
        lines.append(f"Enough?   {advice['plan']}    # how many documents more")
    return "\n".join(lines)


def chart_markdown(chart: Result) -> str:
    """The page docs/choose.md.

    Parameters
    ----------
    chart : dict
        The questions, as `metrics.guide.chart` returns them.
    """
    lines = [HEAD, "```mermaid", "flowchart TD", *_mermaid(chart["root"]), "```", ""]
    lines += ["## As a list", "", *_deeper(_nested(chart["root"], 0, code)), "", f"{MODEL}:", ""]
    for question in chart["model"]:
        lines += _deeper(_nested(question, 0, code))
    lines += ["", "## Questions from the paper", "", "| question | properties |", "| --- | --- |"]
    lines += dict.fromkeys(_property_rows(chart["root"]))
    lines += ["", "## Why, and when not", ""]
    lines += ["| metric | because | but not if | more |", "| --- | --- | --- | --- |"]
    lines += dict.fromkeys(_table_row(advice) for advice in _all_advice(chart["root"]))
    return "\n".join(lines) + "\n"


def _nested(question: Result, depth: int, mark: Callable[[str], str] = str) -> Iterator[str]:
    """The lines of a question and of all that follows it; `mark` marks names of metrics."""
    indent = "  " * depth
    yield f"{indent}- {question['ask']}"
    for answer in question["answers"]:
        then = answer.get("then", {})
        text = ": ".join(filter(None, (answer["key"], answer["says"])))
        yield f"{indent}  - {text}{_outcome(answer, then, mark)}"
        if "question" in then:
            yield from _nested(then, depth + 2, mark)


def _deeper(lines: Iterable[str]) -> Iterator[str]:
    """Lines with twice the indent, as sites made from Markdown nest lists by four spaces."""
    for line in lines:
        text = line.lstrip()
        yield "  " * (len(line) - len(text)) + text


def _outcome(answer: Result, then: Result, mark: Callable[[str], str]) -> str:
    """The end of the questions that an answer leads to."""
    if "advice" in then:
        return f" -> {_metrics(then, mark)}"
    if "see" in then:
        return f' -> go on with "{then["ask"]}", above'
    if "question" in then:
        return ""
    parameters = ",".join(f"{key}={value}" for key, value in answer["sets"].items())
    return f" -> {mark(parameters)}" if parameters else " -> nothing to add"


def _metrics(advice: Result, mark: Callable[[str], str] = str) -> str:
    """The recommended metrics on one line."""
    return ", ".join(mark(text) for text in advice["metrics"]) + " *" * advice["model"]


def _mermaid(question: Result) -> Iterator[str]:
    """The lines of a question, its answers and all that follows it, as a flow chart."""
    name = question["question"]
    yield f'    q_{name}["{_quoted(question["ask"])}"]'
    for answer in question["answers"]:
        then = answer["then"]
        target = f"a_{then['advice']}" if "advice" in then else f"q_{then.get('see', name)}"
        if "question" in then:
            target = f"q_{then['question']}"
        yield f'    q_{name} -->|"{answer["key"]}"| {target}'
        if "advice" in then:
            yield f'    {target}(["{_quoted(_metrics(then))}"])'
        elif "question" in then:
            yield from _mermaid(then)


def _property_rows(question: Result) -> Iterator[str]:
    """Rows of the questions that properties of the paper decide."""
    if question["properties"]:
        yield f"| {question['ask']} | {', '.join(question['properties'])} |"
    for answer in question["answers"]:
        if "question" in answer.get("then", {}):
            yield from _property_rows(answer["then"])


def _quoted(text: str) -> str:
    """A text inside the quotes of a flow chart."""
    return text.replace('"', "#quot;")


def _all_advice(question: Result) -> Iterator[Result]:
    """All advice below a question, in order."""
    for answer in question["answers"]:
        then = answer["then"]
        if "advice" in then:
            yield then
        elif "question" in then:
            yield from _all_advice(then)


def _table_row(advice: Result) -> str:
    """Why to use the recommended metrics, and when not."""
    cells = [_metrics(advice, code), advice["why"], advice["unless"]]
    cells.append(f"[{advice['page']}]({advice['page']})")
    return "| " + " | ".join(cells) + " |"
