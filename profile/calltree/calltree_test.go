package calltree

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/profile"
)

// TestOutermost: a name that is on a path several times counts at the node
// nearest to the root.
func TestOutermost(t *testing.T) {
	tree := New(&Names{List: make([]Name, 3)})
	for _, path := range [][]uint32{{0, 1, 0, 2, 0}, {1, 0}, {0, 0, 0}, {}} {
		tree.Node(path)
	}
	var got []bool
	for i, outermost := range tree.Outermost() {
		naive := i > 0
		for up := tree.Nodes[i].Parent; i > 0 && up != 0; up = tree.Nodes[up].Parent {
			naive = naive && tree.Nodes[up].Name != tree.Nodes[i].Name
		}
		if outermost != naive {
			t.Errorf("node %d: %v, want %v", i, outermost, naive)
		}
		got = append(got, outermost)
	}
	if len(got) != 10 || !slices.Contains(got[1:], false) {
		t.Errorf("%v", got)
	}
}

// TestSum: totals are those of all nodes below.
func TestSum(t *testing.T) {
	tree := New(&Names{List: make([]Name, 3)})
	for value, path := range [][]uint32{{0}, {0, 1}, {0, 1, 2}, {2}} {
		tree.Nodes[tree.Node(path)].Self += int64(value) + 1
	}
	tree.Sum()
	var totals []int64
	for _, n := range tree.Nodes {
		totals = append(totals, n.Total)
	}
	if want := []int64{10, 6, 5, 3, 4}; !slices.Equal(totals, want) {
		t.Errorf("totals %v, want %v", totals, want)
	}
	if path := tree.Path(nil, 3); !slices.Equal(path, []uint32{0, 1, 2}) {
		t.Errorf("path %v", path)
	}
}

// TestProcessName reads command lines of both systems.
func TestProcessName(t *testing.T) {
	for line, want := range map[string]string{
		"dotnet /srv/App.dll --port 80":                   "App",
		`"C:\Program Files\dotnet\dotnet.exe" D:\x\A.dll`: "A",
		"/opt/azmcp server start":                         "azmcp",
		`"C:\My Tools\tool.exe" -v`:                       "tool",
		"dotnet build":                                    "dotnet",
		"":                                                "process 7",
	} {
		t.Run(line, func(t *testing.T) {
			p := &profile.Profile{CommandLine: line, Trace: &codec.Trace{Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: "7"}}}}
			if got := ProcessName(p); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
