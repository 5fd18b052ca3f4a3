package metrics

import (
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/telemetry"
)

// cpuSource is the EventSource in whose rounds the processor time is: the runtime's.
const cpuSource = "System.Runtime"

// processorTime is the metric of the processor time of a process.
type processorTime struct {
	file   *eventpipe.CPUTime
	failed bool // the system does not report it
	base   [2]time.Duration
	metric Metric
}

// append adds the metric to a round but the first. It is missing in a round if the system does
// not report the time.
func (c *processorTime) append(pid int, r *Round) {
	if c.file == nil {
		file, err := eventpipe.OpenCPUTime(pid)
		if err != nil {
			c.failed = true
			return
		}
		c.file = file
	}
	user, system, err := c.file.Read()
	if err != nil {
		return
	}
	if c.metric.Points == nil {
		c.base = [2]time.Duration{user, system}
		c.metric = Metric{Scope: cpuSource, Name: "dotnet.process.cpu.time", Unit: "s", Kind: Sum}
		for _, mode := range []string{"user", "system"} {
			c.metric.Points = append(c.metric.Points, Point{Attributes: []telemetry.Attribute{{Key: "cpu.mode", Value: mode}}, Start: r.Time})
		}
		return
	}
	for i, spent := range [2]time.Duration{user, system} {
		c.metric.Points[i].Time, c.metric.Points[i].Value = r.Time, (spent - c.base[i]).Seconds()
	}
	r.Metrics = append(r.Metrics, c.metric)
}

// close closes the file. It is opened again for another session.
func (c *processorTime) close() {
	if c.file != nil {
		_ = c.file.Close()
		c.file = nil
	}
}
