package main

import "testing"

// TestTestResults: the results of tests and the reasons of skipped ones are kept.
func TestTestResults(t *testing.T) {
	const output = `cd deploy && go test
=== RUN   TestArchive
=== RUN   TestArchive/chroot
    unpack_test.go:90: not run: chroot needs Linux and the user root
--- PASS: TestArchive (0.10s)
    --- SKIP: TestArchive/chroot (0.00s)
PASS
ok  	example.com/image	0.2s
`
	const want = `  unpack_test.go:90: not run: chroot needs Linux and the user root
  --- PASS: TestArchive (0.10s)
  --- SKIP: TestArchive/chroot (0.00s)
`
	if got := testResults(output); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
