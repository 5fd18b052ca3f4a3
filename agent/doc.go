// Package agent profiles many running .NET processes for a long time. It attaches
// to each process that a selector chooses, within seconds of its start, and makes
// profiles of each window of time.
//
//	for w, err := range agent.Windows(ctx, agent.Options{Selectors: []eventpipe.Selector{{Name: "shop"}}}) {
//		if err != nil {
//			log.Print(err) // about one process; others go on
//			continue
//		}
//		send(w.ID(host), w.Pprof) // host distinguishes machines
//	}
//
// # Sessions
//
// A process has at most three sessions. The first has the names of methods that
// are loaded, and stays open; the methods that are loaded before are read once,
// from a rundown that holds up the collections of the process. The second has
// counters and the events of memory, mutex, block and exceptions, and stays open
// too. The third has samples of all stacks. It runs for Options.Sample of each
// window, because it costs a busy process a quarter to a third of its processor
// time.
//
// # Windows
//
// The windows of a process follow each other without gaps. The agent divides the
// streams into windows itself, so that no window needs a rundown. A duration that
// belongs to several windows, such as a wait, counts in each with its part, if it
// began at most a quarter of a window before.
//
// A profile of a kind that is sampled has the samples of a part of its window.
// Its duration is that of the window, and its period is the time between two
// samples in the mean of the window. The values are those of the samples, unless Options.Scaled
// makes them stand for the whole window; Window.Share says how much was sampled.
//
// # One process
//
// [Profile] is for a host that has found its process:
//
//	for w, err := range agent.Profile(ctx, process, agent.ProcessCPU, 10*time.Second) {
//		if err != nil {
//			log.Print(err) // the last one says what ended it
//			continue
//		}
//		send(w.Pprof, w.Share)
//	}
//
// Memory is bounded: see Options.
package agent
