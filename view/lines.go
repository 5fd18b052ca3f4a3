package view

import (
	"strconv"

	"github.com/nettrace-go/nettrace/profile"
)

// Lines describes what the threads did, as profile.Profile.TimeLine returns it. The columns line.* have a
// row for each span; the spans of a thread follow each other without gaps.
type Lines struct {
	Offsets []int    `json:"offsets"` // of the first row of each thread, and the number of rows
	Starts  []int64  `json:"starts"`  // beginning of the first span of each thread; 0 without spans
	States  []string `json:"states"`  // by the value of line.state
	Causes  []string `json:"causes"`  // by the value of line.cause: why the thread did not run; the first is ""
}

// lineStates are the states of spans, in the order of Lines.States.
var lineStates = []profile.State{
	profile.Running, profile.Native, profile.Waiting, profile.Blocked, profile.Stopped, profile.Spinning, profile.Idle, profile.Runnable, profile.NotSampled,
}

// lines adds the time lines of the threads to the head and returns their columns.
func (s *Source) lines(head *Head) []*column {
	length, state, cause := &column{name: "line.length"}, &column{name: "line.state"}, &column{name: "line.cause"}
	states, causes := map[profile.State]int64{}, newTexts("")
	head.Lines = &Lines{Offsets: []int{}, Starts: []int64{}}
	for i, one := range lineStates {
		states[one] = int64(i)
		head.Lines.States = append(head.Lines.States, one.String())
	}
	rows := 0
	for thread := range s.Profile.Threads() {
		head.Lines.Offsets = append(head.Lines.Offsets, rows)
		start := int64(0)
		for _, span := range s.Profile.TimeLine(thread) {
			from, until := s.since(span.From), s.since(span.Until)
			if p := head.Part; p != nil {
				from, until = max(from, p.FromNs), min(until, p.ToNs)
			}
			if from >= until {
				continue
			}
			if rows == head.Lines.Offsets[thread] {
				start = from
			}
			length.add(until - from)
			state.add(states[span.State])
			cause.add(causes.of(causeText(&span)))
			rows++
		}
		head.Lines.Starts = append(head.Lines.Starts, start)
	}
	head.Lines.Offsets, head.Lines.Causes = append(head.Lines.Offsets, rows), causes.list
	return []*column{length, state, cause}
}

// causeText returns the cause of a span, with the thread that held the lock.
func causeText(s *profile.ThreadSpan) string {
	if s.Owner == 0 {
		return s.Cause
	}
	return s.Cause + " of " + strconv.FormatUint(s.Owner, 10)
}
