"""Where the address of the library's PostgreSQL comes from; no message has it, as its password is in it."""

import os

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from rag.settings import POSTGRES_VARIABLE
from utils.errors import ConfigError, LibraryError
from utils.network.api_keys import read_api_key
from utils.secrets import learn_secret

WHERE_IT_STANDS = (
    f"Set {POSTGRES_VARIABLE} to something like postgresql://user:password@host/database, or write that into a file"
    " of mode 0600 and name it in rag.postgres_url_file."
)


def read_connection_string(file: str) -> str:
    """The address from the environment, else from a file of mode 0600; raises `LibraryError`."""
    try:
        text = read_api_key((POSTGRES_VARIABLE,), file)
    except ConfigError as error:
        raise LibraryError(f"The address of PostgreSQL cannot be read: {error.problem}", error.remedy) from None
    if not text:
        raise LibraryError("Nothing says where the PostgreSQL of the library is.", WHERE_IT_STANDS)
    return checked_address(text)


def checked_address(text: str) -> str:
    """The address, whose password no message and no log has from now on; raises `LibraryError` where it is none."""
    try:
        parts = conninfo_to_dict(text)
    except ProgrammingError:
        raise LibraryError("The address of PostgreSQL is none that it understands.", WHERE_IT_STANDS) from None
    if password := parts.get("password"):
        learn_secret(str(password))
    return text


def hosts_of(address: str) -> list[str]:
    """The hosts that an address names, other than the sockets of this machine."""
    parts = {name: str(value) for name, value in conninfo_to_dict(address).items()}
    if service := parts.get("service") or os.environ.get("PGSERVICE", ""):
        return [f"The service {service}"]
    named = [parts.get(part) or os.environ.get(f"PG{part.upper()}", "") for part in ("host", "hostaddr")]
    return [host for hosts in named for host in hosts.split(",") if host and not host.startswith(("/", "@"))]
