package shared

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestTraces(t *testing.T) {
	for _, name := range Traces(t) {
		data := Trace(t, name)
		if !bytes.Contains(data[:32], []byte("!FastSerialization.1")) && !bytes.HasPrefix(data, []byte("Nettrace")) {
			t.Errorf("%s does not begin like a trace: % x", name, data[:32])
		}
	}
}

func TestStreams(t *testing.T) {
	list := Streams(t)
	if len(list) == 0 {
		t.Fatal("no streams")
	}
	for i, name := range list {
		if i > 0 && name == list[i-1] {
			t.Errorf("%s is there twice", name)
		}
		if len(Stream(t, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

func TestOracle(t *testing.T) {
	if s := string(Oracle(t, "summary.ndjson")); !strings.HasPrefix(s, "{") {
		t.Errorf("summary.ndjson begins with %.20q", s)
	}
	if s := string(Oracle(t, "net10-empty.v4.events.tsv.zst")); strings.Count(s, "\n") != 1 {
		t.Errorf("net10-empty.v4 has one event, the answer is %q", s)
	}
}

// A folder that is not there skips the test, and says where it looked.
func TestAbsent(t *testing.T) {
	t.Setenv("NETTRACE_SHARED", "/no/such/folder")
	tb := &skipped{TB: t}
	func() {
		defer func() { _ = recover() }()
		Dir(tb)
	}()
	if !strings.Contains(tb.reason, "/no/such/folder") {
		t.Errorf("the reason is %q", tb.reason)
	}
}

// skipped notes why a test would be skipped.
type skipped struct {
	testing.TB
	reason string
}

func (s *skipped) Skipf(format string, args ...any) {
	s.reason = fmt.Sprintf(format, args...)
	panic(s)
}
