"""Whatever is sent, the answer is a page in words, and the games can still be kept."""

import pytest

from tests.fuzzing import Fuzzer

pytestmark = [pytest.mark.own_app, pytest.mark.slow]

SEEDS = ((0, 250), *(pytest.param(n, 400, marks=pytest.mark.exhaustive) for n in range(1, 8)))


@pytest.mark.parametrize(("seed", "requests"), SEEDS)
def test_no_request_is_answered_with_a_500(app, marker, seed, requests):
    app.config["PROPAGATE_EXCEPTIONS"] = False
    fuzzer = Fuzzer(app, marker.client, seed)
    fuzzer.run(requests)
    assert fuzzer.failed == []
    assert fuzzer.statuses[200] > requests // 5  # or nothing was asked of what is behind the door
    assert fuzzer.statuses[303] > requests // 25
    for game in fuzzer.games:
        if marker.client.get(game).status_code == 200:
            marker.open(f"{game}/sheet")
            marker.open(f"{game}/log")
            marker.open(f"{game}/tally")
