"""The command `bdm`: parse, call one function, print or write."""

from ..formats.outputs import write_atomically
from ..reports.bdm import bdm_text
from ..tasks.bdm import BdmTable
from .options import AnyPath, as_path, check_outputs, make_folder, progress_bar
from .parameters import argument, option
from .running import echo


def bdm_command(
    ontology: AnyPath = argument(
        ...,
        parser=as_path,
        help="CSV or TSV of child,parent; JSON; OWL or SKOS (.owl .rdf .skos .ttl, extra rdf).",
    ),
    concept: list[str] = option(
        None, "--concept", help="Only pairs of these concepts; may be repeated. [default: all]"
    ),
    names: str = option("label", help="What concepts of OWL and SKOS are called: label, fragment."),
    top: int = option(10, min=0, help="Closest pairs to print."),
    output: str | None = option(
        None, "--output", "-o", help="BDM file to write, for --bdm; - for standard output."
    ),
) -> None:
    """How close are the concepts of an ontology, by GATE's BDM?

      bdm places.csv
      bdm places.csv -o places.bdm
      bdm proton.owl --concept City --concept Capital

    The balanced distance metric is 1 for equal concepts, and 0 for those with no common ancestor
    but a root. It is high where the most specific common ancestor (msca) is deep: many edges from
    the root (cp), few from there to the two concepts (dpk, dpr), among many siblings (bran).

    The file has a line for each pair: key=City, response=Capital, bdm=0.6, msca=City, cp=2, ...
    GATE's tools read it, and so does --bdm of score and agree, which takes an ontology, too:
    -m bdm_f --bdm places.bdm
    """
    check_outputs([ontology], [output])
    table = BdmTable(ontology, concepts=concept or (), names=names, top=top)
    lines = table.lines(progress_bar)
    if output and output != "-":
        make_folder(output)
        write_atomically(output, lines)
    else:
        for line in lines:
            if output:
                echo(line)
    echo(bdm_text(table.result()).rstrip("\n"), err=output == "-")
    if output and output != "-":
        echo(f"BDM file: {output}", err=True)
