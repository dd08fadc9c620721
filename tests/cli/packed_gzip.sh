#!/usr/bin/env bash
# Logs packed by gzip.
packer=gzip library=ZLIB ending=gz
. tests/cli/packed.bash
