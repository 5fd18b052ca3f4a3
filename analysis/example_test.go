package analysis_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/codec"
)

// Print what was wrong with a program, and what its trace does not have.
func Example() {
	f, err := os.Open("../corpora/net10-killed.v4.nettrace.zst")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	src, err := nettrace.NewSource(f, nettrace.SourceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	gc, _ := parts.New("gc")
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{gc}})
	if err != nil {
		fmt.Println("the trace is truncated") // the reports are about the part before that place
	}
	for _, report := range gc.Reports(t) {
		for _, finding := range report.Findings {
			fmt.Println(finding.Severity, finding.Rule, finding.Text)
		}
		for _, missing := range report.NotRecorded {
			fmt.Println(missing)
		}
	}
	// Output:
	// the trace is truncated
	// high gc-pause-share the garbage collector paused the process 26.4 % of the time: 84 pauses, 566.1 ms in all
	// medium gc-induced 16 of 46 collections are blocking and induced by the program, 13 of them of generation 2
	// medium gc-many-full 20 of 28 collections that the program did not ask for are of generation 2
	// no events about allocations (AllocationTick), for exact allocated bytes: none happened, or they were not recorded (Microsoft-Windows-DotNETRuntime:0x1:5 records them)
}
