package logical

// The names of the sources that tell what code waits for other code, in all outputs.
const (
	ProfilerSource = "async-profiler" // the records of the async profiler of .NET 11
	TasksSource    = "tpl"            // the events of System.Threading.Tasks.TplEventSource
)
