package perf

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ReadText reads records in the text form of the program perfsample: one JSON object on each
// line, with hexadecimal addresses without 0x. They are returned in the order of their times.
func ReadText(r io.Reader) (*Recording, error) {
	rec := &Recording{}
	lines := bufio.NewReaderSize(r, 1<<20)
	var list []*Record
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var one textRecord
			if bad := json.Unmarshal(line, &one); bad != nil {
				return nil, fmt.Errorf("perf: line %d: %w", n, bad)
			}
			if record := one.record(rec); record != nil {
				list = append(list, record)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if rec.PID == 0 {
		return nil, fmt.Errorf("perf: no line of kind start: want records of perfsample")
	}
	slices.SortStableFunc(list, func(a, b *Record) int { return compare(a.Time, b.Time) })
	rec.Records = func(yield func(*Record, error) bool) {
		for _, one := range list {
			if !yield(one, nil) {
				return
			}
		}
	}
	return rec, nil
}

// hexNumber is an address in hexadecimal.
type hexNumber uint64

// UnmarshalJSON reads a string.
func (h *hexNumber) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(b), `"`), 16, 64)
	*h = hexNumber(n)
	return err
}

// textRecord is a line.
type textRecord struct {
	K                            string
	PID, TID, CPU                uint32
	T, Period                    uint64
	Chain                        []string
	ABI                          int
	BP, SP, UIP, BX              hexNumber
	R12, R13, R14, R15           hexNumber
	StackDyn                     uint64
	Stack                        string
	Start, End, Len, Pgoff       json.RawMessage
	File, BuildID, Name          string
	MPID, CPID, CTID, FTID, FPID uint32
	PTID, By, ByPID, Wakee       uint32
	Prot                         uint32
	Exec, Preempt, UserOnly      int
	N                            uint64
	HZ, CPUs                     int
	Mono, Real, Enabled          uint64
	StackBytes                   int
}

// record returns the record of a line, nil for one that is about the recording.
func (t *textRecord) record(rec *Recording) *Record {
	r := &Record{Time: t.T, PID: t.PID, TID: t.TID, CPU: t.CPU}
	number := func(raw json.RawMessage) uint64 {
		var h hexNumber
		_ = json.Unmarshal(raw, &h) // 0 for another form
		return uint64(h)
	}
	switch t.K {
	case "start":
		rec.PID, rec.Processors, rec.UserOnly = int(t.PID), t.CPUs, t.UserOnly != 0
		rec.Start, rec.StartReal = t.Mono, t.Real
		return nil
	case "end":
		rec.End = t.Mono
		if t.Enabled > 0 {
			rec.Start, rec.StartReal = t.Enabled, rec.StartReal+(t.Enabled-rec.Start)
		}
		return nil
	case "map":
		rec.Maps = append(rec.Maps, Mapping{Start: number(t.Start), End: number(t.End), Offset: number(t.Pgoff), Path: t.File})
		return nil
	case "mmap":
		if t.Prot&protExec == 0 {
			return nil
		}
		r.Kind, r.PID = Mapped, t.MPID
		r.Mapping = Mapping{Start: number(t.Start), End: number(t.Start) + number(t.Len), Offset: number(t.Pgoff), Path: cleanPath(t.File), BuildID: t.BuildID}
	case "comm":
		r.Kind, r.PID, r.TID, r.Name, r.Exec = Named, t.CPID, t.CTID, t.Name, t.Exec != 0
	case "fork":
		r.Kind, r.PID, r.TID, r.Parent = Started, t.FPID, t.FTID, t.PTID
	case "exit":
		r.Kind, r.PID, r.TID = Ended, t.FPID, t.FTID
	case "out":
		r.Kind, r.Preempted = SwitchedOut, t.Preempt != 0
	case "in":
		r.Kind = SwitchedIn
	case "waking":
		r.Kind, r.PID, r.TID, r.Wakee = Waking, t.ByPID, t.By, t.Wakee
	case "lost", "lostSamples":
		r.Kind, r.Count = Lost, t.N
	case "throttle":
		r.Kind = Throttled
	case "sample":
		t.sample(r)
	default:
		return nil
	}
	return r
}

// sample reads a sample.
func (t *textRecord) sample(r *Record) {
	r.Kind, r.Period = Sample, t.Period
	if r.Period == switchPeriod {
		r.Kind = Switching
	}
	at := &r.User
	for _, text := range t.Chain {
		switch text {
		case "K":
			at = &r.Kernel
		case "U":
			at = &r.User
		default:
			n, _ := strconv.ParseUint(text, 16, 64)
			*at = append(*at, n)
		}
	}
	if t.ABI != 2 || t.Stack == "" {
		return
	}
	r.HasRegisters = true
	r.Registers = Registers{
		IP: uint64(t.UIP), SP: uint64(t.SP), BP: uint64(t.BP), BX: uint64(t.BX),
		R12: uint64(t.R12), R13: uint64(t.R13), R14: uint64(t.R14), R15: uint64(t.R15),
	}
	for word := range strings.SplitSeq(t.Stack, " ") {
		n, _ := strconv.ParseUint(word, 16, 64)
		r.Stack = append(r.Stack, byte(n), byte(n>>8), byte(n>>16), byte(n>>24), byte(n>>32), byte(n>>40), byte(n>>48), byte(n>>56))
	}
}
