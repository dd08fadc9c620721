#!/usr/bin/env bash
# Logs packed by zstd.
packer=zstd library=ZSTD ending=zst
. tests/support/compressed.bash
