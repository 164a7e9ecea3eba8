"""The setup names its own buttons."""

import re

from tests.web.conftest import text


def test_a_dealer_without_a_name_is_asked_for_by_what_the_button_says(marker):
    answer = marker.act("/games/new", {"name": ["", "Ana", "Ben"], "dealer": "1"})
    assert answer.status_code == 422
    button = re.search(r'<label class="first-deal">.*?<span[^>]*>(.*?)</span>', answer.text)
    assert button is not None
    assert f"Say who deals first: tap “{button[1]}” beside a name." in text(answer.text)
