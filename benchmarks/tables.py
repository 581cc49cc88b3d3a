"""Results of `run.py` as text and as Markdown."""

from measuring import described

COLUMNS = (30, 30, 10, 10, 10, 8, 30)
NAMES = ("topic", "row", "size", "processor", "clock", "MB", "times ours")
DASH, ABOUT = "-", "~"
LEFT = ("", "peer", "beside", "remark")  # columns of texts


def aligned(cells):
    """Cells of a line: texts to the left, numbers to the right."""
    pairs = list(zip(cells, COLUMNS))
    left = [f"{cell:{width}}" for cell, width in pairs[:2]]
    return " ".join([*left, *(f"{cell:>{width}}" for cell, width in pairs[2:])]).rstrip()


HEAD = aligned(NAMES)


def line(title, row):
    """The last figure of a row as a line of text, or the reason if there is none."""
    if row["stopped"] or not row["cells"]:
        return aligned([title, row["name"]]) + f" {row['stopped'] or ''}"
    cell = row["cells"][-1]
    numbers = (
        f"{cell['size']:,}",
        about(cell) + seconds(cell["processor_seconds"]),
        about(cell) + seconds(cell["seconds"]),
        f"{cell['peak_mb']:,.0f}",
        ratio_text(cell) + cell.get("problem", ""),
    )
    return aligned([title, row["name"], *numbers])


def seconds(number):
    """Seconds with three digits that count."""
    return f"{number:,.0f}" if number >= 100 else f"{number:#.3g}".rstrip(".")


def times(number, sign=""):
    """A ratio with two digits that count."""
    return sign + (f"{number:,.0f}" if number >= 10 else f"{number:#.2g}")


def about(cell):
    """A sign before seconds that a part of the work was measured for."""
    return ABOUT if cell["share"] < 1 else ""


def ratio_text(cell):
    """Times ours, for each row of ours it is compared with."""
    ratios = cell.get("ratios", {}).values()
    return ", ".join(times(ratio["times"], about(cell)) for ratio in ratios)


# --- Markdown


def markdown(results):
    """All results as a page: ratios first, then the figures of each topic."""
    parts = [
        f"# Benchmarks of spacy-chance-eval {results['version']}",
        f"Made by `python benchmarks/run.py` on {described(results['machine'])}.",
        ", ".join(f"{name} {found}" for name, found in results["machine"]["versions"].items()),
        "Seconds of the processor, the least of some runs, and peak memory of the process. "
        '"Times ours" are the peer\'s seconds over those of our row. Where there is a ~, part of '
        "the work was measured, and the rest reckoned. Load is the number of processes that "
        "wanted a core when the topic began.",
        "## Ratios",
        table(RATIOS, ratio_rows(results)),
        *(part for topic in results["topics"].values() for part in topic_parts(topic)),
    ]
    return "\n\n".join(parts) + "\n"


RATIOS = (
    *("", "peer", "beside", "size", "seconds", "ours", "times ours", "by the clock"),
    *("times memory", "load"),
)


def ratio_rows(results):
    """A row for each peer, size and row of ours the peer is compared with."""
    for topic in results["topics"].values():
        for row in topic["rows"]:
            for cell in row["cells"]:
                used = cell[topic["clock"]]
                for beside, ratio in cell.get("ratios", {}).items():
                    yield (
                        topic["title"],
                        row["name"],
                        beside,
                        f"{cell['size']:,}",
                        about(cell) + seconds(used),
                        seconds(used / ratio["times"]),
                        times(ratio["times"], about(cell)),
                        times(ratio["times_seconds"], about(cell)),
                        times(ratio["times_memory"]),
                        f"{topic['load_before']:.1f}",
                    )


def topic_parts(topic):
    """Heading, figures and remarks of a topic."""
    sizes = sorted({cell["size"] for row in topic["rows"] for cell in row["cells"]})
    yield f"## {topic['title']}"
    if topic["remark"]:
        yield f"{topic['remark'][:1].upper()}{topic['remark'][1:]}."
    heads = ("", *(f"{size:,} {topic['unit']}" for size in sizes), "times ours", "remark")
    yield table(heads, (topic_row(row, sizes) for row in topic["rows"]))


def topic_row(row, sizes):
    """A row of the table of a topic."""
    cells = {cell["size"]: cell for cell in row["cells"]}
    problems = [cell["problem"] for cell in row["cells"] if "problem" in cell][:1]
    stopped = [f"ends before {row['stopped']}"] if row["stopped"] else []
    figures = (
        f"{about(cells[size])}{seconds(cells[size]['processor_seconds'])} s "
        f"({seconds(cells[size]['seconds'])} by the clock), {cells[size]['peak_mb']:,.0f} MB"
        if size in cells
        else DASH
        for size in sizes
    )
    ratio = ratio_text(row["cells"][-1]) if row["cells"] else ""
    said = "; ".join(filter(None, [row["remark"], *problems, *stopped]))
    return row["name"], *figures, ratio or DASH, said


def table(heads, rows):
    """A table of texts; what would end a cell is escaped."""
    heads = list(heads)
    lines = [heads, ["---" if head in LEFT else "---:" for head in heads], *rows]
    escaped = ([str(cell).replace("|", r"\|") for cell in cells] for cells in lines)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in escaped)
