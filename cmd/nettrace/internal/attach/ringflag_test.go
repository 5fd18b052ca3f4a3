package attach

import (
	"fmt"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// TestParseRing: values of --ring, and what is none.
func TestParseRing(t *testing.T) {
	for text, want := range map[string]record.RingOptions{
		"10m": {Time: 10 * time.Minute}, "500MB": {Size: 500e6}, "2s,1GB": {Time: 2 * time.Second, Size: 1e9}, "": {},
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if opt, err := ParseRing(text); err != nil || opt != want {
				t.Errorf("%+v, %v; want %+v", opt, err, want)
			}
		})
	}
	for _, text := range []string{"x", "1kB", "1s,2s", "1GB,2GB", "-1s", "10m,"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if opt, err := ParseRing(text); err == nil {
				t.Errorf("%+v, no error", opt)
			}
		})
	}
}
