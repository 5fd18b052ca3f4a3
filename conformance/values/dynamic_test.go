package values_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
)

// TestDynamic: the names and values, in their order, that the other reader
// decodes from the trace's own metadata are those of codec.
func TestDynamic(t *testing.T) {
	list := readFaults(t, "event")
	lines, values := 0, 0
	for _, name := range answered(t) {
		for _, a := range answers(t, name, codec.Options{}, func(a *answer) bool { return a.parser == dynamic }) {
			lines++
			if a.event == nil {
				t.Errorf("%s: no event for %+v", name, a.key)
				continue
			}
			wrong := differences("", a.ours, a.fields)
			if values += len(a.ours); len(wrong) > 0 {
				list.take(t, a.place(name), a.event.Payload(), wrong)
			}
		}
	}
	list.check(t)
	t.Logf("%d events with %d values; %d events differ by faults of the other reader", lines, values, len(list))
	if lines != 1936 {
		t.Errorf("%d events instead of 1936", lines)
	}
}

// place identifies an event and its position.
func (a *answer) place(trace string) string {
	return fmt.Sprintf("%s %d %s %d/%d %s", trace, a.key.ticks, a.key.provider, a.key.id, a.key.version, a.event.Name())
}
