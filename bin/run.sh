#!/bin/sh
# Runs the program of this clone as a server runs, for `npm start` and `npm run quire`. bin/quire.cjs and
# deploy/Dockerfile repeat the flag (docs/decisions/0003-a-small-young-generation.md) and the variables
# (docs/decisions/0017-return-freed-memory.md).
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}" MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
exec node --max-semi-space-size=8 "$(dirname "$0")/main.mjs" "$@"
