#!/bin/sh
# Runs the program of this clone with the flags and variables of a server, for `npm start` and `npm run quire`.
# See bin/server-flags.cjs for the flags, and docs/decisions/0017-return-freed-memory.md for the variables.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}" MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
program=$(dirname "$0")/main.mjs
case $(node --version) in
  v?.* | v1?.* | v2[0-5].*) exec node --max-semi-space-size=8 "$program" "$@" ;;
esac
exec node --max-semi-space-size=8 --no-memory-pool --no-memory-pool-share-memory-on-teardown "$program" "$@"
