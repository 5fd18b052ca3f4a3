#!/bin/bash -eu
# Builds each target of dev/libfuzzer, with its seeds and its dictionary, in the
# container of OSS-Fuzz. "make oss-fuzz-check" runs this script without that container.
cd "$SRC/nettrace"

# The targets write their seeds, in the encoding that go-118-fuzz-build reads, instead of
# running them.
seeds=$(mktemp -d)
NETTRACE_FUZZ_SEEDS=$seeds go test -count=1 -run '^Fuzz' ./fuzz

# The module has to require the version of the tool that is installed.
cd dev/libfuzzer
export GOWORK=off
tool=github.com/AdamKorcz/go-118-fuzz-build
built=$(go version -m "$(command -v go-118-fuzz-build_v2)")
version=$(sed -n 's/.*vcs\.revision=//p' <<<"$built")
[ -n "$version" ] || version=$(awk -v tool="$tool" '$1 == "mod" && $2 == tool { print $3 }' <<<"$built")
go get "$tool/testing@$version"

# The tool changes files of the package and restores them.
mapfile -t targets < <(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' targets_test.go)
for target in "${targets[@]}"; do
  compile_native_go_fuzzer_v2 github.com/nettrace-go/nettrace/dev/libfuzzer "$target" "$target"
  cp ../../fuzz/oss-fuzz/nettrace.dict "$OUT/$target.dict"
  find "$seeds/$target" -type f | zip -q -j -@ "$OUT/${target}_seed_corpus.zip"
done
