package adapter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// echo prints the given trace; an empty one is rejected.
func echo(trace []byte, out io.Writer) Exit {
	_, _ = out.Write(trace)
	if len(trace) == 0 {
		return Rejected
	}
	return Read
}

func TestServe(t *testing.T) {
	in := "\x02\x00\x00\x00ab\x00\x00\x00\x00\x01\x00\x00\x00c"
	want := "\x02\x00\x00\x00ab\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00c\x00"
	var out bytes.Buffer
	if err := Serve(strings.NewReader(in), &out, echo); err != nil || out.String() != want {
		t.Errorf("%v, %q, want %q", err, out.String(), want)
	}
}

// TestServeCut: a truncated request is an error, and costs no more memory than
// the bytes that arrived.
func TestServeCut(t *testing.T) {
	for _, in := range []string{"\x02", "\x02\x00\x00\x00a", "\xff\xff\xff\xff", "\xff\xff\xff\x7fabc"} {
		t.Run(fmt.Sprintf("%q", in), func(t *testing.T) {
			if err := Serve(strings.NewReader(in), io.Discard, echo); err == nil || errors.Is(err, io.EOF) {
				t.Error(err)
			}
		})
	}
}

func TestExit(t *testing.T) {
	for exit, want := range map[Exit]string{Read: "read", Rejected: "rejected", Unsupported: "not supported", 139: "crashed (139)"} {
		t.Run(fmt.Sprint(exit), func(t *testing.T) {
			if exit.String() != want {
				t.Errorf("%s, want %s", exit, want)
			}
		})
	}
}

// TestCodec: bytes that are no trace are rejected or not supported, and the end
// line is printed nevertheless.
func TestCodec(t *testing.T) {
	const end = `{"type":"end","events":0,"lost":"0","truncated":`
	for in, want := range map[string]struct {
		exit Exit
		line string
	}{
		"":      {Rejected, end + "true}\n"},
		"no":    {Rejected, end + "false}\n"},
		"Nettr": {Rejected, end + "true}\n"},
		"Nettrace\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00": {Unsupported, end + "false}\n"},
	} {
		t.Run(fmt.Sprintf("%q", in), func(t *testing.T) {
			var out bytes.Buffer
			if exit := Codec([]byte(in), &out); exit != want.exit || out.String() != want.line {
				t.Errorf("%v, %s", exit, out.String())
			}
		})
	}
}
