"""One figure of `run.py`: a row at a size, in a process of its own. Prints JSON.

    python benchmarks/cell.py TOPIC ROW DOCUMENTS [MEGABYTES]

The work is done on a few documents first, so that imports and compilers do not count; then once on
its input. Seconds and peak memory are those of the second run; its memory is what the process needs
in all: Python, the libraries and the input, too.
"""

import json
import math
import sys
import warnings

from measuring import Clock, forget_peak, limit_memory, peak_mb, peak_of_children
from topics import topics

WARM = 5  # documents


def measured(row, n_docs):
    """The figures of a row at a size."""
    row.prepare(min(WARM, n_docs))()
    clock = Clock()
    work = row.prepare(n_docs)
    making = clock.seconds
    forget_peak()
    before, clock = peak_mb(), Clock()
    found = work()
    times, share = clock.times, row.share_of(n_docs)
    return {
        **{name: used / share for name, used in times.items()},
        "share": share,
        "work_seconds": times["seconds"],  # what was really done
        "input_seconds": making,
        "peak_mb": peak_mb() + row.processes * peak_of_children(),
        "input_mb": before,
        "value": found if found is None or math.isfinite(found) else None,
    }


def main(topic, name, n_docs, megabytes=None):
    if megabytes:
        limit_memory(float(megabytes))
    warnings.simplefilter("ignore")
    print("\n" + json.dumps(measured(topics()[topic].row(name), int(n_docs))))


if __name__ == "__main__":
    main(*sys.argv[1:])
