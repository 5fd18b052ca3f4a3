package summary

import (
	"math"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/store"
)

// accuracy is the relative error of the quantiles.
const accuracy = 0.01

// durations is a distribution that can grow.
type durations struct {
	Durations
	sketch *ddsketch.DDSketch
}

func newDurations(kind, key string) (*durations, error) {
	// Bins of a dense store do not depend on the order of their additions.
	index, err := mapping.NewLogarithmicMapping(accuracy)
	if err != nil {
		return nil, err
	}
	return &durations{
		Durations: Durations{Kind: kind, Key: key},
		sketch:    ddsketch.NewDDSketch(index, store.NewDenseStore(), store.NewDenseStore()),
	}, nil
}

// add adds one duration.
func (d *durations) add(nanos int64) error {
	if err := d.sketch.Add(float64(max(nanos, 0))); err != nil {
		return err
	}
	if d.Count == 0 || nanos < d.MinNs {
		d.MinNs = nanos
	}
	d.MaxNs = max(d.MaxNs, nanos)
	d.Count++
	d.TotalNs = add(d.TotalNs, nanos)
	return nil
}

// merge adds a distribution.
func (d *durations) merge(o *Durations) error {
	other, err := o.sketch()
	if err != nil {
		return err
	}
	if err := d.sketch.MergeWith(other); err != nil {
		return err
	}
	if o.Count > 0 && (d.Count == 0 || o.MinNs < d.MinNs) {
		d.MinNs = o.MinNs
	}
	d.MaxNs = max(d.MaxNs, o.MaxNs)
	d.Count = add(d.Count, o.Count)
	d.Unfinished = add(d.Unfinished, o.Unfinished)
	d.Unknown = add(d.Unknown, o.Unknown)
	d.TotalNs = add(d.TotalNs, o.TotalNs)
	return nil
}

// done returns the distribution.
func (d *durations) done() Durations {
	done := d.Durations
	done.Zeros = int64(d.sketch.GetZeroCount())
	done.Bins = []int64{}
	d.sketch.GetPositiveValueStore().ForEach(func(index int, count float64) bool {
		if len(done.Bins) == 0 {
			done.First = index
		}
		for done.First+len(done.Bins) < index {
			done.Bins = append(done.Bins, 0)
		}
		done.Bins = append(done.Bins, int64(count))
		return false
	})
	return done
}

// sketch returns the DDSketch of a distribution.
func (d *Durations) sketch() (*ddsketch.DDSketch, error) {
	made, err := newDurations(d.Kind, d.Key)
	if err != nil {
		return nil, err
	}
	if d.Zeros > 0 {
		if err := made.sketch.AddWithCount(0, float64(d.Zeros)); err != nil {
			return nil, err
		}
	}
	for i, n := range d.Bins {
		if n > 0 {
			made.sketch.GetPositiveValueStore().AddWithCount(d.First+i, float64(n))
		}
	}
	return made.sketch, nil
}

// Quantile returns a duration in nanoseconds by its nearest rank, as analysis.Distribution does: the smallest
// one that is not shorter than the part q of all, from 0 to 1. Its error is at most 1 %; the shortest and the
// longest are exact. ok is false if there are no durations.
func (d *Durations) Quantile(q float64) (nanos int64, ok bool) {
	if d.Count == 0 || !(q >= 0 && q <= 1) {
		return 0, false
	}
	rank := max(1, math.Ceil(q*float64(d.Count)))
	switch rank {
	case 1:
		return d.MinNs, true
	case float64(d.Count):
		return d.MaxNs, true
	}
	sketch, err := d.sketch()
	if err != nil {
		return 0, false
	}
	value, err := sketch.GetValueAtQuantile((rank - 0.5) / float64(d.Count-1)) // which counts ranks from 0, up to the next one
	if err != nil {
		return 0, false
	}
	return min(max(int64(math.Round(value)), d.MinNs), d.MaxNs), true
}
