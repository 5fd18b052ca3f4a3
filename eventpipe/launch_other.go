//go:build !linux

package eventpipe

// carriers are not known here: known is false.
func carriers(string) (pids []int, known bool) { return nil, false }

func programOf(int) string { return "" }
