package symbols

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestUnloads compares the tree with a search of all unloads.
func TestUnloads(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		rows := make([]row, 1+dice.IntN(40))
		for i := range rows {
			kind := []rowKind{unloaded, stillLoaded, present, loaded}[dice.IntN(4)]
			rows[i] = row{start: dice.Uint64N(60), size: 1 + dice.Uint32N(20), ticks: uint64(i + 1), kind: kind, function: dice.Uint32N(2)}
		}
		var u unloads
		u.init(rows)
		for i := range rows {
			r := &rows[i]
			if r.kind != loaded && r.function != 0 {
				if got, want := u.last(r), lastUnload(rows[:i], r); got != want {
					t.Fatalf("row %d of %+v: %d, want %d", i, rows, got, want)
				}
			}
			if r.kind == unloaded {
				u.add(r)
			}
		}
	}
}

func lastUnload(before []row, r *row) uint64 {
	last := uint64(0)
	for i := range before {
		if b := &before[i]; b.kind == unloaded && b.start < r.end() && r.start < b.end() {
			last = b.ticks
		}
	}
	return last
}

// TestWanted compares the runs with a search of all addresses, for any order of
// queries and addresses.
func TestWanted(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var w wanted
		var all []uint64
		for range 200 {
			if dice.IntN(3) > 0 {
				address := dice.Uint64N(5000)
				w.add(address)
				all = append(all, address)
				continue
			}
			start := dice.Uint64N(5000)
			end := start + dice.Uint64N(30)
			want := slices.ContainsFunc(all, func(a uint64) bool { return start <= a && a < end })
			if w.any(start, end) != want {
				t.Fatalf("[%d, %d) of %v: not %v", start, end, all, want)
			}
		}
		for i := 1; i < len(w.runs); i++ {
			if len(w.runs[i-1]) < 2*len(w.runs[i]) {
				t.Fatalf("a run of %d before one of %d", len(w.runs[i-1]), len(w.runs[i]))
			}
		}
	}
}

// TestTimeline: at each time the span is that of the life that holds, the last
// that began, or else of the nearest.
func TestTimeline(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		list := make([]lifetime, 1+dice.IntN(6))
		for i := range list {
			from := dice.Uint64N(50)
			list[i] = lifetime{start: 10, end: 20, from: from, to: from + 1 + dice.Uint64N(20), value: uint32(i + 1)}
		}
		var l lifetimes
		l.init(slices.Clone(list))
		sorted := l.at(nil, 15)
		spans := timeline(sorted)
		for ticks := range uint64(80) {
			at := sortedBelow(len(spans), func(i int) bool { return spans[i].from <= ticks })
			got := spans[at-1].lifetime
			if want := nearestLifetime(sorted, ticks); got.value != want.value && got.from != want.from {
				t.Fatalf("at %d of %+v: %d, want %d", ticks, sorted, got.value, want.value)
			}
		}
	}
}

// nearestLifetime examines the lifetimes one by one. A lifetime ends where the
// next begins; between two, the nearer one counts, the later one at the middle.
func nearestLifetime(sorted []lifetime, ticks uint64) *lifetime {
	var best *lifetime
	nearest := uint64(forever)
	for i := range sorted {
		from, to := sorted[i].from, sorted[i].to
		if i+1 < len(sorted) {
			to = min(to, sorted[i+1].from)
		}
		away := uint64(0)
		switch {
		case ticks < from:
			away = from - ticks
		case ticks >= to:
			away = ticks - to + 1
		}
		if away <= nearest {
			best, nearest = &sorted[i], away
		}
	}
	return best
}
