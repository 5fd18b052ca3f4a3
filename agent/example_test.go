package agent_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	pb "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// writeProfiles attaches to all processes of a program, also to those that start
// later, and writes a profile of each kind every 10 s until ctx ends.
func writeProfiles(ctx context.Context, program, folder string) {
	selectors := []eventpipe.Selector{{Name: program}}
	for w, err := range agent.Windows(ctx, agent.Options{Selectors: selectors, Every: 10 * time.Second}) {
		if err != nil {
			log.Print(err) // about one process; the others go on
			continue
		}
		f, err := os.Create(fmt.Sprintf("%s/%d-%v-%d.pb.gz", folder, w.Process.PID, w.Kind, w.Start.UnixMilli()))
		if err == nil {
			err = w.Pprof.Write(f)
		}
		if err != nil {
			log.Print(err)
		}
		f.Close()
	}
}

// An agent that attaches by name, attaches again after a restart, and writes
// profiles in the format of pprof every 10 s.
func Example() {
	writeProfiles(context.Background(), "shop", ".")
}

// A host that has found a process sends its profiles until ctx or the process ends.
func ExampleProfile() {
	process, err := eventpipe.Find(4711)
	if err != nil {
		log.Fatal(err)
	}
	send := func(p *pb.Profile, share float64) {
		fmt.Printf("%d stacks, sampled for %.0f%% of the window\n", len(p.Sample), 100*share)
	}
	ctx := context.Background()
	for w, err := range agent.Profile(ctx, process, agent.ProcessCPU, 10*time.Second) {
		if err != nil {
			log.Print(err) // the last one says what ended it
			continue
		}
		send(w.Pprof, w.Share)
	}
}

// The names of the kinds of profiles.
func ExampleAllKinds() {
	fmt.Println(agent.AllKinds())
	// Output: [wall process_cpu memory mutex block exceptions]
}
