#!/usr/bin/env bash
# Logs compressed by gzip.
packer=gzip library=ZLIB ending=gz
. tests/support/compressed.bash
