package edit

import "github.com/nettrace-go/nettrace/codec"

// processSet holds the processes of events, by the operating system's ids.
type processSet struct {
	last  processID // added
	known map[processID]bool
}

// processID is a process, or no known one.
type processID struct {
	id    uint64
	known bool
}

func processOf(e *codec.Event) processID {
	id, known := e.ProcessID()
	return processID{id, known}
}

func (s *processSet) add(e *codec.Event) {
	p := processOf(e)
	if s.known != nil && p == s.last {
		return
	}
	if s.known == nil {
		s.known = map[processID]bool{}
	}
	s.last, s.known[p] = p, true
}

func (s *processSet) has(e *codec.Event) bool { return s.known[processOf(e)] }
