#!/usr/bin/env bash
# Logs compressed by zstd.
packer=zstd library=ZSTD ending=zst
. tests/support/compressed.bash
