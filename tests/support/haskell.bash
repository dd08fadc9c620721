# For tests of Haskell programs.
. tests/support/lib.bash
. tests/support/compile.bash
needs ghc

# Compiles a small program for profiling, or skips the test.
needs_profiling() {
    compile tiny tiny.hs -prof 2>/dev/null || skip "needs profiling libraries (scripts/install-deps test)"
}
