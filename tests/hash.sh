#!/bin/sh
# A line a source: the first 16 hex digits of the SHA-256 of its text without comments and blank lines, and its name.
cd "$(dirname "$0")/.." || exit 1
for f in gputrain.h gputrain_cuda.cu; do
    [ ! -f $f ] || echo "$(LC_ALL=C awk -f tests/strip.awk $f | sha256sum | cut -c1-16) $f"
done
