package profile_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestDeadlock compares the contentions of a program whose threads block each
// other with the program's own log: which threads wait, since when, and when the
// program ended.
func TestDeadlock(t *testing.T) {
	dir := filepath.Join(shared.Dir(t), "truth")
	truth, err := os.Open(filepath.Join(dir, "deadlock.truth.ndjson"))
	if err != nil {
		t.Skip(err)
	}
	defer truth.Close()
	since, leaving := map[uint64]uint64{}, uint64(0)
	for lines := bufio.NewScanner(truth); lines.Scan(); {
		var line struct {
			Thread, Since, At uint64
			Wants             string
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Wants != "" {
			since[line.Thread] = line.Since
		}
		leaving = max(leaving, line.At)
	}
	f, err := os.Open(filepath.Join(dir, "deadlock.v4.nettrace.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dec, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	p, err := profile.FromReader(context.Background(), codec.NewReader(dec, codec.Options{}), profile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const ms = 1e6
	for s := range p.Samples(profile.Lock) {
		if !s.Unfinished {
			continue
		}
		id := p.Threads()[s.Thread].ID
		want, ok := since[id]
		delete(since, id)
		switch {
		case !ok:
			t.Errorf("thread %d waits", id)
		case s.Ticks < want || s.Ticks > want+ms:
			t.Errorf("thread %d: got a wait since %d, want %d", id, s.Ticks, want)
		case s.Ticks+uint64(s.Value) < leaving || s.Ticks+uint64(s.Value) > leaving+100*ms:
			t.Errorf("thread %d: got a wait until %d, want %d", id, s.Ticks+uint64(s.Value), leaving)
		}
	}
	for id := range since {
		t.Errorf("thread %d does not wait", id)
	}
}
