"""`rotate` on the command line: what it says, and what it leaves alone."""

from pathlib import Path

import pytest

from companion import cli
from companion.store.installation import kept_keys


@pytest.fixture(autouse=True)
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPANION_NO_VENV", "1")
    monkeypatch.setenv("COMPANION_INSTANCE", str(tmp_path))
    for name in ("SECRET_KEY", "SECRET_KEY_FALLBACKS", "HOUSE_KEY", "HOSTS", "HTTPS"):
        monkeypatch.delenv(f"COMPANION_{name}", raising=False)
    return tmp_path


def test_rotate_signs_with_a_new_secret(instance, capsys):
    (first,) = kept_keys(instance / "secret.key")
    assert cli.main(["rotate"]) == 0
    second, former = kept_keys(instance / "secret.key")
    assert former == first
    said = capsys.readouterr()
    assert "stay valid" in said.out
    assert said.err == ""
    assert second not in said.out
    assert not (instance / "house.key").exists()


def test_rotate_can_forget(instance, capsys):
    (first,) = kept_keys(instance / "secret.key")
    assert cli.main(["rotate", "--forget"]) == 0
    assert first not in kept_keys(instance / "secret.key")
    assert "Every phone has to open the printed address again" in capsys.readouterr().out


def test_rotate_house_prints_the_new_address(instance, capsys):
    first = kept_keys(instance / "house.key")[0]
    assert cli.main(["rotate", "--house", "--host", "127.0.0.1", "--port", "9000"]) == 0
    second = kept_keys(instance / "house.key")[0]
    assert second != first
    assert f"http://localhost:9000/k/{second}\n" in capsys.readouterr().out
    assert not (instance / "secret.key").exists()


def test_behind_a_proxy_it_prints_the_proxys_address(instance, monkeypatch, capsys):
    monkeypatch.setenv("COMPANION_HOSTS", "scores.example")
    monkeypatch.setenv("COMPANION_HTTPS", "1")
    assert cli.main(["rotate", "--house"]) == 0
    key = kept_keys(instance / "house.key")[0]
    assert f"  https://scores.example/k/{key}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "variable"), [((), "COMPANION_SECRET_KEY"), (("--house",), "COMPANION_HOUSE_KEY")]
)
def test_a_key_from_the_environment_is_changed_there(
    instance, monkeypatch, capsys, arguments, variable
):
    monkeypatch.setenv(variable, "k" * 43)
    assert cli.main(["rotate", *arguments]) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith(f"This key comes from {variable}: put a new one there")
    assert "k" * 43 not in sentence
    assert list(instance.iterdir()) == []


@pytest.mark.parametrize(("arguments", "name"), [((), "secret.key"), (("--house",), "house.key")])
def test_what_is_no_key_is_left_alone(instance, capsys, arguments, name):
    (instance / name).write_text("x")
    assert cli.main(["rotate", *arguments]) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert name in sentence
    assert "(it holds no key). Put the saved one back" in sentence
    assert "free some space" not in sentence
    assert (instance / name).read_text() == "x"


def test_a_setting_that_cannot_be_is_said_first(instance, monkeypatch, capsys):
    monkeypatch.setenv("COMPANION_HOSTS", "https://scores.example")
    for command in (["rotate", "--house"], ["migrate"]):
        assert cli.main(command) == 1
        (sentence,) = capsys.readouterr().err.splitlines()
        assert sentence == "COMPANION_HOSTS is a list of host names with commas, without https://."
    assert list(instance.iterdir()) == []


def test_forgetting_is_about_secrets_and_not_about_houses(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["rotate", "--house", "--forget"])
    assert stopped.value.code == 2
    assert "not allowed with" in capsys.readouterr().err
