"""The settings of an installation, from the environment, and its keys.

The secret and the house key come from the environment or from files, and are read at the start.
Cookies signed with a former secret stay valid, so a new secret logs nobody out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from flask import Flask
from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from companion.store.installation import Installation, kept_keys

# How many former secrets stay valid: with a new one each month, a cookie lasts for its year.
MOST_FORMER: Final = 12

# Visible characters but no comma, which separates secrets.
_VISIBLE: Final = r"[!-+\x2D-~]"
_FLASKS_NAMES: Final = {"https": "SESSION_COOKIE_SECURE", "hosts": "TRUSTED_HOSTS"}


class Misconfigured(ValueError):
    """A setting that cannot be used. The message says what to do."""


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


Secret = Annotated[str, Field(pattern=f"^{_VISIBLE}{{32,}}$")]
Secrets = Annotated[list[Secret], Field(min_length=1), BeforeValidator(_split)]
# Browsers send names in lower case. Werkzeug can trust no IPv6 address and no empty label.
_LABEL: Final = "[a-z0-9-]{1,63}"
Host = Annotated[str, Field(pattern=rf"^\.?{_LABEL}(\.{_LABEL})*$")]
Hosts = Annotated[
    list[Host], Field(min_length=1), BeforeValidator(lambda text: _split(text.lower()))
]


class Settings(BaseSettings):
    """The settings by name: the variables of the environment, without ``COMPANION_``.

    A blank variable counts as not set. The description of a setting says what it has to be.
    """

    model_config = SettingsConfigDict(env_prefix="COMPANION_", enable_decoding=False)

    database_url: str | None = None
    https: bool = Field(default=False, description="is 1 or 0")
    daily_backups: bool = Field(default=True, description="is on or off")
    rate_limits: bool = Field(default=True, description="is on or off")
    secret_key: Secret | None = Field(
        default=None, description="must be at least 32 visible ASCII characters, without a comma"
    )
    secret_key_fallbacks: Secrets | None = Field(
        default=None,
        description="must be secrets of at least 32 visible ASCII characters each, with commas"
        " between them",
    )
    house_key: str | None = Field(
        default=None,
        pattern="^[A-Za-z0-9_-]{16,}$",
        description="goes into an address: at least 16 letters, digits, - or _",
    )
    trust_proxy: int = Field(
        default=0, ge=0, le=9, description="is how many proxies are in front, 0 to 9: mostly 1"
    )
    hosts: Hosts | None = Field(
        default=None, description="is a list of host names with commas, without https://"
    )
    log: Literal["text", "json"] = Field(default="text", description="is json or text")
    metrics_token: str | None = Field(
        default=None,
        pattern=f"^{_VISIBLE}{{16,}}$",
        description="must be at least 16 visible ASCII characters",
    )

    @model_validator(mode="before")
    @classmethod
    def _without_blank_ones(cls, given: dict[str, str]) -> dict[str, str]:
        return {name: text.strip() for name, text in given.items() if text.strip()}


def from_environment() -> dict[str, Any]:
    """Return the configuration of the application that the environment gives.

    Raises `Misconfigured`, which never repeats a value: it may be a secret.
    """
    try:
        settings = Settings()
    except ValidationError as problem:
        name = str(problem.errors()[0]["loc"][0])
        says = Settings.model_fields[name].description
        raise Misconfigured(f"COMPANION_{name.upper()} {says}.") from None
    if settings.secret_key_fallbacks:
        if not settings.secret_key:
            raise Misconfigured(
                "COMPANION_SECRET_KEY_FALLBACKS goes with COMPANION_SECRET_KEY: set that too."
            )
        settings.secret_key_fallbacks.reverse()  # in the environment the newest is first
    return {_FLASKS_NAMES.get(name, name.upper()): value for name, value in settings}


def public_address(config: Mapping[str, Any], port: int) -> str | None:
    """Return the pages' address, ``https://scores.example``, if the configuration names a host.

    ``port`` is the server's own, which phones use unless there is a proxy in front.
    """
    is_secure = config["SESSION_COOKIE_SECURE"]
    at = "" if is_secure or config.get("TRUST_PROXY") else f":{port}"
    for host in config["TRUSTED_HOSTS"] or ():
        if not host.startswith("."):  # which means all of its subdomains
            return f"{'https' if is_secure else 'http'}://{host}{at}"
    return None


def read_keys(app: Flask) -> None:
    """Read or make the keys that are not configured in the instance folder. Raises `OSError`."""
    config = app.config
    secrets, house = Installation.in_folder(Path(app.instance_path)).key_files
    if config.get("SECRET_KEY") is None:
        config["SECRET_KEY"], *config["SECRET_KEY_FALLBACKS"] = kept_keys(secrets)
    if config.get("HOUSE_KEY") is None:
        config["HOUSE_KEY"] = kept_keys(house)[0]
    # Flask uses fallbacks for cookies only, but forms need them, too. The last one signs.
    former = config.get("SECRET_KEY_FALLBACKS") or []
    config["WTF_CSRF_SECRET_KEY"] = [*former, config["SECRET_KEY"]]
