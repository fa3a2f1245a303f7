# make run: the dashboard on the shipped hands.   make test: what is tested without a browser.
# make test-slow: slow tests and those in a browser.   make test-exhaustive: before a release.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

# Tests start hundreds of processes, which would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-slow test-exhaustive lint types bench docs lock sbom clean

run: $(VENV)/.run-ready
	$(BIN)/streamlit run app.py

test: $(VENV)/.test-ready
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m "not (slow or browser or exhaustive)"

test-slow: $(VENV)/.test-ready
	sh .ci/chromium
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m "(slow or browser) and not exhaustive"

test-exhaustive: $(VENV)/.test-ready
	sh .ci/chromium
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m exhaustive

lint: $(VENV)/.test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test-ready
	$(BIN)/mypy

bench: $(VENV)/.test-ready
	$(BIN)/python -m spades bench

# build/site: the documentation; a warning is an error.
docs: $(VENV)/.docs-ready
	$(BIN)/python -m sphinx -b html -W --keep-going --quiet -d build/doctrees docs build/site

# requirements.lock: exact versions with the hashes of their files, which the image installs.
lock: $(VENV)/.release-ready
	echo "setuptools" | $(BIN)/uv pip compile pyproject.toml - --extra dashboard \
		--constraints constraints.txt --generate-hashes --universal --python-version 3.11 \
		--no-annotate --no-header --no-emit-index-url --quiet --output-file requirements.lock

# build/sbom.json: what the image holds, as CycloneDX lists it.
sbom: $(VENV)/.release-ready
	mkdir -p build
	$(BIN)/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml \
		--output-format JSON --output-file build/sbom.json

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run-ready: requirements.txt constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements.txt -c constraints.txt
	touch $@

$(VENV)/.test-ready: requirements-dev.txt constraints.txt $(VENV)/.run-ready | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt -c constraints.txt
	touch $@

$(VENV)/.docs-ready: requirements-docs.txt constraints.txt $(VENV)/.run-ready | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements-docs.txt -c constraints.txt
	touch $@

$(VENV)/.release-ready: requirements-release.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements-release.txt
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis
