package view

import "github.com/nettrace-go/nettrace/analysis/counters"

// Counters collects the values of counters, for analysis.Read.
type Counters = counters.Values

// Counter has the values of one counter.
type Counter struct {
	Process  string    `json:"process"`  // id of its process; "0" if unknown
	Provider string    `json:"provider"` // name of the EventSource or the Meter
	Name     string    `json:"name"`     // of the counter
	Display  string    `json:"display"`  // name for users
	Unit     string    `json:"unit"`     // of the values, "" for none
	Tags     string    `json:"tags"`     // as in counters.Timeline
	Shows    string    `json:"shows"`    // what the values are, as in counters.Row
	At       []int64   `json:"at"`       // times of the values
	Values   []float64 `json:"values"`   // as in counters.Timeline
}

// counter returns a counter of a document.
func counter(t *counters.Timeline) Counter {
	return Counter{number(t.Process), t.Provider, t.Name, t.Display, t.Unit, t.Tags, string(t.Shows), t.At, t.Values}
}
