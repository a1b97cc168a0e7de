# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Needs Python >= 3.11, a Rust toolchain and make. As root on Debian, what else is missing comes through apt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.PHONY: demo test test-slow test-floors lint build bench fuzz docs pictures site wheel sdist clean

demo: $(VENV)/.demo
	$(BIN)/pagekin demo

## Everything CI runs.
test: $(VENV)/.system $(VENV)/.built lint
	cargo test --release --package pagekin-core --quiet
	cargo test --release --package pagekin-core --quiet --features portable
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
	cargo build --release --quiet --package pagekin-bench
	cp target/release/libpagekin_bench.so benches/pagekin_bench.abi3.so
	$(BIN)/python benches/run.py

## Coverage-guided fuzzing for a bounded time; FUZZ_SECONDS per target.
fuzz:
	bash fuzz/run

docs: $(VENV)/.built
	$(BIN)/python docs/generate.py

## The pictures of the documentation, taken by the tests that draw pages.
pictures: $(VENV)/.system $(VENV)/.built
	$(BIN)/python -m pytest tests/web/test_report_page.py tests/web/test_looks.py -k 'pictures or screens' --pictures docs/images

## A wheel for any Linux of this machine's kind, tried without Rust on the lowest and highest Python that are here.
wheel: $(VENV)/bin/maturin
	rm -rf dist/*.whl
	$(BIN)/pip install --quiet 'ziglang>=0.13,<1'
	PATH=$(abspath $(BIN)):$$PATH maturin build --release --strip --zig --compatibility manylinux_2_17 --out dist
	bash tools/try-wheel dist/pagekin-*.whl $$(bash tools/pythons)

## The sources as they are published, built and imported.
sdist: $(VENV)/bin/maturin
	rm -rf dist/*.tar.gz build/sdist
	$(BIN)/maturin sdist --out dist
	CARGO_TARGET_DIR=$(abspath target) $(BIN)/pip wheel --quiet --no-deps --wheel-dir build/sdist dist/pagekin-*.tar.gz
	$(PYTHON) -m venv --clear build/sdist/venv
	build/sdist/venv/bin/pip install --quiet build/sdist/pagekin-*.whl
	cd build/sdist && venv/bin/pagekin --version

## The tests that need no extra service, with the lowest versions that pyproject.toml allows.
test-floors: $(VENV)/.built
	bash tools/test-floors

## The documentation as a site, in site/. Links that lead nowhere are errors.
site: $(VENV)/bin/maturin
	$(BIN)/pip install --quiet --group docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) target dist build site

$(VENV)/bin/maturin:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pagekin needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip 'maturin>=1.9,<2'

# The demo needs little; tests and benches need it all.
$(VENV)/.demo: $(VENV)/bin/maturin $(SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet
	touch $@

$(VENV)/.built: $(VENV)/bin/maturin $(SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet --extras spark,crawl,web,report,remote --group dev
	touch $@ $(VENV)/.demo

$(VENV)/.system: tools/system $(VENV)/bin/maturin
	bash tools/system
	touch $@
