# shellcheck shell=bash
# shellcheck disable=SC2034 # used by those that source it
# The browser of tests: the same engine without windows takes half of the processor time.
browser=$(command -v chromium-headless-shell || command -v chromium || true)
