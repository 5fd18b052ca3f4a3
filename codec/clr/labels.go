package clr

// Keys of the labels that the recorder of this repository adds to the events of
// Universal.Events.
const (
	// RepairLabel says which frames of a stack were not recorded, and how they were found.
	RepairLabel = "Repair"
	// CutLabel says that the outer end of a stack is missing.
	CutLabel = "Cut"
	// PreemptedLabel says that a thread that left its processor would have run on.
	PreemptedLabel = "Preempted"
	// WokenByLabel has the thread that ended the wait of a thread without a processor, and
	// WokenAtLabel the ticks at which it did.
	WokenByLabel = "WokenBy"
	WokenAtLabel = "WokenAt" // see WokenByLabel
)
