package stacks

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	events "github.com/nettrace-go/nettrace/codec/clr"
	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/perf"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/symbols"
)

// moment identifies a sample of a thread.
type moment struct {
	thread int
	ticks  uint64
}

// samplers have the names of the samplers by the type of their samples.
var samplers = map[profile.Type]string{profile.Wall: "eventpipe", profile.CPU: "perf"}

// weights are the weights of the samples, in nanoseconds.
func weights(prof *profile.Profile) map[profile.Type]map[moment]int64 {
	all := map[profile.Type]map[moment]int64{}
	for of := range samplers {
		all[of] = map[moment]int64{}
		for s := range prof.Samples(of) {
			all[of][moment{s.Thread, s.Ticks}] = s.Value
		}
	}
	return all
}

// appendDetails appends a stack as a line of JSON with all that is known of it.
func (o *options) appendDetails(b []byte, prof *profile.Profile, s *profile.Sample) []byte {
	j := jsontext.Builder{Bytes: append(b, '{')}
	appendEvent(&j, prof, s)
	of := profile.EventType(s.Metadata)
	if sampler := samplers[of]; sampler != "" {
		j.Key("sampler").Text(sampler)
		state := profile.Running // the operating system samples threads on a processor only
		if of == profile.Wall {
			state, _ = prof.State(s)
		}
		j.Key("state").Text(state.String())
		if weight, ok := o.weights[of][moment{s.Thread, s.Ticks}]; ok {
			j.Key("weightNs").Number(weight)
		}
	}
	j.Key("frames").Open('[')
	stack := o.frames(prof, s)
	repairs, cut := chainOf(prof, s, of)
	for at := range stack {
		d := detailed{prof: prof, stack: stack, at: at, sample: s, repair: repairs[at]}
		d.append(&j)
	}
	j.Close(']')
	if how := o.howJoined(prof, s); how != "" {
		j.Key("async").Text(how)
	}
	j.Key("cut").Bool(cut || s.Cut || s.Status == profile.Truncated && s.Join != profile.Joined)
	appendRequest(&j, prof, s)
	j.Close('}')
	return append(j.Bytes, '\n')
}

// appendRequest adds the request whose work the stack is, and how that is known.
func appendRequest(j *jsontext.Builder, prof *profile.Profile, s *profile.Sample) {
	r, owner := prof.Request(s)
	if r != nil {
		j.Key("request").Open('{')
		for _, f := range []struct{ key, value string }{{"id", r.ID}, {"method", r.Method}, {"route", r.Pattern()}} {
			if f.value != "" {
				j.Key(f.key).Text(f.value)
			}
		}
		if r.HasStatus {
			j.Key("status").Number(r.Status)
		}
		for _, f := range []struct{ key, value string }{{"traceId", r.TraceID}, {"spanId", r.SpanID}, {"parentSpanId", r.ParentSpanID}} {
			if f.value != "" {
				j.Key(f.key).Text(f.value)
			}
		}
		if span := prof.Span(s); span != nil {
			j.Key("span").Open('{')
			j.Key("name").Text(span.Name)
			j.Key("spanId").Text(span.SpanID)
			j.Key("parentSpanId").Text(span.ParentSpanID)
			j.Close('}')
		}
		j.Close('}')
	}
	if owner != incoming.NoOwner {
		j.Key("owner").Text(owner.String())
	}
}

// chainOf returns how frames of a sample of perf were found that the kernel did not find, and
// whether the outer end is missing, as the recorder notes it.
func chainOf(prof *profile.Profile, s *profile.Sample, of profile.Type) (repairs map[int]string, cut bool) {
	if of != profile.CPU {
		return nil, false
	}
	for _, l := range prof.Labels(s) {
		switch l.Key {
		case events.RepairLabel:
			repairs = perf.ParseRepairs(l.Text)
		case events.CutLabel:
			cut = true
		}
	}
	return repairs, cut
}

// howJoined returns how the callers above a continuation were found, "" with --physical, where
// nobody looked for them.
func (o *options) howJoined(prof *profile.Profile, s *profile.Sample) string {
	switch {
	case o.async.Physical:
		return ""
	case s.Join == profile.Joined:
		return prof.JoinedBy().String()
	case s.Join == profile.NotAsync:
		return "physical"
	}
	return "unknown"
}

// detailed is a frame of a stack.
type detailed struct {
	prof   *profile.Profile
	sample *profile.Sample
	stack  []profile.FrameID
	at     int
	repair string // how the frame was put in, "" if it was recorded
}

// append appends the frame, after the methods that were inlined into it.
func (d *detailed) append(j *jsontext.Builder) {
	id := d.stack[d.at]
	f, where := d.prof.Frame(id), d.prof.Location(id)
	if f.Kind != profile.OnStack {
		d.appendWaiting(j, &f, where)
		return
	}
	for i := range where.Inlined {
		appendInlined(j, &where.Inlined[i])
	}
	function, code := d.prof.Function(f.Function), d.prof.Code(id)
	j.Open('{')
	name := function.Name
	if place, ok := placeInFile(&f, function); ok {
		name = place
	}
	j.Key("name").Text(name)
	if raw := rawName(function); raw != name {
		j.Key("rawName").Text(raw)
	}
	kind := samples.KindOf(d.prof, &f, function)
	if kind != "" {
		j.Key("kind").Text(kind)
	}
	if module := moduleOf(function, code); module != "" {
		j.Key("module").Text(module)
	}
	if id := symbols.BuildID(function.Mapping); id != "" {
		j.Key("buildId").Text(id)
	}
	if f.Address != 0 {
		j.Key("address").Text("0x" + strconv.FormatUint(f.Address, 16))
	}
	if code != nil && f.Address >= code.Start {
		j.Key("offset").Number(int64(f.Address - code.Start))
	}
	switch {
	case where.Line > 0:
		appendPlace(j, where.File, where.Line)
		if where.EndLine > where.Line {
			j.Key("endLine").Number(int64(where.EndLine))
		}
		if why := d.prof.Uncertain(d.stack, d.at); why != "" {
			j.Key("lineUncertain").Text(why)
		}
	case kind == "managed" && code == nil:
		j.Key("noLine").Text(symbols.NoMap.String())
	case kind == "managed":
		j.Key("noLine").Text(where.Missing.String())
	}
	if d.repair != "" {
		j.Key("repair").Text(d.repair)
	}
	if d.sample.Status == profile.Repaired && d.at >= recordedFrames && d.sample.Join != profile.Joined {
		j.Key("repair").Text("depth")
	}
	j.Close('}')
}

// appendWaiting appends a frame that is not on the thread's stack. The recorded address of a
// state machine is that of its method: it has no line.
func (d *detailed) appendWaiting(j *jsontext.Builder, f *profile.Frame, where *symbols.Location) {
	function := d.prof.Function(f.Function)
	j.Open('{')
	j.Key("name").Text(function.Name)
	if function.RawName != function.Name {
		j.Key("rawName").Text(function.RawName)
	}
	kind := "async"
	if f.Kind == profile.CreatedBy {
		kind = "created-by"
	}
	j.Key("kind").Text(kind)
	if module := moduleOf(function, nil); module != "" {
		j.Key("module").Text(module)
	}
	if f.HasState {
		j.Key("state").Number(int64(f.State))
	} else if where.Line > 0 {
		appendPlace(j, where.File, where.Line)
		if where.EndLine > where.Line {
			j.Key("endLine").Number(int64(where.EndLine))
		}
	}
	j.Close('}')
}

// recordedFrames is the number of frames that the runtime keeps of a stack: in a repaired one,
// the others come from complete stacks.
const recordedFrames = 100

// placeInFile returns the place of code without a name in the file that is mapped there:
// libc.so.6+0x1234.
func placeInFile(f *profile.Frame, function *profile.Function) (string, bool) {
	m := function.Mapping
	if m == nil || !strings.HasPrefix(m.Path, "/") || f.Address < m.Start || function.Name != "["+m.Name()+"]" {
		return "", false
	}
	return m.Name() + "+0x" + strconv.FormatUint(f.Address-m.Start+m.FileOffset, 16), true
}

// rawName is the name as the runtime has it, with the module, and that of a function in a native
// program as its table of symbols has it.
func rawName(function *profile.Function) string {
	if s := function.Symbol; s != nil && s.Namespace == "" && s.Signature == "" {
		return s.Method
	}
	return function.RawName
}

// moduleOf returns the file name of a frame's module.
func moduleOf(function *profile.Function, code *clr.Code) string {
	if code != nil && code.Module.Path != "" {
		return code.Module.Path[strings.LastIndexAny(code.Module.Path, `/\`)+1:]
	}
	return function.Module
}

// appendInlined appends an inlined method.
func appendInlined(j *jsontext.Builder, f *symbols.InlinedFrame) {
	j.Open('{')
	j.Key("name").Text(f.Name)
	if f.RawName != f.Name {
		j.Key("rawName").Text(f.RawName)
	}
	j.Key("kind").Text("inlined")
	if f.Module != nil {
		j.Key("module").Text(f.Module.Path[strings.LastIndexAny(f.Module.Path, `/\`)+1:])
	}
	if f.Line > 0 {
		appendPlace(j, f.File, f.Line)
	}
	j.Close('}')
}

func appendPlace(j *jsontext.Builder, file string, line int) {
	j.Key("file").Text(file)
	j.Key("line").Number(int64(line))
}
