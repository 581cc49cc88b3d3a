import pytest

from helpers import boards
from helpers.cases import each_case
from helpers.htmlpages import Page
from helpers.rendered import leaderboard_page

HOSTILE = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "$x$",
    "{{ 7*7 }}",
    "</title><img src=x onerror=alert(1)>",
    "a & b &lt;",
]


@pytest.fixture(scope="module")
def text():
    return leaderboard_page(boards.result())


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@each_case("name", HOSTILE)
def test_hostile_strings_stay_text_wherever_they_stand(name):
    result = boards.result(
        names=[name, "b"], labels=[name], subsets=[(name, name)], title=name, gold=name,
        layer=name, notes=[name], left_out=[{"name": name, "source": name, "reason": name}],
    )  # fmt: skip
    for board in result["boards"]:
        board["metric"] = f"{board['metric']} {name}"
        for row in board["rows"]:
            row["signature"] = name
    page = Page(leaderboard_page(result))
    assert len(page.all("script")) == 1 and not page.all("img")
    assert not [key for _, attributes in page.tags for key in attributes if key.startswith("on")]
    assert name in page.texts and "49" not in page.texts


def test_a_page_loads_nothing_and_forbids_it(text, page):
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'") and "script-src 'sha256-" in policy
    assert not [a for tag, a in page.tags if "src" in a]
    assert [link["href"] for link in page.all("link")] == ["data:,"]
    assert "@import" not in text and "url(" not in text


def test_only_web_addresses_and_places_on_disk_are_linked(page):
    links = {link["href"] for link in page.all("a")}
    assert "https://example.org/a?b=1&c=2" in links
    assert not any(link.startswith("javascript") for link in links)


def test_errors_are_linked_next_to_the_rank(page):
    assert "board_errors/00-a%20b.html" in {link["href"] for link in page.all("a")}


def test_errors_cannot_smuggle_in_a_scheme():
    result = boards.result(names=["a"], systems=[boards.system("a", errors="javascript:alert(1)")])
    links = [link["href"] for link in Page(leaderboard_page(result)).all("a")]
    assert "javascript%3Aalert%281%29" in links and "javascript:alert(1)" not in links


def test_headings_are_in_order(page):
    levels = [int(tag[1]) for tag, _ in page.tags if tag in ("h1", "h2", "h3")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))


def test_a_page_has_language_landmarks_and_captions(page):
    assert page.all("html") == [{"lang": "en"}]
    assert all(len(page.all(tag)) == 1 for tag in ("header", "nav", "main", "footer"))
    assert len(page.all("caption")) == len(page.all("table"))
    assert all("scope" in head for head in page.all("th"))


def test_tables_scroll_in_regions_that_have_a_name_and_take_the_focus(page):
    regions = [a for a in page.all("div") if a.get("class") == "scroll"]
    assert len(regions) == len(page.all("table"))
    assert all(r["tabindex"] == "0" and r["aria-labelledby"] for r in regions)


def test_landmarks_have_names_that_differ(page):
    """Also without script and with all details unfolded; a name is made of the texts of ids."""
    named = [a for tag, a in page.tags if tag == "section" or a.get("role") == "region"]
    names = [attributes["aria-labelledby"] for attributes in named]
    texts = [" ".join(page.text_of[part] for part in name.split()) for name in names]
    assert len(set(texts)) == len(texts) > len(boards.result()["boards"])


def test_every_label_and_subset_has_a_panel_that_nothing_hides(page):
    panels = [a for a in page.all("section") if a.get("class") == "panel"]
    assert len(panels) == len(boards.result()["boards"]) - len(boards.METRICS)
    assert not any("hidden" in panel for panel in panels)


def test_notes_systems_left_out_and_signatures_are_on_the_page(page):
    joined = "\n".join(page.texts)
    assert "With 6 clusters" in joined and "no such file\\nsecond line" in joined
    assert boards.METRICS["slicm"] + "|docs=1287|v=0.1.0" in joined


def test_one_system_on_one_board_is_a_page_too():
    result = boards.result(names=["alone"], metrics=["slicm"], labels=[], subsets=[], left_out=[])
    page = Page(leaderboard_page(result))
    assert "alone" in page.texts and "Systems left out" not in page.texts


@pytest.mark.parametrize("n_labels, chosen_by", [(12, "data-tabs"), (13, "data-choose")])
def test_many_labels_are_chosen_from_a_list(n_labels, chosen_by):
    labels = [f"label {i}" for i in range(n_labels)]
    result = boards.result(names=["a"], metrics=["span_f"], labels=labels, subsets=[])
    groups = [a for a in Page(leaderboard_page(result)).all("div") if "class" not in a]
    assert [list(group) for group in groups] == [[chosen_by]]


def test_only_the_most_frequent_labels_have_boards_on_the_page():
    labels = [f"L{number}" for number in range(103)]
    result = boards.result(names=["a", "b"], labels=labels, subsets=[])
    rare = ("L7", "L0", "L102")
    for board in result["boards"]:
        for row in board["rows"]:
            row["gold"] = 3 if board["label"] in rare else 4
    page = leaderboard_page(result)
    found = {label: f'data-tab="{label}"' in page for label in labels}
    assert [label for label in labels if not found[label]] == sorted(rare, key=labels.index)
    assert "3 boards of rarer labels are not on this page" in page
    assert "rarer labels" not in leaderboard_page(boards.result(names=["a"], labels=["PER"]))
