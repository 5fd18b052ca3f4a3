#!/usr/bin/env bash
# Summarizes the traces of corpora with Beam in one process, and then with prism and its
# workers in processes of their own. Both results have the bytes of nettrace summarize.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
: "${GOWORK:?make beam-demo sets the workspace of this module}"
dir=$(mktemp -d)
prism=
trap '[ -z "$prism" ] || kill "$prism" 2>/dev/null; rm -rf "$dir"' EXIT

CGO_ENABLED=0 go build -o "$dir/nettrace-beam" ./cmd/nettrace-beam
CGO_ENABLED=0 go build -o "$dir/prism" github.com/apache/beam/sdks/v2/go/cmd/prism
traces='../../corpora/net10-*.nettrace.zst' # two of which are truncated: the exit code is 1

summarize() {
  local code=0
  "$dir/nettrace-beam" --traces "$traces" "$@" 2>"$dir/log" || code=$?
  [ $code = 1 ] || { echo "exit code $code, want 1" >&2; cat "$dir"/*log >&2; exit 1; }
}

summarize --output "$dir/in-process.nts" --dead_letters "$dir/dead.ndjson" --runner prism
echo "in one process: $(wc -c <"$dir/in-process.nts") bytes, $(wc -l <"$dir/dead.ndjson") dead letters"

NETTRACE_BEAM=$dir/nettrace-beam "$dir/prism" --serve_http=false --idle_shutdown_timeout=60s >"$dir/prism.log" 2>&1 &
prism=$!
for _ in $(seq 100); do
  (exec 3<>/dev/tcp/127.0.0.1/8073) 2>/dev/null && break
  sleep 0.1
done
summarize --output "$dir/processes.nts" --dead_letters "$dir/dead2.ndjson" \
  --runner universal --endpoint 127.0.0.1:8073 --environment_type PROCESS --worker_binary "$dir/nettrace-beam" \
  --environment_config "{\"command\":\"$PWD/worker.sh\"}"
echo "with workers in processes: $(wc -c <"$dir/processes.nts") bytes"

# Names of files are part of a summary, so that nettrace gets the same ones.
(cd ../.. && unset GOWORK && go build -o "$dir/nettrace" ./cmd/nettrace)
# shellcheck disable=SC2086
"$dir/nettrace" summarize $traces -o "$dir/serial.nts" 2>/dev/null || [ $? = 1 ]
cmp "$dir/in-process.nts" "$dir/serial.nts"
cmp "$dir/processes.nts" "$dir/serial.nts"
echo "equal to nettrace summarize"
