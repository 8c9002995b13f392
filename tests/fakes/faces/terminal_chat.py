"""The chat in a terminal, for a test to drive: `terminal_chat.py FOLDER SITE`; what it told goes into `told.json`."""

import asyncio
import json
import sys
from pathlib import Path

from chatbot.frontends import terminal
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.embedder import WordEmbedder
from tests.fakes.faces.script import WitnessedEngine, comparable, configure, conversation
from tests.fakes.site import Site

if __name__ == "__main__":
    EMBEDDING_BACKENDS["local"] = lambda *_: WordEmbedder()
    folder, site = Path(sys.argv[1]), Site()
    site.host = sys.argv[2]
    engine = WitnessedEngine(configure(folder, site), conversation(site))
    code = asyncio.run(terminal.run_chat(engine))
    (folder / "told.json").write_text(json.dumps(comparable(engine.turns)))
    raise SystemExit(code)
