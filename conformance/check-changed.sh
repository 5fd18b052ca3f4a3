#!/usr/bin/env bash
# The work of action.yml: checks FILES, or the NetTrace files that differ from
# BASE, with the program NETTRACE. PROFILE, FAIL_ON and SUPPRESS are its flags.
set -euo pipefail

if [ -n "${FILES:-}" ]; then
  # shellcheck disable=SC2206 # patterns are to be expanded
  files=($FILES)
else
  mapfile -t files < <(git diff --name-only --diff-filter=d "${BASE:-HEAD~1}" HEAD |
    grep -E '\.(nettrace|netperf)(\.(zst|gz))?$' || true)
fi
if [ ${#files[@]} = 0 ]; then
  echo "no NetTrace file to check"
  exit 0
fi
flags=(--rules "${PROFILE:-default}" --fail-on "${FAIL_ON:-error}")
[ -z "${SUPPRESS:-}" ] || flags+=(--suppress "$SUPPRESS")
exec "${NETTRACE:-nettrace}" check "${flags[@]}" -- "${files[@]}"
