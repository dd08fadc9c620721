# The everyday commands. CMake does the work; CMakePresets.json has all builds.
MAKEFLAGS += --no-print-directory

.PHONY: all deps install deb demo check check-deps exhaustive sanitize bench soak faults joins coverage fuzz format clean
.NOTPARALLEL:

PREFIX ?= /usr/local
SECONDS_PER_FUZZER ?= 60

export PREFIX MAINTAINER

all:
	@command -v cmake >/dev/null || { echo "cmake is missing; on Debian 12, \"make deps\" installs what hectic needs" >&2; exit 1; }
	cmake --preset release $(if $(MAINTAINER),-D,-U)HECTIC_MAINTAINER$(if $(MAINTAINER),="$$MAINTAINER")
	cmake --build build -j $$(nproc) $(TARGETS:%=--target %)
	@cat build/view.missing 2>/dev/null || true

# Only this, demo and check run a package manager.
deps:
	@scripts/install-deps build page

install: all
	@scripts/install

deb: all
	cd build && cpack -G DEB

demo: TARGETS = hectic_tool monitored view_page
demo: deps all
	@scripts/demo

# COMPLETE=1: skipped tests are failures.
check: check-deps all
	@scripts/check build

check-deps:
	@scripts/install-deps build page test

# All logs and cases, of which check tries some.
exhaustive: all
	@EXHAUSTIVE=1 scripts/check build

# All tests that .ci/run runs some of under sanitizers.
sanitize:
	cmake --preset tsan && cmake --build build-tsan -j $$(nproc)
	cmake --preset asan && cmake --build build-asan -j $$(nproc)
	@EXHAUSTIVE=1 scripts/check build-tsan -L '^threads$$' -LE '^timing$$'
	@EXHAUSTIVE=1 scripts/check build-asan -L '^parses$$' -LE '^timing$$'

bench: all
	bench/run
	bench/run-emit
	bench/sql
	bench/traces
	bench/haskell
	bench/fleet
	bench/view

soak: all
	tests/soak/run long

faults: all
	cd build && FAULTS=long VERDICTS=all BUDGETS=all ctest --verbose --timeout 36000 \
		-R '^(faults|verdict_advice|verdict_corpus|cli_budgets)$$'

prove: all
	cd build && QUERIES=100000 ctest --verbose --timeout 36000 -R '^(sql_random|sql_random_logs|export_clickhouse)$$'
	cd build && LOGS=all RANGES=20 ctest --verbose --timeout 36000 -R '^view_numbers$$'
	bench/compare-rates

joins: all
	cd build && JOINS=500 ctest --verbose --timeout 36000 -R '^units$$'

coverage:
	cmake --preset coverage
	cmake --build build-coverage -j $$(nproc)
	find build-coverage -name '*.gcda' -delete
	cd build-coverage && ctest --output-on-failure -j $$(nproc) -E '^(soak_|prometheus|readme|package|deb)'
	scripts/coverage build-coverage

fuzz:
	scripts/fuzz $(SECONDS_PER_FUZZER)

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-*
