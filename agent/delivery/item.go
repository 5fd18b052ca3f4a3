package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Item is a profile to send.
type Item struct {
	// ID is a UUID of the process, the kind and the window.
	ID string
	// Kind is the kind of the profile: "wall", "memory".
	Kind string
	// Start is the beginning of the window.
	Start time.Time
	// End is its end.
	End time.Time
	// Labels describe the process. They have service_name and pid.
	Labels map[string]string
	// Body is the profile in the format of pprof, compressed with gzip.
	Body []byte
}

// size is the number of bytes that an item counts in a queue.
func (i *Item) size() int64 {
	n := len(i.ID) + len(i.Kind) + len(i.Body)
	for k, v := range i.Labels {
		n += len(k) + len(v)
	}
	const fixed = 200
	return int64(n) + fixed
}

// Target receives items.
type Target interface {
	// Send sends an item. After an error the item is sent again, for at most an
	// hour while others wait, unless the error is a *StatusError that is Final,
	// wraps ErrFinal, or is a *Warning.
	Send(ctx context.Context, item *Item) error
}

// ErrFinal is wrapped by an error of an item that no repetition can send.
var ErrFinal = errors.New("the item cannot be sent")

// Warning is the error of an item that the target has accepted, with a remark or in
// part.
type Warning struct {
	Text string // the remark of the server
}

// Error has the text.
func (w *Warning) Error() string { return "the server accepts with a warning: " + w.Text }

// StatusError is the refusal of a server.
type StatusError struct {
	Status     int           // of HTTP
	RetryAfter time.Duration // that the server asks for; 0: it does not
	Text       string        // beginning of its answer
}

// Error has the status and the text.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("the server answers %d %s", e.Status, http.StatusText(e.Status))
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// Final reports whether the server would refuse the same item again: a status from
// 300 to 499 but 408 and 429, and 501.
func (e *StatusError) Final() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return e.Status < 500 || e.Status == http.StatusNotImplemented
}

// maxRetryAfter bounds the time that a server can ask for.
const maxRetryAfter = time.Hour

// retryAfter reads the header Retry-After: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}
