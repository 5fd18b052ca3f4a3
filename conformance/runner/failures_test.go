package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNothingSupported: exit code 3 for all cases is no success.
func TestNothingSupported(t *testing.T) {
	for _, opt := range []Options{{}, {Stream: true}} {
		t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
			r := ask(t, "none", opt)
			expect.Equal(t, "Fine", r.Fine(), false)
			expect.Contains(t, "Summary", r.Summary(), "the program supports none of them")
		})
	}
}

// TestVersionReadElsewhere: exit code 3 fails a case whose version the reader reads in
// another case.
func TestVersionReadElsewhere(t *testing.T) {
	failed := 0
	for _, r := range ask(t, "some6", Options{Stream: true}).Results {
		if r.Outcome == Failed && len(r.Case.Trace)%2 == 0 {
			failed++
			expect.Contains(t, "Reason", r.Reason, "exit code 3")
		}
	}
	expect.AtLeast(t, "failed", failed, 1)
}

// TestStderr: a failed case has what the program wrote for it, and for no other case.
func TestStderr(t *testing.T) {
	for _, opt := range []Options{{}, {Stream: true}} {
		t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
			for _, r := range ask(t, "rejects", opt).Results {
				want := ""
				if r.Outcome == Failed {
					want = fmt.Sprintf("a trace of %d bytes\nis rejected\n", len(r.Case.Trace))
				}
				expect.Equal(t, r.Case.Name, r.Stderr, want)
			}
		})
	}
}

// TestMismatch: a failure names the key and both values, in the notation of the
// protocol and complete.
func TestMismatch(t *testing.T) {
	long := strings.Repeat("ab", 5000)
	for _, c := range []struct {
		name, old, new string
		key, got, want string
	}{
		{"text", `"time":"20"`, `"time":"21"`, "time", `"21"`, `"20"`},
		{"missing", `"sequence":7,`, ``, "sequence", "", "7"},
		{"unexpected", `"sequence":7,`, `"sequence":7,"payload":"` + long + `",`, "payload", `"` + long + `"`, ""},
		{"surrogate", `\ud800`, `\ud801`, "fields", `{"f":0.1,"s":"\ud801"}`, `{"f":0.1,"s":"\ud800"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(validCase(), adapter.Read, []byte(changed(t, []string{c.old, c.new})))
			var d *Mismatch
			expect.Equal(t, "errors.As", errors.As(err, &d), true)
			expect.Equal(t, "Key", d.Key, c.key)
			expect.Equal(t, "Got", string(d.Got), c.got)
			expect.Equal(t, "Want", string(d.Want), c.want)
			expect.Contains(t, "Error", err.Error(), ", event: "+c.key+" is ")
		})
	}
}

// TestWrittenMismatch: the failure of a writer names the key of the event too.
func TestWrittenMismatch(t *testing.T) {
	c := *validCase()
	wrong := c
	wrong.Lines = []byte(changed(t, []string{`"stack":["0x1"]`, `"stack":["0x2"]`}))
	want, err := parse(c.Lines)
	expect.NoError(t, err)
	got, err := parse(wrong.Lines)
	expect.NoError(t, err)
	expect.Equal(t, "error", fmt.Sprint(sameMeaning(want, got)), `the event at time "10": stack is ["0x2"], want ["0x1"]`)
}

// TestEmpty: an empty key is equal to a missing one, also in a type.
func TestEmpty(t *testing.T) {
	for name, change := range map[string][]string{
		"sorted":         {`"sequence":7`, `"sequence":7,"sorted":false`},
		"fields of type": {`"type":"Double"`, `"type":"Double","fields":[]`},
		"null":           {`"sequence":7`, `"sequence":7,"stack":null`},
	} {
		t.Run(name, func(t *testing.T) {
			expect.NoError(t, Check(validCase(), adapter.Read, []byte(changed(t, change))))
		})
	}
}

// TestFlushLines: some inputs of writers have a flush line with other lines after it,
// some end with one, and some have none.
func TestFlushLines(t *testing.T) {
	count := map[string]int{}
	for _, c := range cases.All() {
		if !Writable(&c) {
			continue
		}
		before, after, _ := strings.Cut(string(Input(&c)), flushLine)
		switch {
		case len(before) == len(Input(&c)):
			count["none"]++
		case strings.HasSuffix(after, flushLine) && len(after) > len(flushLine):
			count["middle and end"]++
		case after != "":
			count["middle"]++
		}
	}
	for _, kind := range []string{"none", "middle", "middle and end"} {
		expect.AtLeast(t, kind, count[kind], 20)
	}
}
