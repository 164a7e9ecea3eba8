"""Whatever is sent, the answer is a page in words, and the games can still be kept."""

import pytest

from tests.fuzzing import Fuzzer

pytestmark = [pytest.mark.own_app, pytest.mark.slow]

REQUESTS = 400
SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 8)))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_request_is_answered_with_a_500(app, marker, seed):
    app.config["PROPAGATE_EXCEPTIONS"] = False
    fuzzer = Fuzzer(app, marker.client, seed)
    fuzzer.run(REQUESTS)
    assert fuzzer.failed == []
    assert fuzzer.statuses[200] > REQUESTS // 5  # or nothing was asked of what is behind the door
    assert fuzzer.statuses[303] > REQUESTS // 25
    for game in fuzzer.games:
        if marker.client.get(game).status_code == 200:
            marker.open(f"{game}/sheet")
            marker.open(f"{game}/log")
            marker.open(f"{game}/tally")
