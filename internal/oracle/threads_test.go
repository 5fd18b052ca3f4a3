package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// itsThread is the name of a thread in a profile of dotnet-trace:
// "Thread (7) (.NET Finalizer Thread)".
var itsThread = regexp.MustCompile(`^Thread \((\d+)\) \((.*)\)$`)

// TestThreadNames: threads of finalizers and of the collector have the names that
// dotnet-trace gives them. Workers have another name: dotnet-trace calls them
// ".NET ThreadPool" or ".NET ThreadPool Worker", depending on their first event.
func TestThreadNames(t *testing.T) {
	needTE(t)
	for _, name := range shared.First([]string{"net10-mix-cpu.v4", "sarif-net8.v4", "azmcp-net10-cpu.v4", "net10-allevents.v4"}, 2) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			p, err := profile.FromReader(context.Background(), codec.NewBytesReader(data, largeLimits), profile.Options{Limits: profile.Limits{Samples: -1, Frames: -1}})
			if err != nil {
				t.Fatal(err)
			}
			ours := map[uint64]string{}
			for _, row := range p.Threads() {
				ours[row.ID] = row.Name
			}
			var theirs []struct{ Name string }
			if err := json.Unmarshal(speedscope(t, data).Profiles, &theirs); err != nil {
				t.Fatal(err)
			}
			compared := 0
			for _, row := range theirs {
				parts := itsThread.FindStringSubmatch(row.Name)
				if parts == nil || parts[2] == ".NET ThreadPool" || parts[2] == ".NET IO ThreadPool Worker" {
					continue
				}
				id, _ := strconv.ParseUint(parts[1], 10, 64)
				compared++
				if got, want := ours[id], parts[2]; got != want {
					t.Errorf("thread %d: %q, want %q", id, got, want)
				}
			}
			if compared == 0 {
				t.Error("no thread has a name to compare")
			}
		})
	}
}
