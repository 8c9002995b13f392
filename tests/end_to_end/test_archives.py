"""The web offline: a question is answered from a ZIM archive by the embedded model, and cited."""

from pathlib import Path

import pytest

from tests.end_to_end.test_answers import told
from tests.fakes.site import Site
from tests.fakes.site_app import magpie
from tests.fakes.zim import write_zim

ADDRESS = "zim://towns/Ostermark_Bridge"


@pytest.mark.model
@pytest.mark.timeout(600)
async def test_the_embedded_model_answers_from_an_archive_with_the_network_off_and_cites_it(prepared_dir: Path) -> None:
    archive = write_zim(prepared_dir / "towns.zim")
    small = {"backend": "embedded", "embedded.size": "0.5b", "context_window": 4096}
    off = {"offline": True, "search.zim_files": [str(archive)]}
    async with Site() as site, magpie(prepared_dir, site, **small, **off) as app:
        answered, called = await told(app.chat.agent.ask("According to the web, who designed the Ostermark Bridge?"))
        assert "web_search" in called
        assert "Halvorsen" in answered.text
        [cited] = answered.cited
        assert (cited.passage.source, cited.passage.title) == (ADDRESS, "Ostermark Bridge")
        assert cited.passage.fetched == "2024-03-15T00:00:00+00:00"
        assert site.requests == {}
