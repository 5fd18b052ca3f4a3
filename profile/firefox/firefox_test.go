package firefox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
	"github.com/nettrace-go/nettrace/profile/firefox"
)

func read(ctx context.Context, name string) (*profile.Profile, error) {
	data, err := corpora.Open(name)
	if err != nil {
		return nil, err
	}
	return profile.FromReader(ctx, codec.NewBytesReader(data, codec.Options{}), profile.Options{Marks: true})
}

type document struct {
	Meta struct {
		Version    int `json:"preprocessedProfileVersion"`
		Categories []struct{ Name, Color string }
		Schemas    []struct {
			Name   string
			Fields []struct{ Key, Label, Format string }
		} `json:"markerSchema"`
	}
	Shared struct {
		Strings    []string `json:"stringArray"`
		StackTable struct {
			Length int
			Frame  []int
			Prefix []*int
		}
		FrameTable struct {
			Length   int
			Func     []int
			Category []int
		}
		FuncTable struct {
			Length   int
			Name     []int
			Resource []int
		}
		ResourceTable struct{ Name []int }
	}
	Threads []struct {
		Name, PID string
		TID       any
		Samples   struct {
			Length int
			Stack  []*int
			Time   []float64
			Weight []float64
		}
		JSAllocations *struct {
			Length int
			Stack  []*int
			Weight []int64
		}
		Markers struct {
			Length int
			Name   []int
			Start  []float64  `json:"startTime"`
			End    []*float64 `json:"endTime"`
			Phase  []int
			Data   []struct {
				Type  string
				Cause *struct{ Stack int }
			}
		}
	}
}

// write writes a trace and reads the document.
func write(t *testing.T, name string) (*profile.Profile, *document) {
	t.Helper()
	p, err := read(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := firefox.Write(&out, p, firefox.Options{Name: name}); err != nil {
		t.Fatal(err)
	}
	d := &document{}
	if err := json.Unmarshal(out.Bytes(), d); err != nil {
		t.Fatal(err)
	}
	return p, d
}

// TestTables checks what the viewer does not: a wrong caller of a stack makes it loop for
// ever, and a wrong index fails only when it is shown.
func TestTables(t *testing.T) {
	for _, name := range []string{"net10-deep.v4", "net10-mix-gc.v4", "onecollect-small.v6", "net10-mix-locks.v4"} {
		_, d := write(t, name)
		s := &d.Shared
		for i, prefix := range s.StackTable.Prefix {
			if prefix != nil && (*prefix < 0 || *prefix >= i) {
				t.Fatalf("%s: stack %d has the caller %d", name, i, *prefix)
			}
			if f := s.StackTable.Frame[i]; f >= s.FrameTable.Length || s.FrameTable.Func[f] >= s.FuncTable.Length || s.FrameTable.Category[f] >= len(d.Meta.Categories) {
				t.Fatalf("%s: stack %d has the frame %d", name, i, f)
			}
		}
		for i, text := range s.FuncTable.Name {
			if r := s.FuncTable.Resource[i]; text >= len(s.Strings) || r < -1 || r >= len(s.ResourceTable.Name) {
				t.Fatalf("%s: function %d has the name %d of module %d", name, i, text, r)
			}
		}
		schemas := map[string]bool{}
		for _, m := range d.Meta.Schemas {
			schemas[m.Name] = true
		}
		threads := map[string]bool{}
		for _, thread := range d.Threads {
			if id := fmt.Sprint(thread.PID, "/", thread.TID); threads[id] {
				t.Errorf("%s: thread %s twice", name, id)
			} else {
				threads[id] = true
			}
			x := &thread.Samples
			if len(x.Stack) != x.Length || len(x.Time) != x.Length || len(x.Weight) != x.Length {
				t.Errorf("%s: %s: columns of different lengths", name, thread.Name)
			}
			for i, stack := range x.Stack {
				if stack != nil && *stack >= s.StackTable.Length || i > 0 && x.Time[i] < x.Time[i-1] {
					t.Fatalf("%s: %s: sample %d", name, thread.Name, i)
				}
			}
			for i, m := range thread.Markers.Data {
				end := thread.Markers.End[i]
				if !schemas[m.Type] || m.Cause != nil && m.Cause.Stack >= s.StackTable.Length || thread.Markers.Phase[i] == 1 && *end < thread.Markers.Start[i] {
					t.Fatalf("%s: %s: marker %d of %s", name, thread.Name, i, m.Type)
				}
			}
		}
	}
}

// TestSums compares the own time of each function with that of the samples.
func TestSums(t *testing.T) {
	p, d := write(t, "net10-deep.v4")
	got, want := map[string]float64{}, map[string]float64{}
	s := &d.Shared
	for _, thread := range d.Threads {
		for i, stack := range thread.Samples.Stack {
			name := ""
			if stack != nil {
				name = s.Strings[s.FuncTable.Name[s.FrameTable.Func[s.StackTable.Frame[*stack]]]]
			}
			got[name] += thread.Samples.Weight[i]
		}
	}
	names := calltree.NewNames(p, calltree.Naming(false))
	var path []uint32
	for x := range p.Samples(profile.Wall) {
		name := ""
		if path = names.Path(path, x.Stack); len(path) > 0 {
			name = names.List[path[len(path)-1]].Text
		}
		want[name] += float64(x.Value) / 1e6
	}
	if !maps.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-3 }) || len(want) < 10 {
		t.Errorf("own times %v, want %v", got, want)
	}
}

// Write a trace for profiler.firefox.com.
func ExampleWrite() {
	p, err := read(context.Background(), "net10-deep.v4")
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := firefox.Write(&out, p, firefox.Options{Name: "deep.nettrace"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(json.Valid(out.Bytes()))
	// Output:
	// true
}
