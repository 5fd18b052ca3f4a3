package edit

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// KeptField is a field whose text a Redactor does not replace by default.
type KeptField struct {
	Provider string // empty: any provider
	Event    string // name of the event; empty: any event
	EventID  uint32 // for providers whose events have no names; 0: any event
	Field    string // path of the field: names of nested fields, joined with dots
	FileName bool   // only the part after the last separator is kept
	Number   bool   // the text is kept only if it is a number, otherwise replaced
	Reason   string // why the text is not replaced
}

// KeptFields returns the fields whose text a Redactor does not replace by
// default.
func KeptFields() []KeptField { return slices.Clone(keptFields()) }

var keptFields = sync.OnceValue(listKept)

// listKept returns a KeptField for each field of keptGroups.
func listKept() (list []KeptField) {
	for i := range keptGroups {
		g := &keptGroups[i]
		one, suffixes := g.common, []string{""}
		if g.runtime {
			one.Provider, suffixes = runtimePrefix, runtimeSuffixes[:]
		}
		provider := one.Provider
		for _, suffix := range suffixes {
			one.Provider = provider + suffix
			for _, one.Field = range g.fields {
				list = append(list, one)
			}
		}
	}
	return list
}

// runtimeSuffixes end the names of the native providers of the runtime.
var runtimeSuffixes = [...]string{"", "Rundown", "Private"}

// keptGroups has the kept fields of native providers of the runtime and of others. It is data: as
// calls, it would be 15 kB of code that every start of a program executes.
var keptGroups = [...]struct {
	runtime bool      // of each native provider of the runtime
	common  KeptField // without Field, and with runtime without Provider
	fields  []string
}{
	{true, KeptField{Reason: "names of methods are what a profile shows"}, []string{
		"MethodNamespace", "MethodName", "MethodSignature",
		"InlinerNamespace", "InlinerName", "InlinerNameSignature",
		"InlineeNamespace", "InlineeName", "InlineeNameSignature",
		"CallerNamespace", "CallerName", "CallerNameSignature",
		"CalleeNamespace", "CalleeName", "CalleeNameSignature",
		"MethodBeingCompiledNamespace", "MethodBeingCompiledName", "MethodBeingCompiledNameSignature"}},
	{true, KeptField{Reason: "names of types are what a profile of allocations shows"}, []string{"TypeName"}},
	{true, KeptField{Reason: "the type of an exception, not its message"}, []string{"ExceptionType"}},
	{true, KeptField{Reason: "names of assemblies say which code ran"}, []string{
		"FullyQualifiedAssemblyName", "AssemblyName", "RequestingAssembly", "ResultAssemblyName"}},
	{true, KeptField{Reason: "a text of the compiler"}, []string{"FailReason"}},
	{true, KeptField{EventID: 39, Reason: "a name that the garbage collector defines (GCDynamicEvent)"}, []string{"Name"}},
	{true, KeptField{FileName: true, Reason: "the name of a file with code or symbols, without its folders"}, []string{
		"ModuleILPath", "ModuleNativePath", "ManagedPdbBuildPath", "NativePdbBuildPath",
		"AssemblyPath", "ResultAssemblyPath", "FilePath", "RuntimeDllPath"}},
	{false, KeptField{Provider: "Microsoft-DotNETCore-EventPipe", Event: "ProcessInfo", Reason: "the kind of machine"}, []string{
		"OSInformation", "ArchInformation"}},
	{false, KeptField{Event: "EventCounters", Reason: "what a counter is called and measured in"}, []string{
		"Payload.Name", "Payload.DisplayName", "Payload.DisplayUnits", "Payload.CounterType",
		"Payload.DisplayRateTimeScale", "Payload.Series"}},
	{false, KeptField{Provider: "System.Diagnostics.Metrics", Reason: "what an instrument is called and measured in"}, []string{
		"instrumentName", "instrumentType", "unit", "quantiles", "meterName", "meterVersion"}},
	{false, KeptField{Provider: "System.Diagnostics.Metrics", Number: true, Reason: "a measured number, written as text"}, []string{
		"rate", "value", "lastValue"}},
	{false, KeptField{Provider: "System.Threading.Tasks.TplEventSource", Reason: "the name of an asynchronous method"}, []string{
		"OperationName"}},
	{false, KeptField{Provider: collector, Reason: "names of methods are what a profile shows"}, []string{
		"MethodNamespace", "MethodName", "MethodSignature", "SymbolName", "ShownName"}},
	{false, KeptField{Provider: collector, Reason: "numbers of lines and offsets, and names of called methods"}, []string{"Points", "Effects"}},
	{false, KeptField{Provider: collector, FileName: true, Reason: "the name of a source file, without its folders"}, []string{"FilePath"}},
	{false, KeptField{Provider: universalSystem, EventID: 4, Reason: "names of native functions are what a profile shows"}, []string{"Name"}},
	{false, KeptField{Provider: universalSystem, EventID: 3, FileName: true, Reason: "the name of a file with code, without its folders"}, []string{"FileName"}},
}

// Providers of the events of processes and mappings (v6), and of this project's own events.
const (
	universalSystem = "Universal.System"
	collector       = "Nettrace-Collector"
)

// holds reports whether k is about a field of an event.
func (k *KeptField) holds(m *codec.Metadata, path string) bool {
	return k.Field == path && (k.Provider == "" || k.Provider == m.Provider) &&
		(k.Event == "" || k.Event == m.Name) && (k.EventID == 0 || k.EventID == m.EventID)
}

// kept returns how the text of a field is treated by default.
func kept(m *codec.Metadata, path string) treatment {
	if m == nil {
		return replaceAll
	}
	fields := keptFields()
	for i := range fields {
		k := &fields[i]
		switch {
		case !k.holds(m, path):
		case k.FileName:
			return keepFileName
		case k.Number:
			return keepNumber
		default:
			return keepAll
		}
	}
	return replaceAll
}

// numericProperties are the trace properties that Readers and the program read as
// numbers.
var numericProperties = []string{
	codec.ProcessIDKey, codec.HardwareThreadCountKey, codec.ExpectedCPUSamplingRateKey, "SystemPageSize",
	codec.SliceFromKey, codec.SliceToKey,
}

// keepsProperty reports whether the value of a trace property stays: a number
// that every trace has, or the version and the clock of a source that Merge
// writes.
func keepsProperty(key, value string) bool {
	key, merged := trimSource(key)
	switch {
	case slices.Contains(numericProperties, key):
		_, err := strconv.ParseUint(value, 10, 64)
		return err == nil
	case merged && key == "Format":
		return len(value) <= len("6.0") && isVersion(value)
	case merged && key == "SyncTime":
		_, err := time.Parse(mergedTimeLayout, value)
		return err == nil
	}
	return false
}

// trimSource removes the prefix with the number of a source from a key of a
// merged trace.
func trimSource(key string) (rest string, merged bool) {
	number, rest, found := strings.Cut(key, ".")
	if digits, ok := strings.CutPrefix(number, "Source"); found && ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
		return rest, true
	}
	return key, false
}
