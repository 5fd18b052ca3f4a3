package values_test

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// longPayload is the number of bytes from which the list of faults has only the
// start of a payload and its checksum.
const longPayload = 512

// fault is a fault of the other reader: a line of testdata/faults.tsv. A fault of
// one event has its place; one of many events has the parser, the number of
// events and the bytes of one of them.
type fault struct {
	place   string // trace, ticks and event, or parser and event
	count   int
	payload string // see payloadText
	fields  string // names of those that differ, as "a .b[1]"
	reason  string
	met     int
	shown   bool // the payload was met
}

// faults is the list, by place.
type faults map[string]*fault

// readFaults reads the lines of one kind, "event" or "field".
func readFaults(t *testing.T, kind string) faults {
	t.Helper()
	list := faults{}
	for line := range strings.Lines(readFile(t, "testdata/faults.tsv")) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 6 || slices.Contains(cells, "") {
			t.Fatalf("testdata/faults.tsv: %q", line)
		}
		if cells[0] != kind {
			continue
		}
		count, err := strconv.Atoi(cells[2])
		if err != nil || list[cells[1]] != nil {
			t.Fatalf("testdata/faults.tsv: %q: %v", line, err)
		}
		list[cells[1]] = &fault{place: cells[1], count: count, payload: cells[3], fields: cells[4], reason: cells[5]}
	}
	return list
}

// take handles a difference, which is an error of codec unless it is in the list
// with the same fields.
func (l faults) take(t *testing.T, place string, payload []byte, wrong []difference) {
	t.Helper()
	f, text := l[place], payloadText(payload)
	if f == nil || f.fields != paths(wrong) {
		t.Errorf("%s\t1\t%s\t%s\n%v", place, text, paths(wrong), wrong)
		return
	}
	f.met++
	f.shown = f.shown || f.payload == text
}

// check complains about faults that are not there any more.
func (l faults) check(t *testing.T) {
	t.Helper()
	for _, f := range l {
		if f.met != f.count || !f.shown {
			t.Errorf("fault %s: met %d times instead of %d; its bytes: %v", f.place, f.met, f.count, f.shown)
		}
	}
}

// payloadText is the form of a payload in the list.
func payloadText(payload []byte) string {
	switch n := len(payload); {
	case n == 0:
		return "none"
	case n > longPayload:
		return fmt.Sprintf("%x... (%d bytes, CRC-32 %08x)", payload[:16], n, crc32.ChecksumIEEE(payload))
	}
	return hex.EncodeToString(payload)
}

func paths(wrong []difference) string {
	var names []string
	for _, d := range wrong {
		names = append(names, cmp.Or(d.path, "."))
	}
	return strings.Join(names, " ")
}
