"""The limit of what a number of resamples, draws or runs may need: checked before it is allocated.

Work is done in parts of bounded memory; only what each resample leaves (its scores) is kept until
the end. That is what is counted here.
"""

# Bytes. The same on every machine, so that a command that works on one works on another; small
# enough for the machines that CI runs on.
LIMIT = 4_000_000_000
DRAW = 600  # that the sums of a random annotation take beside their numbers


def check_memory(name: str, number: int, each: float, what: str = "") -> None:
    """Raise unless all that a number of resamples, draws or runs leave fits into `LIMIT`.

    Parameters
    ----------
    name : str
        Of the argument or option, such as "resamples".
    number : int
        Its value.
    each : float
        Bytes kept for each one.
    what : str
        Beside the number, the reason for so many bytes: "for 10,001 labels of 12 systems".

    Raises
    ------
    ValueError
        With the gigabytes that are needed, and the largest number that fits.

    Examples
    --------
    >>> check_memory("resamples", 10**9, 80)
    Traceback (most recent call last):
    ValueError: resamples is 1,000,000,000, which takes 80.0 GB of memory; expected at most ...
    """
    if number * each <= LIMIT:
        return
    reason = f" {what}" if what else ""
    raise ValueError(
        f"{name} is {number:,}, which takes {number * each / 1e9:,.1f} GB of memory{reason}; "
        f"expected at most {int(LIMIT // each):,}, which fit into {LIMIT / 1e9:.0f} GB"
    )
