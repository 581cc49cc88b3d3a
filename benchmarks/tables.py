"""Results of `run.py` as text and as Markdown."""

from measuring import described

COLUMNS = (24, 26, 10, 10, 10, 8, 11)
NAMES = ("topic", "row", "documents", "seconds", "processor", "MB", "times ours")
DASH, ABOUT = "-", "~"
LEFT = ("", "peer", "beside", "remark")  # columns of texts


def aligned(cells):
    """Cells of a line: texts to the left, numbers to the right."""
    pairs = list(zip(cells, COLUMNS))
    left = [f"{cell:{width}}" for cell, width in pairs[:2]]
    return " ".join([*left, *(f"{cell:>{width}}" for cell, width in pairs[2:])]).rstrip()


HEAD = aligned(NAMES)


def line(title, row, cell):
    """A figure as a line of text; without one, why there is none."""
    if cell is None:
        return aligned([title, row["name"]]) + f" {row['stopped']}"
    numbers = (
        f"{cell['n_docs']:,}",
        about(cell) + seconds(cell["seconds"]),
        seconds(cell["processor_seconds"]),
        f"{cell['peak_mb']:,.0f}",
        times(cell.get("times_ours"), about(cell)),
    )
    problem = f" {cell['problem']}" if "problem" in cell else ""
    return aligned([title, row["name"], *numbers]) + problem


def seconds(number):
    """Seconds with three digits that count."""
    return f"{number:,.0f}" if number >= 100 else f"{number:#.3g}".rstrip(".")


def times(number, sign=""):
    """A ratio with two digits that count."""
    if number is None:
        return DASH
    return sign + (f"{number:,.0f}" if number >= 10 else f"{number:#.2g}")


def about(cell):
    """A sign before seconds that a part of the work was measured for."""
    return ABOUT if cell["share"] < 1 else ""


# --- Markdown


def markdown(results):
    """All results as a page: ratios first, then the figures of each topic."""
    parts = [
        f"# Benchmarks of spacy-chance-eval {results['version']}",
        f"Made by `python benchmarks/run.py` on {described(results['machine'])}.",
        ", ".join(f"{name} {found}" for name, found in results["machine"]["versions"].items()),
        'Seconds of the fastest run, and peak memory of its process. "Times ours" are the peer\'s '
        "seconds over those of our row, at the largest size that both did. Where there is a ~, "
        "part of the work was measured, and the rest reckoned.",
        "## Ratios",
        table(RATIOS, ratio_rows(results)),
        *(part for topic in results["topics"].values() for part in topic_parts(topic)),
    ]
    return "\n\n".join(parts) + "\n"


RATIOS = ("", "peer", "beside", "documents", "seconds", "ours", "times ours", "times memory")


def ratio_rows(results):
    """A row for each peer, at the largest size."""
    for topic in results["topics"].values():
        rows = {row["name"]: row for row in topic["rows"]}
        for name, row in rows.items():
            last = largest(row)
            if last is not None:
                yield (
                    topic["title"],
                    name,
                    row["beside"],
                    f"{last['n_docs']:,}",
                    about(last) + seconds(last["seconds"]),
                    seconds(last["seconds"] / last["times_ours"]),
                    times(last["times_ours"], about(last)),
                    times(last["times_memory"]),
                )


def largest(row):
    """The last figure of a row that has a ratio, else None."""
    return next((cell for cell in reversed(row["cells"]) if "times_ours" in cell), None)


def topic_parts(topic):
    """Heading, figures and remarks of a topic."""
    sizes = sorted({cell["n_docs"] for row in topic["rows"] for cell in row["cells"]})
    yield f"## {topic['title']}"
    yield f"{topic['remark'][:1].upper()}{topic['remark'][1:]}."
    heads = ("", *(f"{size:,} documents" for size in sizes), "times ours", "remark")
    yield table(heads, (topic_row(row, sizes) for row in topic["rows"]))


def topic_row(row, sizes):
    """A row of the table of a topic."""
    cells = {cell["n_docs"]: cell for cell in row["cells"]}
    problems = [cell["problem"] for cell in row["cells"] if "problem" in cell][:1]
    last, stopped = largest(row), [f"ends before {row['stopped']}"] if row["stopped"] else []
    figures = (
        f"{about(cells[size])}{seconds(cells[size]['seconds'])} s, {cells[size]['peak_mb']:,.0f} MB"
        if size in cells
        else DASH
        for size in sizes
    )
    ratio = times(last["times_ours"], about(last)) if last else DASH
    said = "; ".join(filter(None, [row["remark"], *problems, *stopped]))
    return row["name"], *figures, ratio, said


def table(heads, rows):
    """A table of texts; what would end a cell is escaped."""
    heads = list(heads)
    lines = [heads, ["---" if head in LEFT else "---:" for head in heads], *rows]
    escaped = ([str(cell).replace("|", r"\|") for cell in cells] for cells in lines)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in escaped)
