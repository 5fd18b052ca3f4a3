package counters

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

const counterTime = "2006-01-02T15:04:05.000Z"

// counterCSV prints a row for each number. The first five columns are those of
// dotnet-counters.
type counterCSV struct {
	buf   *bufio.Writer
	w     *csv.Writer
	begun bool
}

func newCounterCSV(dst io.Writer) *counterCSV {
	buf := bufio.NewWriter(dst)
	return &counterCSV{buf: buf, w: csv.NewWriter(buf)}
}

func (c *counterCSV) header() error {
	if c.begun {
		return nil
	}
	c.begun = true
	return c.w.Write([]string{"Timestamp", "Provider", "Counter Name", "Counter Type", "Mean/Increment", "Statistic", "Unit", "Tags", "Interval", "Source"})
}

func (c *counterCSV) value(m *counters.Message) error {
	if err := c.header(); err != nil {
		return err
	}
	v := &m.Value
	for _, x := range statistics(v) {
		kind, unit := "Metric", v.Unit
		if x.isDelta {
			kind, unit = "Rate", rateUnit(v)
		}
		err := c.w.Write([]string{
			m.Time.Format(counterTime), v.Provider, counterLabel(v, unit, x.name), kind, numberText(x.value), x.name, v.Unit, v.Tags,
			secondsText(v.Asked), v.Source.String(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *counterCSV) pause() error {
	c.w.Flush()
	if err := c.w.Error(); err != nil {
		return err
	}
	return c.buf.Flush()
}

func (c *counterCSV) lists() bool { return false }

func (c *counterCSV) end() error {
	if err := c.header(); err != nil {
		return err
	}
	return c.pause()
}

// statistic is one number of a value.
type statistic struct {
	name    string
	value   float64
	isDelta bool
}

// statistics returns the measured numbers of a value.
func statistics(v *counters.Value) []statistic {
	var all []statistic
	add := func(name string, n counters.Number, isDelta bool) {
		if n.Valid {
			all = append(all, statistic{name, n.Float64, isDelta})
		}
	}
	switch v.Type {
	case counters.Mean:
		add("mean", v.Value, false)
	case counters.Histogram:
		for _, q := range v.Quantiles {
			add("p"+numberText(q.Quantile*100), counters.Number{Float64: q.Value, Valid: true}, false)
		}
		add("min", v.Min, false)
		add("max", v.Max, false)
		add("count", v.Count, false)
		add("sum", v.Sum, false)
	default:
		add("increment", v.Delta, true)
		add("value", v.Value, false)
	}
	return all
}

// counterLabel returns a counter's name as dotnet-counters shows it: with its
// unit, and the tags in brackets.
func counterLabel(v *counters.Value, unit, statistic string) string {
	name := v.Display
	if name == "" {
		name = v.Name
	}
	if unit != "" {
		name += " (" + unit + ")"
	}
	tags := v.Tags
	if v.Type == counters.Histogram && statistic[0] == 'p' {
		if tags != "" {
			tags += ","
		}
		tags += "Percentile=" + statistic[1:]
	}
	if tags != "" {
		name += "[" + tags + "]"
	}
	return name
}

// rateUnit returns the unit of an increment and its interval.
func rateUnit(v *counters.Value) string {
	unit := v.Unit
	if unit == "" {
		unit = "Count"
	}
	if v.Asked == 0 {
		return unit
	}
	return unit + " / " + secondsText(v.Asked) + " sec"
}

func secondsText(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

func numberText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// counterJSON prints one object on each line for each value.
type counterJSON struct {
	dst io.Writer
	j   jsontext.Builder
	err error
}

func (c *counterJSON) value(m *counters.Message) error {
	v, j := &m.Value, &c.j
	j.Bytes = append(j.Bytes, '{')
	j.Key("type").Text("value")
	j.Key("time").Text(m.Time.Format(time.RFC3339Nano))
	j.Key("source").Text(v.Source.String())
	j.Key("provider").Text(v.Provider)
	for _, pair := range [...][2]string{{"version", v.Version}, {"name", v.Name}, {"displayName", v.Display}, {"kind", v.Type.String()}, {"unit", v.Unit}} {
		if pair[1] != "" {
			j.Key(pair[0]).Text(pair[1])
		}
	}
	appendTags(j, "tags", v.Tags, v.Source)
	if i := v.Instrument; i != nil {
		appendTags(j, "instrumentTags", i.Tags, v.Source)
		appendTags(j, "meterTags", i.MeterTags, v.Source)
	}
	if v.Asked > 0 {
		j.Key("interval").Float(v.Asked.Seconds())
	}
	appendNumbers(j, v)
	j.Bytes = append(j.Bytes, '}', '\n')
	if len(j.Bytes) >= display.FlushSize {
		return c.pause()
	}
	return c.err
}

func appendNumbers(j *jsontext.Builder, v *counters.Value) {
	for _, n := range [...]struct {
		name   string
		number counters.Number
	}{
		{"value", v.Value}, {"increment", v.Delta}, {"rate", v.Rate()}, {"count", v.Count}, {"sum", v.Sum},
		{"min", v.Min}, {"max", v.Max}, {"standardDeviation", v.Deviation},
	} {
		if n.number.Valid {
			j.Key(n.name).Float(n.number.Float64)
		}
	}
	if len(v.Quantiles) > 0 {
		j.Key("quantiles").Open('{')
		for _, q := range v.Quantiles {
			j.Key(numberText(q.Quantile)).Float(q.Value)
		}
		j.Close('}')
	}
	if b := v.Buckets; b != nil {
		j.Key("scale").Number(int64(b.Scale))
		j.Key("zeroCount").Number(b.ZeroCount)
		j.Key("buckets").Open('[')
		for _, n := range b.Counts {
			j.Number(n)
		}
		j.Close(']')
	}
}

// appendTags appends tags as an object. The second of two equal names gets #2.
func appendTags(j *jsontext.Builder, key, text string, source counters.Source) {
	if text == "" {
		return
	}
	j.Key(key).Open('{')
	seen := map[string]int{}
	for _, tag := range counters.ParseTags(text, source) {
		name := tag.Key
		if seen[tag.Key]++; seen[tag.Key] > 1 {
			name = fmt.Sprintf("%s#%d", tag.Key, seen[tag.Key])
		}
		j.Key(name).Text(tag.Value)
	}
	j.Close('}')
}

func (c *counterJSON) pause() error {
	if c.err == nil && len(c.j.Bytes) > 0 {
		_, c.err = c.dst.Write(c.j.Bytes)
	}
	c.j.Bytes = c.j.Bytes[:0]
	return c.err
}

func (c *counterJSON) lists() bool { return false }

func (c *counterJSON) end() error { return c.pause() }
