package conformance_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// expectation has the used part of expected/NAME.json: the rows and their
// references in the other reader's decoder, before it sorts them, truncates them
// to its widths and counts losses.
type expectation struct {
	Outcome string
	Header  struct {
		SyncTimeUTC                   string
		SyncTimeTicks, TickFrequency  uint64
		PointerSize                   int
		ProcessID, NumberOfProcessors int
		ExpectedCPUSamplingRate       int
		KeyValues                     map[string]string // v6
	}
	Events []expectedEvent
}

type expectedEvent struct {
	Ticks      int64 // as a signed number
	PayloadLen int
	PayloadHex *string
	Stack      []string
	Row        *struct {
		MetadataID       uint32
		Sequence         uint32
		Thread           uint64 `json:"threadIndexOrId"`
		CaptureThread    uint64 `json:"captureThreadIndexOrId"`
		CaptureProcessor uint32
		OSThreadID       int64
		OSProcessID      int64
		StackID          uint32
		LabelListID      uint32
		Sorted           bool
		PayloadSize      int
	}
	Metadata struct {
		Provider, ProviderGUID, EventName string
		EventID                           uint32
		Version, Level                    uint32
		Keywords                          string
		Opcode                            *uint8
		MessageTemplate, Description      *string
		Attributes                        map[string]string
		Fields                            []string
	}
	Labels []struct {
		Key, Type string
		Value     any
		Override  string
	}
	ThreadRow *struct {
		OSThread, OSProcess int64
		Name                *string
		Attributes          map[string]string
	}
}

// TestStreamRows compares the events of every small stream with those of the
// other decoder. It lists them by time, and fewer if it stopped early, so each of
// its events must be found among those of codec.
func TestStreamRows(t *testing.T) {
	compared := 0
	shared.Dir(t) // it has the answers of the other decoder
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			want, v := expected(t, name), verdictOf(t, name)
			stream := shared.Stream(t, name)
			if want.Outcome == "ok" {
				want.checkHeader(t, name, stream)
			}
			got := read(memory(stream), codec.Options{OnError: codec.Skip})
			if want.Outcome == "ok" && len(got.events) != len(want.Events) {
				t.Errorf("%d events, the decoder has %d", len(got.events), len(want.Events))
			}
			left := slices.Clone(got.events)
			for i := range want.Events {
				at, differences := want.Events[i].closest(left, v)
				if at < 0 {
					t.Errorf("event %d of the decoder is missing", i)
					continue
				}
				if len(differences) > 0 {
					t.Errorf("event %d of the decoder, that of codec at offset %d: %s", i, left[at].Offset(), strings.Join(differences, "; "))
				}
				left = slices.Delete(left, at, at+1)
				compared++
			}
		})
	}
	if compared != 880 {
		t.Errorf("%d events compared instead of 880", compared)
	}
}

// closest returns the event with the fewest differences, and the differences.
func (w *expectedEvent) closest(events []*codec.Event, v verdict) (at int, least []string) {
	at = -1
	for i, e := range events {
		differences := w.differences(e, v)
		if len(differences) == 0 {
			return i, nil
		}
		if at < 0 || len(differences) < len(least) {
			at, least = i, differences
		}
	}
	return at, least
}

// checkHeader compares the properties of the first block.
func (want *expectation) checkHeader(t *testing.T, name string, stream []byte) {
	t.Helper()
	if verdictOf(t, name).defect == rule.BLK006 {
		return // the decoder uses the second Trace block
	}
	trace, err := codec.NewBytesReader(stream, codec.Options{}).Trace()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	h := want.Header
	expect.Equal(t, "trace.SyncTime", trace.SyncTime.Format("2006-01-02T15:04:05.0000000Z07:00"), h.SyncTimeUTC)
	expect.Equal(t, "trace.SyncTicks", trace.SyncTicks, h.SyncTimeTicks)
	expect.Equal(t, "trace.TickFrequency", trace.TickFrequency, h.TickFrequency)
	expect.Equal(t, "trace.PointerSize", trace.PointerSize, h.PointerSize)
	properties := h.KeyValues
	if !trace.Format.HasTraceProperties() {
		properties = map[string]string{
			codec.ProcessIDKey:               strconv.Itoa(h.ProcessID),
			codec.HardwareThreadCountKey:     strconv.Itoa(h.NumberOfProcessors),
			codec.ExpectedCPUSamplingRateKey: strconv.Itoa(h.ExpectedCPUSamplingRate),
		}
	}
	if got := attributes(trace.Properties); !maps.Equal(got, properties) {
		t.Errorf("%s: properties %v, want %v", name, got, properties)
	}
}

func expected(t *testing.T, name string) expectation {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared.Dir(t), "streams", "expected", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var want expectation
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return want
}
