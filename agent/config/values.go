package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/nettrace-go/nettrace/internal/bytesize"
)

// Duration is a time of Go, such as 10s or 1m30s.
type Duration time.Duration

// UnmarshalYAML reads a time above 0.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil || v <= 0 {
		return lineError(n, "%q is not a time above 0, such as 10s", n.Value)
	}
	*d = Duration(v)
	return nil
}

// Share is a part of a time, such as 2s/10s.
type Share struct {
	Of time.Duration // the part
	In time.Duration // the time that it is a part of
}

// Parts returns Of/In, at most 1.
func (s Share) Parts() float64 { return float64(s.Of) / float64(s.In) }

// UnmarshalYAML reads a share.
func (s *Share) UnmarshalYAML(n *yaml.Node) error {
	of, in, ok := strings.Cut(n.Value, "/")
	a, err := time.ParseDuration(strings.TrimSpace(of))
	b, err2 := time.ParseDuration(strings.TrimSpace(in))
	if !ok || err != nil || err2 != nil || a <= 0 || a > b {
		return lineError(n, "%q is not a part of a time, such as 2s/10s", n.Value)
	}
	s.Of, s.In = a, b
	return nil
}

// Percent is a share of one processor: 5% is 0.05.
type Percent float64

// ParsePercent reads a share such as 5%.
func ParsePercent(text string) (Percent, error) {
	number, ok := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(v > 0 && v <= 100_000) {
		return 0, fmt.Errorf("%q is not a share of one processor above 0, such as 5%%", text)
	}
	return Percent(v / 100), nil
}

// UnmarshalYAML reads a share.
func (p *Percent) UnmarshalYAML(n *yaml.Node) (err error) {
	if *p, err = ParsePercent(n.Value); err != nil {
		return lineError(n, "%v", err)
	}
	return nil
}

// Size is a number of bytes with a unit, such as 16MiB.
type Size int64

// UnmarshalYAML reads a size.
func (s *Size) UnmarshalYAML(n *yaml.Node) error {
	v, err := bytesize.Parse(n.Value)
	if err != nil {
		return lineError(n, "%v", err)
	}
	*s = Size(v)
	return nil
}

// lineError returns an error about a value of the file. The library goes on after
// an error of this type, and returns all.
func lineError(n *yaml.Node, format string, args ...any) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s", n.Line, fmt.Sprintf(format, args...))}}
}
