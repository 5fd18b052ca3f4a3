package v8_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/v8"
)

// read reads the samples of a trace.
func read(t *testing.T, name string) *profile.Profile {
	t.Helper()
	data, err := corpora.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.FromReader(t.Context(), codec.NewBytesReader(data, codec.Options{}), profile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type callFrame struct {
	FunctionName string `json:"functionName"`
}

type cpuNode struct {
	ID        int       `json:"id"`
	CallFrame callFrame `json:"callFrame"`
	HitCount  int64     `json:"hitCount"`
	Children  []int     `json:"children"`
}

type cpuProfile struct {
	Nodes      []cpuNode `json:"nodes"`
	StartTime  int64     `json:"startTime"`
	EndTime    int64     `json:"endTime"`
	Samples    []int     `json:"samples"`
	TimeDeltas []int64   `json:"timeDeltas"`
}

// TestCPU checks the rules that viewers do not check, and that the time of the file is that
// of the samples, to one sample for each thread.
func TestCPU(t *testing.T) {
	for _, typ := range []profile.Type{profile.Wall, profile.CPUApprox, profile.Lock} {
		p := read(t, "net10-deep.v4")
		var out bytes.Buffer
		if err := v8.WriteCPU(&out, p, v8.Options{Type: typ}); err != nil {
			t.Fatal(err)
		}
		var got cpuProfile
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		parents, hits := map[int]int{}, map[int]int64{}
		for i, n := range got.Nodes {
			if n.ID != i+1 {
				t.Fatalf("%v: node %d has the id %d", typ, i, n.ID)
			}
			for _, c := range n.Children {
				if parents[c] != 0 || c <= n.ID || c > len(got.Nodes) {
					t.Fatalf("%v: node %d has the child %d", typ, n.ID, c)
				}
				parents[c] = n.ID
			}
		}
		if len(parents) != len(got.Nodes)-1 || got.Nodes[0].CallFrame.FunctionName != "(root)" {
			t.Errorf("%v: %d nodes, %d have a parent", typ, len(got.Nodes), len(parents))
		}
		for _, s := range got.Samples {
			hits[s]++
		}
		for _, n := range got.Nodes {
			if hits[n.ID] != n.HitCount {
				t.Errorf("%v: node %d has %d samples, hitCount %d", typ, n.ID, hits[n.ID], n.HitCount)
			}
		}
		var want int64
		threads := map[int]bool{}
		for s := range p.Samples(typ) {
			want += s.Value
			threads[s.Thread] = true
		}
		step := got.TimeDeltas[1]
		if off := (got.EndTime-got.StartTime)*1000 - want; off > step*1000*int64(len(threads)) || -off > step*1000*int64(len(threads)) {
			t.Errorf("%v: %d ns, the samples have %d", typ, (got.EndTime-got.StartTime)*1000, want)
		}
	}
}

type heapNode struct {
	CallFrame callFrame  `json:"callFrame"`
	SelfSize  int64      `json:"selfSize"`
	ID        int        `json:"id"`
	Children  []heapNode `json:"children"`
}

// TestHeap checks that the own sizes of nodes are those of their samples, and add up to
// all allocations.
func TestHeap(t *testing.T) {
	p := read(t, "net10-mix-gc.v4")
	var out bytes.Buffer
	if err := v8.WriteHeap(&out, p, v8.Options{}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Head    heapNode `json:"head"`
		Samples []struct {
			Size   int64 `json:"size"`
			NodeID int   `json:"nodeId"`
		} `json:"samples"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	sums := map[int]int64{}
	var total, want int64
	for _, s := range got.Samples {
		sums[s.NodeID] += s.Size
	}
	var walk func(n *heapNode)
	walk = func(n *heapNode) {
		if n.Children == nil {
			t.Fatalf("node %d has no list of children", n.ID)
		}
		if n.SelfSize != sums[n.ID] {
			t.Errorf("node %d: %d bytes, its samples have %d", n.ID, n.SelfSize, sums[n.ID])
		}
		total += n.SelfSize
		for i := range n.Children {
			walk(&n.Children[i])
		}
	}
	walk(&got.Head)
	for s := range p.Samples(profile.Alloc) {
		want += s.Value
	}
	if total != want || want == 0 {
		t.Errorf("%d bytes, want %d", total, want)
	}
}

// TestUnit refuses types whose values the format cannot express.
func TestUnit(t *testing.T) {
	p := read(t, "net10-deep.v4")
	if err := v8.WriteCPU(&bytes.Buffer{}, p, v8.Options{Type: profile.Exception}); err == nil {
		t.Error("exceptions are no times")
	}
	if err := v8.WriteHeap(&bytes.Buffer{}, p, v8.Options{Type: profile.Exception}); err == nil {
		t.Error("exceptions are no bytes")
	}
}

// Write the time of a trace for Chrome, Edge or VS Code.
func ExampleWriteCPU() {
	data, err := corpora.Open("net10-deep.v4")
	if err != nil {
		log.Fatal(err)
	}
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(data, codec.Options{}), profile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := v8.WriteCPU(&out, p, v8.Options{Type: profile.CPUApprox}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.9s\n", out.String())
	// Output:
	// {"nodes":
}
