package requests

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// CPU is the processor time of the incoming requests of a process, by samples of its threads.
type CPU struct {
	// Sampler is "perf" for processor time, "eventpipe" for the time of threads that run or are ready to: on
	// a busy machine it is longer.
	Sampler     string        `json:"sampler"`
	RequestsNs  int64         `json:"requestsNs"`  // of all requests
	AmbiguousNs int64         `json:"ambiguousNs"` // that can be the work of several requests, and is in no row
	OtherNs     int64         `json:"otherNs"`     // outside of requests, as far as is known
	ByRequest   map[Key]int64 `json:"-"`           // nanoseconds
}

// Key identifies a request of a process.
type Key struct {
	ID    string // of Kestrel
	Begin uint64 // ticks
}

// KeyOf returns the key of a request.
func KeyOf(r *incoming.Request) Key { return Key{r.ID, r.Begin} }

// AddCPU adds processor time to the rows, the routes and the totals of a report of the part. A row without a
// sample has none.
func AddCPU(r *analysis.Report, cpu *CPU) {
	rows, _ := r.Rows.([]Row)
	t, ok := r.Totals.(*Totals)
	if !ok {
		return
	}
	for i := range rows {
		if of := rows[i].served; of != nil {
			if nanos, known := cpu.ByRequest[KeyOf(of)]; known {
				rows[i].CPUNs = analysis.Known(nanos)
			}
		}
	}
	t.CPU, t.Routes = cpu, routesOf(rows)
}
