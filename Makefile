# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Needs Python >= 3.11, a Rust toolchain and make. As root on Debian, what else is missing comes through apt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.PHONY: demo test test-slow lint build bench fuzz docs pictures clean

demo: $(VENV)/.demo
	$(BIN)/pagekin demo

## Everything CI runs.
test: $(VENV)/.system $(VENV)/.built lint
	cargo test --release --package pagekin-core --quiet
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

test-slow: $(VENV)/.system $(VENV)/.built
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/.built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cargo fmt --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

build: $(VENV)/.built

bench: $(VENV)/.system $(VENV)/.built
	$(BIN)/pip install --quiet -r benches/peers.txt
	bash benches/peers.sh $(BIN)/pip
	$(BIN)/python benches/run.py

## Coverage-guided fuzzing for a bounded time; FUZZ_SECONDS per target.
fuzz:
	bash fuzz/run

docs: $(VENV)/.built
	$(BIN)/python docs/generate.py

## The pictures of the documentation, taken by the tests that draw pages.
pictures: $(VENV)/.system $(VENV)/.built
	$(BIN)/python -m pytest tests/web -k pictures --pictures docs/images

clean:
	rm -rf $(VENV) target

$(VENV)/bin/maturin:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pagekin needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip 'maturin>=1.9,<2'

# The demo needs little; tests and benches need it all.
$(VENV)/.demo: $(VENV)/bin/maturin $(SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet
	touch $@

$(VENV)/.built: $(VENV)/bin/maturin $(SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet --extras spark,crawl,report,remote --group dev
	touch $@ $(VENV)/.demo

$(VENV)/.system: tools/system $(VENV)/bin/maturin
	bash tools/system
	touch $@
