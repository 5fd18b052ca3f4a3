package nettrace_test

import (
	"bytes"
	"os"
	"testing"
)

// TestExpectCopies compares the assertions of this module's tests with those of
// module codec, which cannot import them.
func TestExpectCopies(t *testing.T) {
	for _, name := range []string{"expect.go", "expect_test.go"} {
		t.Run(name, func(t *testing.T) {
			ours, err := os.ReadFile("internal/expect/" + name)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := os.ReadFile("codec/internal/expect/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(ours, theirs) {
				t.Error("the files differ: copy one to the other")
			}
		})
	}
}
