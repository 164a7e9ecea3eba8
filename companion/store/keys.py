"""Random ids and keys, and how they are compared.

Nothing here may be guessed: all of it comes from the operating system's source of randomness.
"""

import hashlib
import hmac
import secrets

# Lower-case base32 without i, l, o and u: what is read aloud or copied from paper stays itself.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
GAME_ID_LENGTH = 10


def random_game_id() -> str:
    """A public id for a game: 10 characters of ALPHABET, 50 bits. An address, not a secret."""
    return "".join(secrets.choice(ALPHABET) for _ in range(GAME_ID_LENGTH))


def following_game_id(game_id: str) -> str:
    """The id of the game that is played again after a game: the same whoever works it out.

    So its pages can be had before it has begun, and it begins once on however many phones.
    """
    mixed = hashlib.sha256(f"again after {game_id}".encode()).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in mixed[:GAME_ID_LENGTH])


def random_key() -> str:
    """128 random bits as 22 characters that need no quoting in a URL. Whoever has it may enter."""
    return secrets.token_urlsafe(16)


def digest(key: str) -> str:
    """The SHA-256 of a key as 64 hexadecimal digits: what a key is looked up by.

    An index is searched in a time that depends on what is searched for. The digest of a guess says
    nothing about how near the guess was.
    """
    return hashlib.sha256(_octets(key)).hexdigest()


def can_be_kept(key: str) -> bool:
    """Whether an id or a key that somebody sent can be in a database at all."""
    return key.isascii() and "\0" not in key  # which PostgreSQL takes in no text


def same_key(one: str, other: str) -> bool:
    """Whether two keys are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(_octets(one), _octets(other))


def _octets(key: str) -> bytes:
    # A key that somebody typed into a URL may hold anything; it must be wrong, not an error.
    return key.encode("utf-8", "surrogatepass")
