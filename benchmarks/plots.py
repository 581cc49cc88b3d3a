"""Results of `run.py` as plots: seconds and memory by documents, a panel for each topic."""

import math

from matplotlib.figure import Figure

# distinguishable without colour too: ours are full lines, peers are broken ones
OURS = ("#1f5f99", "#4c9bd6", "#0b2e4f", "#7a5fb5", "#2f8f7f")
PEERS = ("#a14400", "#d98a00", "#6b6f76", "#b0417e")
MARKERS = "osD^vPX*"
TEXT, LINE = "#1d2126", "#565d66"
ACROSS, WIDTH, HEIGHT = 3, 3.6, 3.2  # panels, inches of a panel
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "benchmarks", "font.size": 8}
KINDS = {"plot.svg": ("seconds", "seconds"), "memory.svg": ("peak_mb", "peak memory, MB")}


def write_plots(results, folder):
    """`plot.svg` and `memory.svg`."""
    from matplotlib import rc_context

    for name, (key, title) in KINDS.items():
        with rc_context(SETTINGS):
            figure = drawn(results, key, title)
            figure.savefig(folder / name, metadata={"Date": None, "Title": f"{title} by documents"})


def drawn(results, key, title):
    """A figure with a panel for each topic, all on the same scales."""
    shown = [topic for topic in results["topics"].values() if points_of(topic, key)]
    down = max(1, math.ceil(len(shown) / ACROSS))
    figure = Figure(figsize=(ACROSS * WIDTH, down * HEIGHT), layout="constrained")
    grid = figure.subplots(down, ACROSS, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, topic in zip(grid, shown):
        draw_topic(axes, topic, key)
    for axes in grid[len(shown) :]:
        axes.set_visible(False)
    for axes in grid[max(0, len(shown) - ACROSS) : len(shown)]:  # the lowest of each column
        axes.tick_params(labelbottom=True)
    figure.supylabel(title, color=TEXT)
    figure.supxlabel("documents", color=TEXT)
    return figure


def draw_topic(axes, topic, key):
    """The lines of a topic, on logarithmic scales."""
    counts = {True: 0, False: 0}
    for number, row in enumerate(topic["rows"]):
        peer = row["beside"] is not None
        colours = PEERS if peer else OURS
        colour = colours[counts[peer] % len(colours)]
        counts[peer] += 1
        style = {"color": colour, "marker": MARKERS[number % len(MARKERS)], "markersize": 4}
        style |= {"linestyle": "--" if peer else "-", "linewidth": 1.3}
        axes.plot(
            [cell["n_docs"] for cell in row["cells"]],
            [cell[key] for cell in row["cells"]],
            label=row["name"],
            **style,
        )
    axes.set(xscale="log", yscale="log")
    axes.minorticks_off()
    axes.set_title(topic["title"], color=TEXT, loc="left")
    axes.grid(color=LINE, alpha=0.25, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=LINE, labelcolor=TEXT)
    axes.legend(frameon=False, labelcolor=TEXT, fontsize=7)


def points_of(topic, key):
    """All values of a topic."""
    return [cell[key] for row in topic["rows"] for cell in row["cells"]]
