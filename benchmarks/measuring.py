"""Measuring tools of all benchmarks: seconds, peak memory, separate processes, the machine."""

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

try:
    import resource  # limits of memory, and processor seconds of children
except ImportError as error:
    raise SystemExit("benchmarks measure on Linux and macOS only") from error

HERE = Path(__file__).parent
MB = 1024 if sys.platform == "darwin" else 1  # ru_maxrss comes in bytes there, else in kilobytes
PACKAGES = (
    *("numpy", "scipy", "numba", "spacy", "seqeval", "nervaluate", "scikit-learn", "nltk"),
    *("krippendorff", "zss", "apted", "edist", "msgspec"),
)
# so that processor seconds are those of the work, not of threads of BLAS that wait
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# how Python, numpy, the loader of libraries, C and C++ say so
NO_MEMORY = (
    *("MemoryError", "Unable to allocate", "failed to map segment", "Cannot allocate memory"),
    "bad_alloc",
)


class MeasuringError(Exception):
    """Raised for a process without figures, with the reason."""


class Clock:
    """Seconds by the clock and of the processor since it was made.

    Processor seconds are those of all threads, and of the processes that were waited for.
    """

    def __init__(self):
        self.start, self.used = time.perf_counter(), processor_seconds()

    @property
    def seconds(self):
        return time.perf_counter() - self.start

    @property
    def times(self):
        return {"seconds": self.seconds, "processor_seconds": processor_seconds() - self.used}


def processor_seconds():
    """Processor seconds of this process and its children, over all cores."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


# --- memory


def peak_mb():
    """Peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / MB


def peak_of_children():
    """Peak memory of the largest process that this one waited for, in MB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 / MB


def forget_peak():
    """Reset the peak to the memory in use now, if the system can do that.

    Then memory that was used only while the input was made does not count.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    except OSError:
        pass


def limit_memory(megabytes):
    """Make this process fail if it needs more memory, so that the machine does not."""
    size = int(megabytes) << 20
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def memory_mb():
    """Memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20


# --- processes


def own_process(*arguments, limit=None):
    """The last line that a Python process prints, parsed as JSON.

    Parameters
    ----------
    *arguments
        Of Python: a file of this folder and its arguments, or "-c" and code.
    limit : float, optional
        Seconds after which it is stopped, with all processes that it started.

    Raises
    ------
    MeasuringError
        If it takes longer, fails, or prints nothing.
    """
    with tempfile.TemporaryDirectory() as folder:  # its output goes with it
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            cwd=HERE,
            env=os.environ | {"TMPDIR": folder} | ONE_THREAD,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        try:
            out, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            raise MeasuringError(f"took more than {limit:,.0f} s, input included") from None
        finally:
            stop(process)
    if process.returncode:
        raise MeasuringError(reason(process.returncode, errors))
    try:
        return json.loads(out.splitlines()[-1])
    except (IndexError, ValueError):
        raise MeasuringError("printed no figures") from None


def stop(process):
    """End a process, if it runs, and the processes that it left."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def reason(code, errors):
    """Why a process failed, in a line."""
    last = ([line for line in errors.splitlines() if line.strip()] or ["no message"])[-1]
    if any(words in last for words in NO_MEMORY):
        return "needs more memory than there is"
    if code == -signal.SIGKILL:
        return "was killed, probably for lack of memory"
    if "ModuleNotFoundError" in last:
        return f"not installed: {last.partition(': ')[2]}"
    return f"failed: {last.strip()[:200]}"


# --- the machine


def machine():
    """The conditions of a run: processor, cores, memory, system, versions."""
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "memory_gb": round(memory_mb() / 1024, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := version_of(name))},
    }


def processor():
    """Name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return (names or [platform.processor() or platform.machine()])[0]


def version_of(package):
    """The version of an installed package, else None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def described(facts):
    """The machine in a line."""
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gb']} GB, "
        f"{facts['system']}, Python {facts['python']}, numpy {facts['versions'].get('numpy')}"
    )


def load():
    """Mean number of processes that wanted a core in the last minute."""
    return round(os.getloadavg()[0], 2)


def write_json(path, found):
    """Write plain values; the file is written whole, or stays as it was."""
    path = Path(path)
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(found, indent=2) + "\n", encoding="utf8")
    part.replace(path)
