package collect

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// The reasons why the content of a ring is written.
const (
	reasonRule   = "rule"
	reasonSignal = "signal"
	reasonEnd    = "end"
)

// sidecar is the JSON beside a trace that was written for rules.
type sidecar struct {
	Trace     string        `json:"trace"` // name of the file, without folder
	ProcessID int           `json:"processId,omitempty"`
	Process   string        `json:"process,omitempty"` // its entry assembly or program
	Written   time.Time     `json:"written"`
	Reason    string        `json:"reason"` // rule, signal or end
	Triggers  []firedBefore `json:"triggers"`
	SpanNs    int64         `json:"spanNs"` // between the first and the last event
	Events    int64         `json:"events"`
}

// firedBefore is a rule that became true in the time of a trace.
type firedBefore struct {
	Rule  string    `json:"rule"`
	Time  time.Time `json:"time"` // of the event
	Value float64   `json:"value"`
	Text  string    `json:"text"`
}

// newSidecar returns the sidecar of a trace.
func (r *recording) newSidecar(name string, why moment, part record.Part) sidecar {
	content := sidecar{
		Trace: filepath.Base(name), ProcessID: r.a.PID, Process: r.a.ProgramName(), Written: time.Now().UTC(), Reason: why.reason,
		Triggers: []firedBefore{}, SpanNs: int64(part.Span), Events: part.Events,
	}
	for _, f := range why.fired {
		content.Triggers = append(content.Triggers, firedBefore{f.Rule.String(), f.Time.UTC(), f.Value, f.Text})
	}
	return content
}

// json returns the text of the file.
func (s *sidecar) json() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // rules have < and >
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return out.Bytes(), err
}

// moment is why the content of a ring is written.
type moment struct {
	reason string
	fired  []trigger.Firing
}
