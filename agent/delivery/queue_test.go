package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// script is a target that answers with a list of errors, and then accepts.
type script struct {
	answers []error
	begun   time.Time
	sent    []string // ids of accepted items
	at      []time.Duration
}

func (s *script) Send(_ context.Context, item *delivery.Item) error {
	s.at = append(s.at, time.Since(s.begun))
	if len(s.answers) > 0 {
		err := s.answers[0]
		s.answers = s.answers[1:]
		if err != nil {
			return err
		}
	}
	s.sent = append(s.sent, item.ID)
	return nil
}

func item(n int) *delivery.Item {
	return &delivery.Item{ID: fmt.Sprint(n), Kind: "wall", Body: make([]byte, 1000), Labels: map[string]string{"service_name": "shop"}}
}

func newQueue(t *testing.T, target delivery.Target, opt delivery.Options) *delivery.Queue {
	t.Helper()
	q, err := delivery.New(target, opt)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// run runs the queue for a time, and returns its counts.
func run(t *testing.T, q *delivery.Queue, d time.Duration) delivery.Stats {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	q.Run(ctx)
	return q.Stats()
}

func status(code int, after time.Duration) error {
	return &delivery.StatusError{Status: code, RetryAfter: after}
}

var errConnection = errors.New("connection refused")

// TestBackoff: the pauses between attempts double, have jitter, are bounded, and
// are as long as the target asks for.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &script{begun: time.Now(), answers: []error{errConnection, errConnection, errConnection, status(503, 0), status(429, 30*time.Second)}}
		q := newQueue(t, target, delivery.Options{MinBackoff: time.Second, MaxBackoff: 4 * time.Second})
		q.Add(item(1))
		q.Add(item(2))
		s := run(t, q, time.Hour)
		expect.Slices(t, "sent", target.sent, []string{"1", "2"})
		expect.Equal(t, "sent", s.Sent, 2)
		expect.Equal(t, "failures", s.Failures, 5)
		expect.Equal(t, "bytes", s.Bytes, 0)
		expect.Len(t, "attempts", target.at, 7)
		for i, full := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 4 * time.Second} {
			pause := target.at[i+1] - target.at[i]
			expect.AtLeast(t, fmt.Sprintf("pause %d", i), pause, full/2)
			expect.AtMost(t, fmt.Sprintf("pause %d", i), pause, full)
		}
		expect.Equal(t, "pause that the target asked for", target.at[5]-target.at[4], 30*time.Second)
		expect.Equal(t, "time of the next item", target.at[6], target.at[5])
	})
}

// TestFinal: which answers drop an item at once, and which repeat it.
func TestFinal(t *testing.T) {
	for _, c := range []struct {
		err   error
		final bool
	}{
		{status(http.StatusBadRequest, 0), true},
		{status(http.StatusUnauthorized, 0), true},
		{status(http.StatusRequestEntityTooLarge, 0), true},
		{status(http.StatusNotImplemented, 0), true},
		{fmt.Errorf("no: %w", delivery.ErrFinal), true},
		{status(http.StatusRequestTimeout, 0), false},
		{status(http.StatusTooManyRequests, 0), false},
		{status(http.StatusInternalServerError, 0), false},
		{status(http.StatusServiceUnavailable, 0), false},
		{errConnection, false},
	} {
		t.Run(c.err.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := &script{answers: []error{c.err}}
				q := newQueue(t, target, delivery.Options{})
				q.Add(item(1))
				q.Add(item(2))
				s := run(t, q, time.Hour)
				expect.Equal(t, "refused", s.Dropped[delivery.Refused] == 1, c.final)
				expect.Equal(t, "sent", s.Sent == 1, c.final)
			})
		})
	}
}

// TestWarning: an item that the target accepts with a warning, at once or after a
// failure, is sent once, and the warning is counted.
func TestWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		warning := &delivery.Warning{Text: "1 of 2 profiles was rejected"}
		target := &script{answers: []error{fmt.Errorf("target: %w", warning), errConnection, warning}}
		q := newQueue(t, target, delivery.Options{})
		q.Add(item(1))
		q.Add(item(2))
		q.Add(item(3))
		s := run(t, q, time.Hour)
		expect.Len(t, "attempts", target.at, 4)
		expect.Equal(t, "sent", s.Sent, 3)
		expect.Equal(t, "warnings", s.Warnings, 2)
		expect.Equal(t, "text", s.Warning, "1 of 2 profiles was rejected")
		expect.Equal(t, "failures", s.Failures, 1)
		expect.Equal(t, "bytes", s.Bytes, 0)
		expect.NoError(t, s.LastError)
	})
}

// TestExpired: an item that always fails is dropped after an hour, and the others
// are sent. An item that is alone stays.
func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &refuser{id: "1"}
		q := newQueue(t, target, delivery.Options{})
		q.Add(item(1))
		s := run(t, q, 3*time.Hour)
		expect.Equal(t, "waiting when it is alone", s.Waiting, 1)
		q.Add(item(2))
		s = run(t, q, 30*time.Minute)
		expect.Equal(t, "sent after half an hour", s.Sent, 0)
		s = run(t, q, 70*time.Minute)
		expect.Slices(t, "sent", target.sent, []string{"2"})
		expect.Equal(t, "dropped", s.Dropped[delivery.Expired], 1)
		expect.Equal(t, "waiting", s.Waiting, 0)
		expect.Equal(t, "bytes", s.Bytes, 0)
		expect.NoError(t, s.LastError)
	})
}

// refuser is a target that fails for one item.
type refuser struct {
	id   string
	sent []string
}

func (r *refuser) Send(_ context.Context, item *delivery.Item) error {
	if item.ID == r.id {
		return status(http.StatusInternalServerError, 0)
	}
	r.sent = append(r.sent, item.ID)
	return nil
}

// TestFull: a full queue drops its oldest items, and counts them.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &script{}
		q := newQueue(t, target, delivery.Options{MaxBytes: 4000})
		for n := range 10 {
			q.Add(item(n))
		}
		q.Add(&delivery.Item{ID: "large", Body: make([]byte, 5000)})
		s := q.Stats()
		expect.Equal(t, "waiting", s.Waiting, 3)
		expect.AtMost(t, "bytes", s.Bytes, 4000)
		expect.Equal(t, "dropped as the oldest", s.Dropped[delivery.Full], 7)
		expect.Equal(t, "dropped as too large", s.Dropped[delivery.TooLarge], 1)
		run(t, q, time.Second)
		expect.Slices(t, "sent", target.sent, []string{"7", "8", "9"})
	})
}

// TestDrain: at the end, items are sent until an attempt fails.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &script{answers: []error{nil, errConnection}}
		q := newQueue(t, target, delivery.Options{})
		for n := range 4 {
			q.Add(item(n))
		}
		q.Drain(t.Context())
		s := q.Stats()
		expect.Slices(t, "sent", target.sent, []string{"0"})
		expect.Equal(t, "dropped", s.Dropped[delivery.Shutdown], 3)
		expect.Equal(t, "bytes", s.Bytes, 0)
		expect.Equal(t, "waiting", s.Waiting, 0)
	})
}

// TestFolder: items in a folder outlast the queue.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "queue")
	before := newQueue(t, &script{}, delivery.Options{Dir: dir})
	first := item(1)
	first.Start = time.Unix(1_800_000_000, 5).UTC()
	first.Body = []byte("line\nline")
	before.Add(first)
	before.Add(item(2))
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "3.item.part"), []byte("x"), 0o600))
	synctest.Test(t, func(t *testing.T) {
		received := &keeper{}
		q := newQueue(t, received, delivery.Options{Dir: dir})
		q.Add(item(3))
		s := run(t, q, time.Minute)
		expect.Equal(t, "sent", s.Sent, 3)
		expect.Len(t, "items", received.items, 3)
		expect.Equal(t, "id", received.items[0].ID, "1")
		expect.Equal(t, "start", received.items[0].Start, first.Start)
		expect.Equal(t, "label", received.items[0].Labels["service_name"], "shop")
		expect.Equal(t, "body", string(received.items[0].Body), "line\nline")
		expect.Equal(t, "last id", received.items[2].ID, "3")
	})
	left, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.Len(t, "files", left, 0)
}

// TestFolderDamaged: a file that cannot be read is dropped and counted.
func TestFolderDamaged(t *testing.T) {
	dir := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "1.item"), []byte("no line"), 0o600))
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "00000000000000000002.item"), []byte("{no JSON\n"), 0o600))
	synctest.Test(t, func(t *testing.T) {
		s := run(t, newQueue(t, &script{}, delivery.Options{Dir: dir}), time.Minute)
		expect.Equal(t, "dropped", s.Dropped[delivery.Storage], 2)
	})
}

// keeper accepts and keeps items.
type keeper struct{ items []*delivery.Item }

func (k *keeper) Send(_ context.Context, item *delivery.Item) error {
	k.items = append(k.items, item)
	return nil
}

// TestTake: a queue takes the items of another one in their order, from memory and from a
// folder, and drops those that do not fit.
func TestTake(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to string // folders; "" for memory
		max      int64
		want     []string
	}{
		{"memory", "", "", 0, []string{"1", "2", "3"}},
		{"memory to folder", "", "b", 0, []string{"1", "2", "3"}},
		{"folder to another folder", "a", "b", 0, []string{"1", "2", "3"}},
		{"folder to memory", "a", "", 0, []string{"1", "2", "3"}},
		{"smaller queue", "", "", 3000, []string{"2", "3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent, target := t.TempDir(), &script{}
			in := func(folder string) string {
				if folder == "" {
					return ""
				}
				return filepath.Join(parent, folder)
			}
			from, to := newQueue(t, nil, delivery.Options{Dir: in(c.from)}), newQueue(t, target, delivery.Options{Dir: in(c.to), MaxBytes: c.max})
			for n := range 3 {
				from.Add(item(n + 1))
			}
			to.Take(from)
			s := from.Stats()
			expect.Equal(t, "items left", s.Waiting, 0)
			expect.Equal(t, "bytes left", s.Bytes, 0)
			expect.Len(t, "drops", slices.Collect(maps.Keys(s.Dropped)), 0)
			to.Drain(t.Context())
			expect.Slices(t, "sent", target.sent, c.want)
			expect.Equal(t, "dropped by the new queue", to.Stats().Dropped[delivery.Full], int64(3-len(c.want)))
			if c.from != "" {
				files, err := os.ReadDir(in(c.from))
				expect.NoError(t, err)
				expect.Len(t, "files left", files, 0)
			}
		})
	}
}

// TestTakeUnreadable: an item that cannot be read is counted as dropped.
func TestTakeUnreadable(t *testing.T) {
	dir := t.TempDir()
	from, to := newQueue(t, nil, delivery.Options{Dir: dir}), newQueue(t, &script{}, delivery.Options{})
	from.Add(item(1))
	files, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.NoError(t, os.Remove(filepath.Join(dir, files[0].Name())))
	to.Take(from)
	expect.Equal(t, "items", to.Stats().Waiting, 0)
	expect.Equal(t, "dropped", from.Stats().Dropped[delivery.Storage], 1)
}

// TestRemovedFolder: a folder that was removed is created again.
func TestRemovedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "queue")
	target := &script{}
	q := newQueue(t, target, delivery.Options{Dir: dir})
	expect.NoError(t, os.RemoveAll(dir))
	q.Add(item(1))
	q.Drain(t.Context())
	expect.Slices(t, "sent", target.sent, []string{"1"})
}
