package jit

import "github.com/nettrace-go/nettrace/analysis"

// Totals are the totals of one process. What the trace has no events about is nil.
type Totals struct {
	ObservedNs int64         `json:"observedNs"`           // length of the recording
	Methods    *MethodTotals `json:"methods,omitempty"`    // compilations
	Startup    *Startup      `json:"startup,omitempty"`    // if the start of the runtime is in the recording
	ReadyToRun *ReadyToRun   `json:"readyToRun,omitempty"` // code that was compiled ahead of time
	Tiering    *Tiering      `json:"tiering,omitempty"`    // tiered compilation in the background
}

// MethodTotals are the totals of the compilations that ended in code.
type MethodTotals struct {
	All                TierTotals   `json:"all"`                // all of them
	Foreground         TierTotals   `json:"foreground"`         // that held up the thread that called the method
	Background         TierTotals   `json:"background"`         // by the thread of tiered compilation
	ByTier             []TierTotals `json:"byTier"`             // in the order of the runtime's numbers
	Dynamic            int64        `json:"dynamic"`            // of dynamic methods
	ReadyToRunRejected int64        `json:"readyToRunRejected"` // of methods whose ReadyToRun code the runtime rejected
	WithoutStart       int64        `json:"withoutStart"`       // whose start is not in the trace: time and IL size are unknown
	Unfinished         int64        `json:"unfinished"`         // rows that did not end in code, in no other number
	RowsLeftOut        int64        `json:"rowsLeftOut"`        // because of the limit; the totals count them

	startup TierTotals
}

// TierTotals are sums over some compilations.
type TierTotals struct {
	Tier        string          `json:"tier,omitempty"`      // in ByTier: "QuickJitted"
	Count       int64           `json:"count"`               // compilations
	DurationNs  analysis.Number `json:"durationNs,omitzero"` // sum of the times from start to end
	LongestNs   analysis.Number `json:"longestNs,omitzero"`  // the longest one
	ILBytes     analysis.Number `json:"ilBytes,omitzero"`    // size of the IL; of dynamic methods 0
	NativeBytes int64           `json:"nativeBytes"`         // size of the code
}

// Startup is the time from the start of the runtime until it begins to compile in
// the background.
type Startup struct {
	StartNs    int64           `json:"startNs"`             // since the trace's sync time
	EndNs      analysis.Number `json:"endNs,omitzero"`      // the same; unknown if it goes on when the recording ends
	ThreadID   analysis.Number `json:"threadId,omitzero"`   // of the starting thread
	Count      int64           `json:"count"`               // compilations that began in it on the starting thread
	DurationNs analysis.Number `json:"durationNs,omitzero"` // time of that thread in them
}

// ReadyToRun is about code that was compiled ahead of time.
type ReadyToRun struct {
	Used int64 `json:"used"` // methods for which the runtime looked up such code
}

// Tiering is about tiered compilation in the background.
type Tiering struct {
	Pauses       int64 `json:"pauses"`       // times in which new methods were called, so that it waited
	PausedNs     int64 `json:"pausedNs"`     // sum of those that ended
	Batches      int64 `json:"batches"`      // times in which it compiled
	BatchNs      int64 `json:"batchNs"`      // sum of their lengths
	BatchMethods int64 `json:"batchMethods"` // methods that it compiled in these
	MaxPending   int64 `json:"maxPending"`   // most methods that waited for it
}

// sums returns the totals.
func (p *process) sums() *Totals {
	from, to := p.trace.Bounds(p.id)
	t := &Totals{ObservedNs: p.trace.Between(from, to)}
	if p.started || p.ended {
		t.Methods = &p.methods
		t.Methods.ByTier = []TierTotals{}
		for i, tier := range p.tiers {
			if tier.Count > 0 {
				tier.Tier = tierNames[i]
				t.Methods.ByTier = append(t.Methods.ByTier, tier)
			}
		}
	}
	if p.hasRuntime && p.started {
		t.Startup = &Startup{StartNs: p.trace.Nanos(p.begin), Count: p.methods.startup.Count, DurationNs: p.methods.startup.DurationNs}
		if p.startupEnd > 0 {
			t.Startup.EndNs = analysis.Known(p.trace.Nanos(p.startupEnd))
		}
		if p.starter != (analysis.Thread{}) {
			t.Startup.ThreadID = analysis.Known(int64(p.starter.ID))
		}
	}
	if p.entryPoints > 0 {
		t.ReadyToRun = &ReadyToRun{Used: p.entryPoints}
	}
	if p.hasTiering {
		t.Tiering = &p.tiering
	}
	return t
}
