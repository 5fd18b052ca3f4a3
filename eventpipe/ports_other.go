//go:build !linux

package eventpipe

import "slices"

// ports lists the processes that have a port.
func ports() ([]Process, error) {
	list, err := scan()
	return slices.DeleteFunc(list, func(p Process) bool { return p.Err != nil }), err
}
