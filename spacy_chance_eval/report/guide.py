"""The chart of metrics as plain text, and as the Markdown page of the documentation."""

HEAD = """# Which metric should I use?

Made by `spacy-chance-eval choose --markdown`. Do not edit: a test compares the two.

At a terminal `spacy-chance-eval choose` asks these questions one by one and ends with the command
line to run. With `--list` it prints them all; `--answers gold,partial,no,yes,yes` answers them at
once.

The paper of SL-ICM (Amigó et al. 2025) has a decision chart too. Ours is not a copy of it: it is
derived from the formal properties by which the paper compares metrics, and goes on to coefficients
of agreement, chance models and units. [spans.md](spans.md#which-metric-has-which-property) has the
table of properties, computed on the paper's examples.

## As a chart

Boxes are questions, rounded boxes are metrics. A star stands for "then ask about the chance model".
"""
MODEL = "Then, for the metrics with a star (corrected by the random annotation model)"


def chart_text(chart):
    """All questions, answers and metrics as a plain nested list."""
    lines = ["Which metric should I use?", "", *nested(chart["root"], 0), "", f"{MODEL}:"]
    for question in chart["model"]:
        lines += ["", *nested(question, 0)]
    return "\n".join(lines)


def nested(row, depth, mark=str):
    """The lines of a question and of all that follows it; `mark` marks names of metrics."""
    indent = "  " * depth
    yield f"{indent}- {row['ask']}"
    for answer in row["answers"]:
        then = answer.get("then", {})
        says = ": ".join(filter(None, (answer["key"], answer["says"])))
        yield f"{indent}  - {says}{outcome(answer, then, mark)}"
        if "question" in then:
            yield from nested(then, depth + 2, mark)


def outcome(answer, then, mark):
    """What an answer comes to, where it leads to no new question."""
    if "advice" in then:
        return f" -> {metrics(then, mark)}"
    if "see" in then:
        return f' -> go on with "{then["ask"]}", above'
    if "question" in then:
        return ""
    given = ",".join(f"{key}={value}" for key, value in answer["sets"].items())
    return f" -> {mark(given)}" if given else " -> nothing to add"


def metrics(advice, mark=str):
    """The metrics of an advice in one line."""
    return ", ".join(mark(text) for text in advice["metrics"]) + " *" * advice["model"]


def advice_text(found):
    """An advice as plain text."""
    lines = [f"{row['question']} {row['says'] or row['answer']}" for row in found["answers"]]
    lines += [
        "",
        f"Use:      {', '.join(found['metrics'])}",
        f"Because:  {found['why']}",
        f"But not:  {found['unless']}",
        f"Read:     {found['page']}",
        f"Run:      {found['command']}",
    ]
    return "\n".join(lines)


def chart_markdown(chart):
    """The page docs/choose.md."""
    lines = [HEAD, "```mermaid", "flowchart TD", *mermaid(chart["root"]), "```", ""]
    lines += ["## As a list", "", *nested(chart["root"], 0, code), "", f"{MODEL}:", ""]
    for question in chart["model"]:
        lines += nested(question, 0, code)
    lines += ["", "## Why, and when not", ""]
    lines += ["| metric | because | but not if | more |", "| --- | --- | --- | --- |"]
    for row in dict.fromkeys(table_row(advice) for advice in advices(chart["root"])):
        lines.append(row)
    return "\n".join(lines) + "\n"


def code(text):
    """A text as Markdown code, with the bar of tables spelled out."""
    return f"`{text}`"


def mermaid(row):
    """The lines of a question, its answers and all that follows it, as a flow chart."""
    name = row["question"]
    yield f'    q_{name}["{quoted(row["ask"])}"]'
    for answer in row["answers"]:
        then = answer["then"]
        target = f"a_{then['advice']}" if "advice" in then else f"q_{then.get('see', name)}"
        if "question" in then:
            target = f"q_{then['question']}"
        yield f'    q_{name} -->|"{answer["key"]}"| {target}'
        if "advice" in then:
            yield f'    {target}(["{quoted(metrics(then))}"])'
        elif "question" in then:
            yield from mermaid(then)


def quoted(text):
    """A text inside the quotes of a flow chart."""
    return text.replace('"', "#quot;")


def advices(row):
    """All advice below a question, in order."""
    for answer in row["answers"]:
        then = answer["then"]
        if "advice" in then:
            yield then
        elif "question" in then:
            yield from advices(then)


def table_row(advice):
    """Why to use the metrics of an advice, and when not."""
    cells = [metrics(advice, code), advice["why"], advice["unless"]]
    cells.append(f"[{advice['page']}]({advice['page']})")
    return "| " + " | ".join(cells) + " |"
