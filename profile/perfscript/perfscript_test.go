package perfscript_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/perfscript"
)

func read(ctx context.Context, name string) (*profile.Profile, error) {
	data, err := corpora.Open(name)
	if err != nil {
		return nil, err
	}
	return profile.FromReader(ctx, codec.NewBytesReader(data, codec.Options{}), profile.Options{})
}

var (
	head  = regexp.MustCompile(`^\S.* \d+/(\d+) \[000\] (\d+)\.(\d{6}): (\d+) \S+: $`)
	frame = regexp.MustCompile(`^\t[0-9a-f]+ .+ \([^()]*\)$`)
)

// TestWrite checks the form of each line, that the times of a thread do not step back, and
// that the periods are the values of the samples. The second trace has several rows for a
// thread.
func TestWrite(t *testing.T) {
	for name, typ := range map[string]profile.Type{"net10-deep.v4": profile.Wall, "onecollect-small.v6": profile.CPU} {
		p, err := read(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := perfscript.Write(&out, p, perfscript.Options{Types: []profile.Type{typ}}); err != nil {
			t.Fatal(err)
		}
		last := map[string]string{}
		var sum, want int64
		for sample := range strings.SplitSeq(strings.TrimSuffix(out.String(), "\n\n"), "\n\n") {
			lines := strings.Split(sample, "\n")
			m := head.FindStringSubmatch(lines[0])
			if m == nil || len(lines) < 2 {
				t.Fatalf("%s: sample %q", name, sample)
			}
			at := fmt.Sprintf("%12s.%s", m[2], m[3])
			if at < last[m[1]] {
				t.Errorf("%s: thread %s steps back from %s to %s", name, m[1], last[m[1]], at)
			}
			last[m[1]] = at
			period, err := strconv.ParseInt(m[4], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += period
			for _, line := range lines[1:] {
				if !frame.MatchString(line) {
					t.Fatalf("%s: frame %q", name, line)
				}
			}
		}
		for s := range p.Samples(typ) {
			want += s.Value
		}
		if sum != want {
			t.Errorf("%s: %d ns, want %d", name, sum, want)
		}
	}
}

// Write the exceptions of a trace as perf script prints samples.
func ExampleWrite() {
	p, err := read(context.Background(), "net10-deep.v4")
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := perfscript.Write(&out, p, perfscript.Options{Types: []profile.Type{profile.Exception}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(out.String(), "\n\n"), "samples")
	// Output:
	// 24 samples
}
