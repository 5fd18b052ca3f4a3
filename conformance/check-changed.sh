#!/usr/bin/env bash
# Checks the NetTrace files of a change. action.yml runs it; other CI systems can
# run it too. It reads these variables:
#
#   FILES     Files to check, separated by spaces. Patterns are expanded. Without
#             FILES, the script checks the files that differ between BASE and HEAD.
#   BASE      The commit before the change. The script checks all files of HEAD if
#             BASE is empty or zeros (the first push of a branch), and if BASE is
#             the id of a commit that this clone does not have.
#   NETTRACE  The program. Default: nettrace.
#   PROFILE   The rule set: the flag --rules. Default: default.
#   FAIL_ON   The lowest severity that fails: the flag --fail-on. Default: error.
#   SUPPRESS  A file of suppressions: the flag --suppress.
#   SARIF     The script also writes the findings to this file, in SARIF.
#
# In GitHub Actions the findings are also annotations.
#
# The exit code is that of nettrace check. It is 2 if the script cannot find out
# which files to check.
set -euo pipefail

in_actions() { [ "${GITHUB_ACTIONS:-}" = true ]; }

fail() {
  printf 'check-changed: %s\n' "$1" >&2
  if in_actions; then printf '::error title=check-changed::%s\n' "${1//$'\n'/ }"; fi
  exit 2
}

nettrace=${NETTRACE:-nettrace}
"$nettrace" version >/dev/null || fail "cannot run the program $nettrace"

# find_base sets base to the id of BASE, or to nothing if all files are checked.
find_base() {
  base=
  case ${BASE:-} in
  *[!0]*) ;;
  *)
    echo "there is no base: checking all files of HEAD"
    return
    ;;
  esac
  base=$(git rev-parse --quiet --verify --end-of-options "$BASE^{commit}") && return
  base=
  [[ $BASE =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]] || fail "BASE is not a commit: $BASE"
  git rev-parse --quiet --verify "$BASE^{object}" >/dev/null && fail "BASE is not a commit: $BASE"
  echo "this clone does not have the base $BASE (actions/checkout: fetch-depth: 0): checking all files of HEAD"
}

# find_files adds the changed NetTrace files to files. git diff-tree and git ls-tree
# do not depend on the user's configuration, and -z keeps all characters of a name.
find_files() {
  local inside up list name
  inside=$(git rev-parse --is-inside-work-tree) || fail "no git repository here: set FILES, or check out the repository first"
  [ "$inside" = true ] || fail "no work tree here"
  git rev-parse --quiet --verify 'HEAD^{commit}' >/dev/null || fail "the repository has no commit"
  up=$(git rev-parse --show-cdup)
  find_base
  list=$(mktemp)
  # shellcheck disable=SC2064 # the name is known now
  trap "rm -f '$list'" EXIT
  if [ -n "$base" ]; then
    git diff-tree -r -z --name-only --no-renames --diff-filter=d "$base" HEAD >"$list" || fail "git cannot compare $base with HEAD"
  else
    git ls-tree -r -z --name-only --full-tree HEAD >"$list" || fail "git cannot list the files of HEAD"
  fi
  shopt -s nocasematch
  while IFS= read -r -d '' name; do
    case $name in
    *.nettrace | *.netperf | *.nettrace.zst | *.netperf.zst | *.nettrace.gz | *.netperf.gz) files+=("$up$name") ;;
    esac
  done <"$list"
  shopt -u nocasematch
}

files=()
if [ -n "${FILES:-}" ]; then
  shopt -s globstar 2>/dev/null || true # bash 3.2 of macOS does not have it
  # shellcheck disable=SC2206 # patterns are to be expanded
  files=($FILES)
  [ ${#files[@]} -gt 0 ] || fail "FILES has only spaces"
else
  find_files
fi
if [ ${#files[@]} = 0 ]; then
  echo "no NetTrace file to check"
  exit 0
fi

flags=(--rules "${PROFILE:-default}" --fail-on "${FAIL_ON:-error}")
[ -z "${SUPPRESS:-}" ] || flags+=(--suppress "$SUPPRESS")
check() { "$nettrace" check "${flags[@]}" "$@" -- "${files[@]}"; }

# The text has names of files, which must not be read as commands of GitHub.
code=0
token=check-changed-$RANDOM$RANDOM$RANDOM
if in_actions; then echo "::stop-commands::$token"; fi
check || code=$?
if in_actions; then
  echo "::$token::"
  check --format github 2>/dev/null || true # the code is known
fi
if [ -n "${SARIF:-}" ]; then
  : >"$SARIF" || fail "cannot write $SARIF"
  check --format sarif >"$SARIF" 2>/dev/null || true
  [ -s "$SARIF" ] || fail "cannot write the findings to $SARIF"
  [ -z "${GITHUB_OUTPUT:-}" ] || echo "sarif=$SARIF" >>"$GITHUB_OUTPUT"
fi
exit "$code"
