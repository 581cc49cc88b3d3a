"""The command `cite`."""

from helpers.textfiles import GOLD, PRED, call, conll, failed


def test_bibtex_is_printed_or_written(tmp_path):
    printed = call("cite", "cohen_kappa").stdout
    assert printed.startswith("@misc{spacy-chance-eval,") and "@article{cohen-1960," in printed
    assert call("cite", "cohen_kappa", "-o", "-").stdout == printed
    done = call("cite", "cohen_kappa", "-o", tmp_path / "new" / "refs.bib")
    assert (tmp_path / "new" / "refs.bib").read_text(encoding="utf8") == printed
    assert done.stdout == "" and "refs.bib" in done.stderr


def test_text_has_a_line_for_each_source():
    lines = call("cite", "las", "uas", "--to", "text").stdout.splitlines()
    assert len(lines) == 2 and lines[1].startswith("Sabine Buchholz and Erwin Marsi (2006)")


def test_signatures_that_reports_print_are_understood(tmp_path):
    conll(tmp_path / "g.conll", GOLD)
    conll(tmp_path / "p.conll", PRED)
    words = ("score", tmp_path / "g.conll", tmp_path / "p.conll", "-m", "span_f", "-m", "gate_f")
    lines = call(*words, "--resamples", "50").stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("signatures"))
    shared = lines[start].partition("|")[2]
    for signature in lines[start + 1 :]:
        found = call("cite", f"{signature}|{shared}").stdout
        assert "{efron-tibshirani-1993," in found
        assert ("{li-2024," in found) == signature.startswith("span_f")


def test_unknown_names_are_refused():
    assert "did you mean 'span_f'" in failed("cite", "spanf")
    assert "unknown format 'xml'; expected one of bib, text" in failed("cite", "--to", "xml")
