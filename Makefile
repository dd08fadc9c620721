# The everyday verbs. CMake does the work; CMakePresets.json has all the builds.
MAKEFLAGS += --no-print-directory

.PHONY: all deps demo check bench soak faults coverage fuzz format clean

SECONDS_PER_FUZZER ?= 60

all: deps
	cmake --preset release
	cmake --build build -j $$(nproc)

deps:
	@scripts/install-deps build

demo: all
	@scripts/demo

check: all
	cd build && ctest --output-on-failure -j $$(nproc)

bench: all
	bench/run
	bench/run-emit

soak: all
	tests/soak/run long

faults: all
	cd build && FAULTS=long ctest --verbose --timeout 36000 -R '^faults$$'

coverage: deps
	cmake --preset coverage
	cmake --build build-coverage -j $$(nproc)
	find build-coverage -name '*.gcda' -delete
	cd build-coverage && ctest --output-on-failure -j $$(nproc) -E '^(soak_|prometheus|readme|package)'
	scripts/coverage build-coverage

fuzz:
	scripts/fuzz $(SECONDS_PER_FUZZER)

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-*
