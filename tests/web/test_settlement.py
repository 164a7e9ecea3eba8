"""Settling up on the tally: who pays whom, what is refused, and who sees nothing of it."""

import re
from urllib.parse import urlencode

import pytest

from companion.notebook.events import CardTurned, GameEnded
from tests.notebook.evening import ANA, BEN, CEM, of_game
from tests.web.conftest import Marker, begin, checked, read_in, text, value, viewers_link


@pytest.fixture
def over(marker: Marker) -> str:
    """The address of a game that is over: Cem has won with 12 points, Ana has 24 and Ben 36."""
    evening = of_game("carioca")
    evening.mark(CEM, {ANA: 24, BEN: 30})
    evening.mark(ANA, {BEN: 6, CEM: 12})
    evening.write(GameEnded(3))
    return read_in(marker, evening)


def settled(marker: Marker, game: str, **asked: str) -> str:
    """The tally, with this asked for."""
    return marker.open(f"{game}/tally?{urlencode(asked)}")


def paid(page: str) -> list[str]:
    """The lines of the payments."""
    part = page.partition('id="settled"')[2].partition("</section>")[0]
    return [" ".join(text(one).split()) for one in re.findall(r"<li>.*?</li>", part, re.DOTALL)]


def balances(page: str) -> dict[str, str]:
    part = page.partition('id="settled"')[2].partition("</section>")[0]
    return dict(re.findall(r'"row"><bdi>(.*?)</bdi></th><td><bdi>(.*?)</bdi>', part))


def test_it_is_off_until_somebody_asks_and_a_viewer_sees_nothing_of_it(marker, over, app):
    page = marker.open(f"{over}/tally")
    assert '<details class="settle screen">' in page
    assert 'id="settled"' not in page
    assert checked(page, "settle") == ["points"]
    viewer = Marker(app.test_client())
    page = settled(viewer, viewers_link(marker, over), settle="points", stake="1")
    assert "12 points" in text(page)
    assert "Settle up" not in page
    assert "pays" not in page


# Ana is 12 points behind Cem, and Ben 24. tests/notebook/test_settlement.py has who pays how much;
# nobody halves a chip: with a decimal point it is money, whose sign may be left out.
SETTLED = (
    (
        {"settle": "points", "stake": "0,05", "sign": "€"},
        ["Ben pays Cem €1.20", "Ana pays Cem €0.60"],
        {"Ana": "−€0.60", "Ben": "−€1.20", "Cem": "+€1.80"},
    ),
    (
        {"settle": "points", "stake": "2"},
        ["Ben pays Cem 48 chips", "Ana pays Cem 24 chips"],
        {"Ana": "−24 chips", "Ben": "−48 chips", "Cem": "+72 chips"},
    ),
    (
        {"settle": "prizes", "prizes": "1,50"},
        ["Ana pays Cem 0.50", "Ben pays Cem 0.50"],
        {"Ana": "−0.50", "Ben": "−0.50", "Cem": "+1.00"},
    ),
    # Each pays 5.
    (
        {"settle": "prizes", "prizes": " 10  5 "},
        ["Ben pays Cem 5 chips"],
        {"Ana": "0 chips", "Ben": "−5 chips", "Cem": "+5 chips"},
    ),
    # Each pays 4.17, and the rest, a cent, goes to the first seat: 4.16 2/3 are rounded.
    (
        {"settle": "prizes", "prizes": "10,50, 2", "sign": "Rs"},
        ["Ben pays Cem Rs4.17", "Ana pays Cem Rs2.16"],
        {"Ana": "−Rs2.16", "Ben": "−Rs4.17", "Cem": "+Rs6.33"},
    ),
)


def test_who_pays_whom_stands_open_in_the_tally(marker, over):
    for asked, lines, table in SETTLED:
        page = settled(marker, over, **asked)
        assert paid(page) == lines
        assert balances(page) == table
        assert '<details class="settle screen" open>' in page
        assert page.index('id="settled"') < page.index("</article>") < page.index("<details")
    # Twenty prizes are as many as can be: three places have a chip each, which everyone pays.
    page = settled(marker, over, settle="prizes", prizes=" ".join("1" * 20))
    assert paid(page) == ["Nobody owes anything."]


STAKE, PRIZES = {"settle": "points", "stake": "1"}, {"settle": "prizes"}
REFUSED = (
    (STAKE | {"stake": ""}, "stake", "Enter what a point costs."),
    (STAKE | {"stake": "0,00", "sign": "€"}, "stake", "Enter what a point costs."),
    (STAKE | {"stake": "-1"}, "stake", "“-1” is not an amount."),
    (STAKE | {"stake": "1.005", "sign": "€"}, "stake", "“1.005” is not an amount."),
    (STAKE | {"stake": "1 5"}, "stake", "“1 5” is not an amount."),
    (STAKE | {"stake": "9" * 99}, "stake", f"“{'9' * 20}” is not an amount."),
    (STAKE | {"stake": "<b>"}, "stake", "“<b>” is not an amount."),
    (PRIZES | {"prizes": ""}, "prizes", "Enter the prizes, starting with the first place."),
    (PRIZES | {"prizes": "0 0"}, "prizes", "Enter the prizes, starting"),
    (PRIZES | {"prizes": "10 five"}, "prizes", "“five” is not an amount."),
    (PRIZES | {"prizes": " ".join("9" * 21)}, "prizes", "20 places at most have prizes."),
    (STAKE | {"sign": "sixsix"}, "sign", "A currency sign has 5 letters at most."),
    (STAKE | {"sign": "5"}, "sign", "A currency sign has no digits."),
    (STAKE | {"sign": "\u202e"}, "sign", "A currency sign has no digits."),
)


def test_what_cannot_be_read_is_said_by_its_field_and_kept(marker, over):
    for asked, field, says in REFUSED:
        page = settled(marker, over, **asked)
        assert says in text(page)
        assert f'href="#{field}"' in page
        assert value(page, field) == asked[field].strip()
        assert 'id="settled"' not in page


def test_odd_questions_are_answered(marker, over):
    for asked in (
        {"settle": "nothing", "stake": "1"},
        {"settle": "points", "stake": "٣"},
    ):
        assert paid(settled(marker, over, **asked))
    page = settled(marker, over, settle="points", stake="1", sign="<i>")
    assert "Ben pays Cem &lt;i&gt;24.00" in page.replace("<bdi>", "").replace("</bdi>", "").replace(
        "<b>", ""
    )


def test_where_a_game_has_payments_of_its_own_a_point_of_them_costs_the_stake(marker):
    evening = of_game("indian_rummy")
    evening.write(CardTurned(1, "8"))
    evening.mark(ANA, {})
    evening.mark(ANA, {BEN: 40, CEM: 6})
    game = read_in(marker, evening)
    page = settled(marker, game, settle="points", stake="2")
    assert paid(page) == ["Ben pays Ana 80 chips", "Cem pays Ana 12 chips"]


def test_a_game_that_goes_on_is_not_settled(marker):
    game = begin(marker, ("Ana", "Ben"))
    page = settled(marker, game, settle="points", stake="1")
    assert "Settle up" not in page
    assert 'id="settled"' not in page
