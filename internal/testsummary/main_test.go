package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSummary reads a run with a package that passes, one that fails, one without tests,
// one that cannot be built and one that does not end.
func TestSummary(t *testing.T) {
	const run = `go: downloading something
{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestOne"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"=== RUN   TestOne\n"}
{"Action":"pass","Package":"a","Test":"TestOne/sub"}
{"Action":"pass","Package":"a","Test":"TestOne"}
{"Action":"output","Package":"a","Test":"TestTwo","Output":"=== RUN   TestTwo\n"}
{"Action":"output","Package":"a","Test":"TestTwo","Output":"    two_test.go:8: no program x: install it\n"}
{"Action":"output","Package":"a","Test":"TestTwo","Output":"--- SKIP: TestTwo (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestTwo"}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}
{"Action":"pass","Package":"a"}
{"Action":"output","Package":"b","Test":"TestBad","Output":"    bad_test.go:3: got 1, want 2\n"}
{"Action":"fail","Package":"b","Test":"TestBad"}
{"Action":"output","Package":"b","Output":"FAIL\tb\t0.2s\n"}
{"Action":"fail","Package":"b"}
{"Action":"output","Package":"c","Output":"?   \tc\t[no test files]\n"}
{"Action":"skip","Package":"c"}
{"ImportPath":"d","Action":"build-output","Output":"d.go:1:1: undefined: x\n"}
{"ImportPath":"d","Action":"build-fail"}
{"Action":"start","Package":"e"}
`
	const want = `go: downloading something
ok  	a	0.1s
b
    bad_test.go:3: got 1, want 2
FAIL	b	0.2s
d.go:1:1: undefined: x
FAIL	e	did not end
skipped    1: no program x: install it
2 test functions ran, 1 tests were skipped, 3 packages failed
`
	var out bytes.Buffer
	s := summary{out: &out, output: map[test][]string{}, skipped: map[string]int{}, running: map[string]bool{}}
	expect.NoError(t, s.read(strings.NewReader(run)))
	s.print()
	expect.Equal(t, "summary", out.String(), want)
}
