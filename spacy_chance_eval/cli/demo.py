"""The command `demo`: run it, write its pages, print its findings."""

from pathlib import Path

from ..reports.demo import demo_text
from ..tasks.demo import run_demo
from .options import check_outputs
from .parameters import option
from .running import echo


def demo_command(
    output: Path = option(
        "chance-demo",
        "--output",
        "-o",
        metavar="PATH",
        help="A folder for data and pages; it takes the place of that of an earlier demo, and of "
        "nothing else.",
    ),
) -> None:
    """See in a minute why to correct for chance.

      demo
      demo -o my-demo

    Six systems and four annotators, on texts that come with the package: a leaderboard before and
    after the correction, agreement label by label, and the score of one document step by step.
    Writes data and pages to a folder, and ends with findings and next steps. Needs no
    network and no extra.
    """
    check_outputs([], [output])
    demo = run_demo(output)
    from ..reports.demo import write_demo_pages  # loads jinja2

    write_demo_pages(demo.result, demo.agreement, demo.compared)
    echo(demo_text(demo.result))
