# The everyday commands. CMake does the work; CMakePresets.json has all builds.
MAKEFLAGS += --no-print-directory

.PHONY: all deps install deb demo check bench soak faults coverage fuzz format clean
.NOTPARALLEL:

PREFIX ?= /usr/local
SECONDS_PER_FUZZER ?= 60

all:
	cmake --preset release
	cmake --build build -j $$(nproc)

# Only this, demo and check run a package manager. All but the page is built without the second.
deps:
	@scripts/install-deps build
	@scripts/install-deps page || echo "hectic is built without the page of hectic view" >&2

install: all
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

deb: all
	cd build && cpack -G DEB

demo: deps all
	@scripts/demo

check: deps all
	cd build && ctest --output-on-failure -j $$(nproc)

bench: all
	bench/run
	bench/run-emit
	bench/view

soak: all
	tests/soak/run long

faults: all
	cd build && FAULTS=long ctest --verbose --timeout 36000 -R '^faults$$'

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
