import socket
from pathlib import Path

import pytest

from chatbot.frontends.serving.address import ListenAddress, address_of, open_socket
from chatbot.frontends.serving.token_file import kept_token
from utils.errors import ConfigError

TOKEN = "a-token-of-some-length"


def test_a_folder_in_which_no_token_can_be_kept_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"No token can be kept in .*file: .*Name a file that has one: --token-file"):
        kept_token(tmp_path / "file")


def test_others_are_let_in_with_a_token_alone(tmp_path: Path):
    assert [ListenAddress(host, 1).is_local for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9")] == [True] * 4
    for host in ("0.0.0.0", "192.0.2.7", "::", "my.example"):
        with pytest.raises(ConfigError, match=r"so a token must guard it\. Leave --no-token out\."):
            address_of(host, 1, None)
    file = tmp_path / "token"
    with pytest.raises(ConfigError, match=r"The token in /dev/zero cannot be read: it is no regular file\. Name"):
        address_of("0.0.0.0", 1, Path("/dev/zero"))
    with pytest.raises(ConfigError, match="cannot be read: there is no such file"):
        address_of("0.0.0.0", 1, file)
    file.write_text("short")
    with pytest.raises(ConfigError, match="is too short"):
        address_of("0.0.0.0", 1, file)
    file.write_text(f" {TOKEN} \n")
    assert address_of("0.0.0.0", 1, file) == ListenAddress("0.0.0.0", 1, TOKEN, file)


def test_a_port_that_cannot_be_had_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"Port {port} of .* cannot be had: Address already in use"):
            open_socket(ListenAddress("127.0.0.1", port))
