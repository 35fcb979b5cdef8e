# Everything a newcomer needs; each target sets up what it uses.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOCKED := -c requirements.lock
DATA ?= ../shared/data
# Set on many build machines; without bytecode each of the processes that tests start compiles all.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test coverage check dev evals install peers clean

demo: $(VENV)/.app  ## the main job on the sample company, no key, no network
	$(BIN)/python -m graph.demo

test: $(VENV)/.dev  ## the whole suite, on all cores
	$(BIN)/python -m pytest -n logical --dist loadfile --no-loadscope-reorder

coverage: $(VENV)/.dev  ## the suite once more, slower: which branches of state, graph, nodes it takes
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n logical --dist loadfile --no-loadscope-reorder
	$(BIN)/coverage combine -q
	$(BIN)/coverage report
	$(BIN)/coverage json -q -o .coverage.json
	$(BIN)/python -m tests.branches .coverage.json 90

check: $(VENV)/.dev  ## what CI runs before the suite: format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy .

dev: $(VENV)/.dev  ## LangGraph's development server, for Studio
	$(BIN)/langgraph dev

evals: $(VENV)/.evals  ## all evaluations; writes evals/RESULTS.md
	$(BIN)/python -m evals all --data $(DATA)

install: $(VENV)/.evals  ## everything tests and evaluations need

peers: $(VENV)/.dev  ## the other harnesses that evaluations compare with
	$(PIP) install -q $(LOCKED) --group peers

clean:
	rm -rf $(VENV) build *.egg-info

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wanted Python 3.11 or newer, came " + sys.version.split()[0] + ": make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -q --upgrade "pip>=25.1"
	touch $@

$(VENV)/.app: $(VENV)/.made pyproject.toml requirements.lock
	$(PIP) install -q $(LOCKED) -e ".[embedded]"
	touch $@

$(VENV)/.dev: $(VENV)/.app
	$(PIP) install -q $(LOCKED) -e ".[embedded,postgres]" --group dev --group evals
	touch $@

$(VENV)/.evals: $(VENV)/.dev
	$(PIP) install -q $(LOCKED) --group agentdojo
	touch $@
