"""The security page: nobody needs an address to report a hole."""

from helpers.examples import page

TEXT = page("SECURITY.md")


def test_nobody_has_to_write_to_an_address():
    assert "@" not in TEXT and "Report a vulnerability" in TEXT
