"""A server of models that questions go to, and the key that goes with them; the key is in no message."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from utils.network.api_client import ApiEndpoint
from utils.network.api_keys import is_key_for, read_api_key

WORDS_READ = 2000
"""Characters of a server's words that are looked at."""


@dataclass(frozen=True)
class Destination:
    """A server that questions may go to, with the key that goes with them; empty for none."""

    endpoint: ApiEndpoint
    key: str = field(default="", repr=False)
    lent_from: str = ""
    """The variable of the environment that the key is from, where that is not said to be for this server."""

    @property
    def host(self) -> str:
        """The host, and the port where it is not the usual one, as sentences have them."""
        return self.endpoint.target.authority

    @property
    def host_elsewhere(self) -> str:
        """The same where it is not this machine; else empty."""
        return "" if self.endpoint.is_local else self.host

    @property
    def root(self) -> str:
        """The address above /v1, where servers answer what is not of the protocol."""
        return self.endpoint.base_url.removesuffix("/v1")

    @property
    def sent_key(self) -> str:
        """The key, where it can go there unread by others."""
        return self.key if self.endpoint.may_have_key else ""


def find_destination(
    endpoint: ApiEndpoint, base_url: str, key_file: str, variable: str, own_urls: Sequence[str]
) -> Destination:
    """The server with its key, of a setting's address and key file and a variable; raises `ConfigError`.

    `own_urls` are those that the variable's key is for: the maker's, and what the environment names beside it.
    """
    endpoint.target  # noqa: B018 - an address that is none is said before its key is read
    # A key that the settings name beside an address is that server's; the environment's is of another one.
    variables = () if base_url and key_file else (variable,)
    key = read_api_key(variables, key_file)
    from_variable = bool(variables and os.environ.get(variable, "").strip())
    lent = from_variable and not is_key_for(endpoint.target.authority, own_urls)
    return Destination(endpoint, key, variable if lent else "")


def complete_scheme(url: str) -> str:
    """A base URL with the scheme that people leave out, without slashes at its end."""
    return (url if "://" in url else f"http://{url}").rstrip("/")


def hide_key(where: Destination, words: str) -> str:
    """A server's words without the key, of which some repeat the beginning and the end."""
    hidden = words.replace(where.key, "…") if where.key else words
    return re.sub(r"[^\s*]{0,100}\*{3,}[^\s*]{0,100}", "…", hidden[:WORDS_READ])
