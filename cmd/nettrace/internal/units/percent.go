package units

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Percent returns the value of a flag that sets p to a percentage; the default is
// initial. A % may follow the number.
func Percent(p *float64, initial float64) pflag.Value {
	*p = initial
	return (*percent)(p)
}

type percent float64

// Set implements pflag.Value.
func (p *percent) Set(text string) error {
	number, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err == nil {
		*p = percent(number)
	}
	return err
}

// String implements pflag.Value.
func (p *percent) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }

// Type implements pflag.Value.
func (p *percent) Type() string { return "float64" }
