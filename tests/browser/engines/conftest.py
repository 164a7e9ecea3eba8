"""A phone with each of the other engines, and a companion that it may find gone."""

from collections.abc import Iterator

import pytest

from tests.browser.engines.phones import ENGINES, Phone
from tests.browser.offline import House


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server that these tests may kill, if they start it again."""
    house = House(tmp_path_factory.mktemp("instance"), None)
    yield house
    house.kill()


@pytest.fixture(
    params=[
        pytest.param("webkit", marks=pytest.mark.webkit),
        pytest.param("firefox", marks=(pytest.mark.firefox, pytest.mark.exhaustive)),
    ],
    scope="module",
)
def phone(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, house: House
) -> Iterator[Phone]:
    """A phone that keeps the score, in one engine after the other."""
    with ENGINES[request.param](tmp_path_factory.mktemp(request.param)) as engine:
        phone = Phone(engine)
        phone.open(house.server.house)
        yield phone
