"""Make random ids and keys, and compare them.

Nobody can guess them: they come from the operating system's source of randomness.
"""

import hashlib
import hmac
import secrets

# Lower-case base32 without i, l, o and u, which people mix up when they copy from paper.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
GAME_ID_LENGTH = 10


def random_game_id() -> str:
    """Return a new id for a game: 10 characters of ALPHABET, 50 bits. It is not a secret."""
    return "".join(secrets.choice(ALPHABET) for _ in range(GAME_ID_LENGTH))


def following_game_id(game_id: str) -> str:
    """Return the id of the rematch of a game: every phone and server computes the same one.

    So its pages exist before it begins, and several phones can begin it but once.
    """
    mixed = hashlib.sha256(f"again after {game_id}".encode()).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in mixed[:GAME_ID_LENGTH])


def random_key() -> str:
    """Return 128 random bits as 22 characters that need no quoting in a URL."""
    return secrets.token_urlsafe(16)


def digest(key: str) -> str:
    """Return the SHA-256 of a key as 64 hexadecimal digits. Keys are looked up by it.

    The time of a lookup in an index depends on the value. With a digest, it does not show how near
    a guess was.
    """
    return hashlib.sha256(_octets(key)).hexdigest()


def can_be_kept(key: str) -> bool:
    """True if the database can store an id or key that somebody sent."""
    return key.isascii() and "\0" not in key  # PostgreSQL refuses NUL in text


def same_key(one: str, other: str) -> bool:
    """True if two keys are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(_octets(one), _octets(other))


def _octets(key: str) -> bytes:
    # A key from a URL may hold anything. It must count as wrong and not raise an error.
    return key.encode("utf-8", "surrogatepass")
