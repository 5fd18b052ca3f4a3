package threadtime

import (
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// keys are the keys of the states.
var keys = map[profile.State]string{profile.NotSampled: "notSampledNs"}

// key returns the key of the time in a state.
func key(s profile.State) string {
	if name, ok := keys[s]; ok {
		return name
	}
	return s.String() + "Ns"
}

// json returns the times as one object on one line.
func (d *data) json(o *options) []byte {
	var j jsontext.Builder
	j.Open('{')
	j.Key("file").Text(d.File)
	j.Key("process").Text(calltree.ProcessName(d.Profile))
	from, until := d.Bounds()
	j.Key("startNs").Number(d.since(from))
	j.Key("endNs").Number(d.since(until))
	appendStates(&j, d.observed, d.states)
	samples.AppendOneCode(&j, d.Profile)
	j.Key("threads").Open('[')
	for i := range d.rows[:o.shown(len(d.rows))] {
		d.appendRow(&j, &d.rows[i], o.spans)
	}
	j.Close(']')
	j.Close('}')
	return append(j.Bytes, '\n')
}

// since returns a time in nanoseconds since the trace's sync time.
func (d *data) since(ticks uint64) int64 { return int64(d.Trace.Since(ticks)) }

// appendStates appends the time in each state.
func appendStates(j *jsontext.Builder, observed int64, times sums) {
	j.Key("observedNs").Number(observed)
	for _, s := range states {
		if s != profile.Runnable || times[s] > 0 { // only records of switches show it
			j.Key(key(s)).Number(times[s])
		}
	}
}

// appendRow appends the times of a thread.
func (d *data) appendRow(j *jsontext.Builder, r *row, spans bool) {
	t := &d.Threads()[r.thread]
	j.Open('{')
	if t.ProcessID != 0 {
		j.Key("processId").Number(int64(t.ProcessID))
	}
	j.Key("threadId").Number(int64(t.ID))
	if t.Name != "" {
		j.Key("name").Text(t.Name)
	}
	appendStates(j, r.observed, r.states)
	j.Key("causes").Open('[')
	for _, c := range r.causes {
		j.Open('{')
		appendState(j, c.state, c.text, c.owner)
		j.Key("durationNs").Number(c.nanos)
		j.Close('}')
	}
	j.Close(']')
	if spans {
		j.Key("spans").Open('[')
		for _, s := range d.TimeLine(r.thread) {
			j.Open('{')
			j.Key("startNs").Number(d.since(s.From))
			j.Key("durationNs").Number(s.Nanos)
			j.Key("beginTicks").Decimal(s.From)
			j.Key("endTicks").Decimal(s.Until)
			appendState(j, s.State, s.Cause, s.Owner)
			if s.WokenBy != 0 {
				j.Key("wokenBy").Number(int64(s.WokenBy))
				j.Key("wokenTicks").Decimal(s.Woken)
			}
			if s.Stack != 0 {
				j.Key("frames").Open('[')
				for _, f := range d.Stack(s.Stack) {
					j.Text(d.Function(d.Frame(f).Function).Name)
				}
				j.Close(']')
			}
			j.Close('}')
		}
		j.Close(']')
	}
	j.Close('}')
}

// appendState appends a state with its cause and the owner of a lock.
func appendState(j *jsontext.Builder, state profile.State, cause string, owner uint64) {
	j.Key("state").Text(state.String())
	if cause != "" {
		j.Key("cause").Text(cause)
	}
	if owner != 0 {
		j.Key("ownerThreadId").Number(int64(owner))
	}
}
