package view

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/profile"
)

// MaxSamples is the largest number of samples of a document.
const MaxSamples = 5_000_000

// Part describes a document that has the samples of a part of the trace.
type Part struct {
	FromNs  int64 `json:"fromNs"`  // beginning
	ToNs    int64 `json:"toNs"`    // end
	Samples int   `json:"samples"` // that begin in it
	All     int   `json:"all"`     // samples of the trace
}

// part returns the part of the trace whose samples the document has: the shortest time
// with MaxSamples samples within Range. It is nil if all samples are in the document.
func (s *Source) part(head *Head) *Part {
	all, most := s.count()
	if all <= most {
		return nil
	}
	from, to := head.StartNs, head.EndNs+1
	if s.Range != [2]int64{} {
		from, to = s.Range[0], s.Range[1]
	}
	var times []int64
	s.each(func(sample *profile.Sample, _ profile.Type) {
		if at := head.StartNs + s.Profile.Nanos(sample.Ticks); at >= from && at < to {
			times = append(times, at)
		}
	})
	if len(times) <= most {
		return &Part{FromNs: from, ToNs: to, Samples: len(times), All: all}
	}
	slices.Sort(times)
	first := 0
	for i := range len(times) - most {
		if times[i+most]-times[i] < times[first+most]-times[first] {
			first = i
		}
	}
	return &Part{FromNs: times[first], ToNs: times[first+most], Samples: most, All: all}
}

// Fits reports whether the document has all samples of the trace.
func (s *Source) Fits() bool {
	all, most := s.count()
	return all <= most
}

// count returns the number of samples and its largest value of a document.
func (s *Source) count() (all, most int) {
	s.each(func(*profile.Sample, profile.Type) { all++ })
	return all, cmp.Or(s.Most, MaxSamples)
}

// each calls f for each sample that has columns.
func (s *Source) each(f func(*profile.Sample, profile.Type)) {
	for _, of := range s.Profile.Types() {
		if of == profile.CPUApprox {
			continue // they are samples of type Wall
		}
		for sample := range s.Profile.Samples(of) {
			f(&sample, of)
		}
	}
}

// has reports whether a sample with a time is in the part. The part of a duration counts.
func (p *Part) has(at, until int64) bool {
	return p == nil || at < p.ToNs && (at >= p.FromNs || until > p.FromNs)
}
