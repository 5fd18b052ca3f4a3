package agent_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pb "github.com/google/pprof/profile"
)

// pyroscope is a receiver of the method push.v1.PusherService/Push. It checks each
// body and keeps what it has.
type pyroscope struct {
	// answer, if set, is called for the number of a request, from 1. It returns the
	// status of the answer, 0 to keep the body and close the connection.
	answer func(n int64) int
	small  bool // profiles are checked and not kept

	requests atomic.Int64
	mu       sync.Mutex
	pushed   []pushed
	invalid  []error
}

// pushed is the series of a request.
type pushed struct {
	id       string
	start    int64         // of the window, in nanoseconds
	duration time.Duration // of the events, or of sampling
	labels   map[string]string
	profile  *pb.Profile
}

func (s *pyroscope) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	status := http.StatusOK
	if s.answer != nil {
		status = s.answer(s.requests.Add(1))
	}
	if status >= 400 {
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		http.Error(w, "not now", status)
		return
	}
	p, err := parsePush(body)
	if r.URL.Path != "/push.v1.PusherService/Push" || r.Header.Get("Content-Type") != "application/proto" {
		err = fmt.Errorf("request to %s with %s", r.URL.Path, r.Header.Get("Content-Type"))
	}
	s.mu.Lock()
	if err != nil {
		s.invalid = append(s.invalid, err)
	} else {
		if s.small {
			p.profile = nil
		}
		s.pushed = append(s.pushed, *p)
	}
	s.mu.Unlock()
	if status == 0 {
		panic(http.ErrAbortHandler) // closes the connection
	}
}

// list returns what was kept.
func (s *pyroscope) list() []pushed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]pushed(nil), s.pushed...)
}

// covered returns the sum of the durations of the profiles of a kind and a process.
func (s *pyroscope) covered(pid, kind string) (sum time.Duration) {
	seen := map[string]bool{} // a profile can arrive twice
	for _, p := range s.list() {
		if p.labels["pid"] == pid && p.labels["__name__"] == kind && !seen[p.id] {
			seen[p.id] = true
			sum += p.duration
		}
	}
	return sum
}

// errors returns what was wrong with bodies.
func (s *pyroscope) errors() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.invalid...)
}

// parsePush reads a PushRequest with one series and one sample.
func parsePush(b []byte) (*pushed, error) {
	p := &pushed{labels: map[string]string{}}
	request, err := messageFields(b)
	if err != nil || len(request[1]) != 1 {
		return nil, fmt.Errorf("%d series: %w", len(request[1]), err)
	}
	series, err := messageFields(request[1][0])
	if err != nil || len(series[2]) != 1 {
		return nil, fmt.Errorf("%d samples: %w", len(series[2]), err)
	}
	for _, label := range series[1] {
		pair, err := messageFields(label)
		if err != nil || len(pair[1]) != 1 || len(pair[2]) != 1 {
			return nil, fmt.Errorf("a label: %w", err)
		}
		p.labels[string(pair[1][0])] = string(pair[2][0])
	}
	sample, err := messageFields(series[2][0])
	if err != nil || len(sample[1]) != 1 || len(sample[2]) != 1 {
		return nil, fmt.Errorf("the sample: %w", err)
	}
	p.id = string(sample[2][0])
	if len(p.id) != 36 {
		return nil, fmt.Errorf("the id %q is no UUID", p.id)
	}
	if p.profile, err = pb.Parse(bytes.NewReader(sample[1][0])); err != nil {
		return nil, err
	}
	p.start, p.duration = p.profile.TimeNanos, durationOf(p.profile)
	if p.labels["__delta__"] != "false" || p.labels["service_name"] == "" || p.labels["__name__"] == "" {
		return nil, fmt.Errorf("labels %v", p.labels)
	}
	return p, p.profile.CheckValid()
}

// durationOf returns the time of sampling, from the comment of a profile of samples, or the
// duration of a profile of events.
func durationOf(p *pb.Profile) time.Duration {
	for _, comment := range p.Comments {
		if text, ok := strings.CutPrefix(comment, "sampled for "); ok {
			text, _, _ = strings.Cut(text, " of ")
			d, _ := time.ParseDuration(text) // 0 fails the test that uses it
			return d
		}
	}
	return time.Duration(p.DurationNanos)
}

// messageFields returns the fields of a message of protobuf, which all have a
// length, by number.
func messageFields(b []byte) (map[uint64][][]byte, error) {
	fields := map[uint64][][]byte{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag&7 != 2 {
			return fields, fmt.Errorf("tag %d", tag)
		}
		size, m := binary.Uvarint(b[n:])
		if m <= 0 || size > uint64(len(b)-n-m) {
			return fields, fmt.Errorf("size %d", size)
		}
		b = b[n+m:]
		fields[tag>>3] = append(fields[tag>>3], b[:size])
		b = b[size:]
	}
	return fields, nil
}
