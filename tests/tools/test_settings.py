import pytest

from tools.settings import FetchSettings, SearchSettings
from utils.settings import WrongSetting, read_settings


def test_hosts_that_may_be_opened_are_named_with_their_port() -> None:
    hosts = ("127.0.0.1:8000", "nas.local:80", "[::1]:81")
    assert read_settings(FetchSettings, {"allow_hosts": list(hosts)}).allow_hosts == hosts
    for wrong in ("127.0.0.1", "http://127.0.0.1:80", "nas:", "a b:80"):
        with pytest.raises(WrongSetting):
            read_settings(FetchSettings, {"allow_hosts": [wrong]})


def test_a_region_is_two_letters_and_a_language() -> None:
    assert read_settings(SearchSettings, {"region": "hk-tzh"}).region == "hk-tzh"
    with pytest.raises(WrongSetting):
        read_settings(SearchSettings, {"region": "english"})
