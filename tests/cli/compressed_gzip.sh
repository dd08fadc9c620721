#!/usr/bin/env bash
# Logs packed by gzip.
packer=gzip library=ZLIB ending=gz
. tests/support/compressed.bash
