// Package timens reads the offsets of the time namespaces of Linux, in which clocks of
// processes are ahead of the system's: see time_namespaces(7).
package timens

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Offsets are the times by which the clocks of a process are ahead of the system's.
type Offsets struct {
	Monotonic time.Duration // of CLOCK_MONOTONIC
	Boottime  time.Duration // of CLOCK_BOOTTIME, and of start times in /proc as the process reads them
}

// Of returns the offsets of a process by its folder in /proc. They are 0 on a system without
// time namespaces. An error reports that they are not known.
func Of(dir string) (Offsets, error) {
	text, err := os.ReadFile(dir + "/timens_offsets")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Offsets{}, nil
	case err != nil:
		return Offsets{}, err
	}
	// The file is about the namespace of the children that the process will make.
	own, err1 := os.Readlink(dir + "/ns/time")
	children, err2 := os.Readlink(dir + "/ns/time_for_children")
	if err1 == nil && err2 == nil && own != children {
		return Offsets{}, fmt.Errorf("%s: the process made a time namespace for its children, and the system reports the offsets of that one only", dir)
	}
	o, err := parse(string(text))
	if err != nil {
		return Offsets{}, fmt.Errorf("%s/timens_offsets: %w", dir, err)
	}
	return o, nil
}

// parse reads the lines of timens_offsets: the name of a clock, or its number in old systems,
// seconds and nanoseconds.
func parse(text string) (o Offsets, err error) {
	for line := range strings.Lines(text) {
		var clock string
		var seconds, nanoseconds int64
		if _, err := fmt.Sscan(line, &clock, &seconds, &nanoseconds); err != nil {
			return Offsets{}, fmt.Errorf("got %q, expected a clock, seconds and nanoseconds", line)
		}
		ahead := time.Duration(seconds)*time.Second + time.Duration(nanoseconds)
		switch clock {
		case "monotonic", "1":
			o.Monotonic = ahead
		case "boottime", "7":
			o.Boottime = ahead
		}
	}
	return o, nil
}
