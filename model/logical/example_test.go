package logical_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/model/logical"
)

// What waits for the method that the thread 7 runs.
func ExampleTracker_Callers() {
	var log logical.Log
	log.Add(on(7, 100).at(100, async.ResetThread).resume(110, async.Runtime, 0, 5, 11, 3).at(150, async.SuspendRuntimeContext).buffer(200)) // events of a trace
	tracker := log.Tracker(false)

	names := map[uint64]string{11: "Load", 12: "Show", 13: "Main"} // by address
	stack := []string{"Parse", "Load", "Continuation_Wrapper_0", "DispatchContinuations"}
	boundary := logical.Boundary{At: 2, Kind: async.Runtime, Wrapper: 0}
	running := stack[boundary.At-1]
	segments, result := tracker.Callers(nil, tracker.At(7, 120), boundary,
		func(f async.Frame) bool { return names[f.Address] == running },
		func(a, b async.Frame) bool { return names[a.Address] == names[b.Address] })
	fmt.Println(result.IsKnown(), stack[:boundary.At])
	for _, s := range segments {
		for _, f := range tracker.List(s.List)[s.From:] {
			fmt.Println(names[f.Address])
		}
	}
	// Output:
	// true [Parse Load]
	// Show
	// Main
}
