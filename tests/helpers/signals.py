"""How programs that tests start meet signals, whatever is around the tests."""

import os
import signal

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


def heeding_signals():
    """Nothing is ignored, as SIGINT is in the background of a script and SIGHUP below nohup."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def ignoring_interrupts():
    """SIGINT is ignored, as in the background of a script; other signals are not."""
    heeding_signals()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def before_start(function):
    """Options of `subprocess.Popen` for a function that the new process calls first."""
    return {"preexec_fn": function} if os.name == "posix" else {}
