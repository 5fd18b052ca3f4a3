package shared

// SteadyMemory is an addition to the environment of a Go program whose peak of
// memory a test measures. The collector of such a program does not run beside it:
// it stops the program instead. On a busy machine it would otherwise be late, and
// the garbage of that time would count.
func SteadyMemory() []string { return []string{"GOMAXPROCS=1", "GODEBUG=gcstoptheworld=2"} }
