package perf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/symbols"
)

// namesEvent is an event of the trace of names.
type namesEvent struct {
	time     uint64
	metadata uint32
	thread   uint64
	payload  []byte
	labels   []codec.Label
	stack    []uint64
}

// The types of events of the trace of names.
const (
	existingProcess = iota
	processMapping
	processSymbol
	mappingMetadata
	contextSwitch
)

var systemEvents = [...]*codec.Metadata{
	existingProcess: {Provider: clr.UniversalSystemProvider, EventID: 0, Name: "ExistingProcess", Fields: []codec.Field{number("NamespaceId"), text("Name"), text("NamespaceName")}},
	processMapping: {Provider: clr.UniversalSystemProvider, EventID: 3, Name: "ProcessMapping", Fields: []codec.Field{
		number("Id"), number("StartAddress"), number("EndAddress"), number("FileOffset"), text("FileName"), number("MetadataId")}},
	processSymbol: {Provider: clr.UniversalSystemProvider, EventID: 4, Name: "ProcessSymbol", Fields: []codec.Field{
		number("Id"), number("MappingId"), number("StartAddress"), number("EndAddress"), text("Name")}},
	mappingMetadata: {Provider: clr.UniversalSystemProvider, EventID: 5, Name: "ProcessMappingMetadata", Fields: []codec.Field{
		number("Id"), text("SymbolMetadata"), text("VersionMetadata")}},
	contextSwitch: cpuEvent("cswitch", 2),
}

// WriteNames writes the trace of what the samples need: the process, the mappings that they are
// in and the functions that they hit, and the times in which threads had no processor.
func (t *Trace) WriteNames(dst io.Writer) error {
	w := t.writer(dst, t.period())
	var ids [len(systemEvents)]uint32
	for i, m := range systemEvents {
		var err error
		if ids[i], err = w.DefineMetadata(m); err != nil {
			return err
		}
	}
	process, err := w.AddThread(&codec.Thread{ProcessID: uint64(t.rec.PID), HasProcessID: true})
	if err != nil {
		return err
	}
	start := t.rec.Start
	if t.opt.Clock != nil {
		start = max(start, t.opt.Clock.SyncTicks)
	}
	var list []namesEvent
	add := func(time uint64, kind int, payload []byte) {
		list = append(list, namesEvent{time: max(time, start), metadata: ids[kind], thread: process, payload: payload})
	}
	add(0, existingProcess, (&clr.UniversalExistingProcessFields{NamespaceID: uint64(t.rec.PID), Name: t.rec.Name}).Append(nil, 0, 8))
	t.addNames(add)
	if err := t.addSwitches(w, &list, ids[contextSwitch], start); err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b namesEvent) int { return compare(a.time, b.time) })
	for i := range list {
		e := &list[i]
		rec := codec.Record{MetadataID: e.metadata, Timestamp: e.time, Thread: e.thread, CaptureThread: e.thread, Payload: e.payload, Labels: e.labels, Stack: e.stack}
		if err := w.Write(&rec); err != nil {
			return fmt.Errorf("perf: names: %w", err)
		}
	}
	return w.Close()
}

func (t *Trace) period() uint64 {
	if t.result.Samples == 0 {
		return uint64(time.Second) / DefaultRate
	}
	return t.result.CPU / uint64(t.result.Samples)
}

// addSwitches adds the times off a processor that began in the recording.
func (t *Trace) addSwitches(w *codec.Writer, list *[]namesEvent, metadata uint32, start uint64) error {
	rows := map[uint32]uint64{}
	preempted := []codec.Label{textLabel(clr.PreemptedLabel, "true")}
	for _, s := range t.switches {
		if s.from < start {
			continue
		}
		row, known := rows[s.tid]
		if !known {
			var err error
			if row, err = w.AddThread(t.rowOf(s.tid, t.thread(s.tid).name)); err != nil {
				return err
			}
			rows[s.tid] = row
		}
		e := namesEvent{time: s.from, metadata: metadata, thread: row, payload: (&clr.UniversalCPUFields{Value: s.to - s.from}).Append(nil, 0, 8)}
		e.stack = t.stacks[s.stack]
		switch {
		case s.preempted:
			e.labels = preempted
		case s.waker != 0:
			e.labels = []codec.Label{numberLabel(clr.WokenByLabel, uint64(s.waker)), numberLabel(clr.WokenAtLabel, s.woken)}
		}
		*list = append(*list, e)
		t.result.Switches++
	}
	return nil
}

// addNames adds the mappings and symbols of the addresses.
func (t *Trace) addNames(add func(time uint64, kind int, payload []byte)) {
	byMapping := map[*placed][]uint64{}
	for one := range t.used {
		byMapping[one.at] = append(byMapping[one.at], one.address)
	}
	var order []*placed
	for at := range byMapping {
		order = append(order, at)
	}
	slices.SortFunc(order, func(a, b *placed) int {
		switch {
		case a == nil || b == nil: // the kernel first
			return cmp.Compare(boolNumber(a != nil), boolNumber(b != nil))
		}
		return cmp.Or(compare(a.from, b.from), compare(a.Start, b.Start), compare(a.End, b.End))
	})
	files := elfFiles{open: t.rec.Open, known: map[string]*nativeFile{}}
	symbolID := uint64(0)
	for i, at := range order {
		addresses := byMapping[at]
		slices.Sort(addresses)
		mapping := clr.UniversalProcessMappingFields{ID: uint64(i + 1)}
		time := uint64(0)
		var find func(address uint64) (from, to uint64, name string, ok bool)
		switch {
		case at == nil:
			mapping.StartAddress, mapping.EndAddress, mapping.FileName = kernelStart, ^uint64(0), "vmlinux"
			find = t.kernelFunction
		default:
			time = at.from
			mapping.StartAddress, mapping.EndAddress, mapping.FileOffset, mapping.FileName = at.Start, at.End-1, at.Offset, at.Path
			file := files.of(&at.Mapping)
			if file != nil {
				mapping.MetadataID = uint64(i + 1)
				add(time, mappingMetadata, (&clr.UniversalProcessMappingMetadataFields{ID: mapping.MetadataID, SymbolMetadata: file.metadata}).Append(nil, 0, 8))
			}
			find = func(address uint64) (from, to uint64, name string, ok bool) {
				return file.function(&at.Mapping, address)
			}
		}
		payload := mapping.Append(nil, 0, 8)
		add(time, processMapping, payload[:len(payload)-4]) // without two empty texts that record-trace does not declare
		last := uint64(0)
		for _, address := range addresses {
			if last > 0 && address <= last {
				t.result.Named++
				continue
			}
			from, to, name, ok := find(address)
			if !ok {
				if at == nil || address&0xFFF != 0 { // not only the mapping of managed code
					t.result.Unnamed++
				}
				continue
			}
			t.result.Named++
			symbolID++
			last = to
			add(time, processSymbol, (&clr.UniversalProcessSymbolFields{ID: symbolID, MappingID: mapping.ID, StartAddress: from, EndAddress: to, Name: name}).Append(nil, 0, 8))
		}
	}
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

// kernelFunction returns the function of the kernel with an address: its first and its last
// address.
func (t *Trace) kernelFunction(address uint64) (from, to uint64, name string, ok bool) {
	s, end, ok := kernelSymbolAt(t.rec.Kernel, address)
	return s.Address, end, s.Name, ok
}

// nativeFile is the symbols of a file.
type nativeFile struct {
	metadata string       // for the event ProcessMappingMetadata
	code     *symbols.ELF // the file itself
	symbols  *symbols.ELF // the same, or its debug information
}

// elfFiles reads the files of mappings, each once.
type elfFiles struct {
	open  func(path string) (io.ReadCloser, error)
	known map[string]*nativeFile
}

// of returns the file of a mapping, nil if it cannot be read, is not ELF or has changed.
func (f *elfFiles) of(m *Mapping) *nativeFile {
	if !m.IsFile() && m.Path != vdso || f.open == nil {
		return nil
	}
	have, known := f.known[m.Path+m.BuildID]
	if !known {
		have = f.read(m)
		f.known[m.Path+m.BuildID] = have
	}
	return have
}

// vdso is the code of the kernel that every process has.
const vdso = "[vdso]"

func (f *elfFiles) read(m *Mapping) *nativeFile {
	code := f.elf(m.Path)
	if code == nil || m.BuildID != "" && code.BuildID != "" && code.BuildID != m.BuildID {
		return nil
	}
	file := &nativeFile{code: code, symbols: code}
	for _, path := range debugFiles(m.Path, code) {
		if file.symbols.Complete {
			break
		}
		if found := f.elf(path); found != nil && found.BuildID == code.BuildID && found.Complete {
			file.symbols = found
		}
	}
	address, offset := code.FirstCode()
	about, _ := json.Marshal(struct { // of strings: no error
		Type      string `json:"type"`
		DebugLink string `json:"debug_link"`
		BuildID   string `json:"build_id"`
		Address   string `json:"p_vaddr"`
		Offset    string `json:"p_offset"`
	}{"ELF", code.DebugLink, code.BuildID, fmt.Sprintf("%#x", address), fmt.Sprintf("%#x", offset)})
	file.metadata = string(about)
	return file
}

// debugFiles are the paths where the symbols of a file can be.
func debugFiles(file string, code *symbols.ELF) []string {
	if code.BuildID == "" {
		return nil
	}
	dir := path.Dir(file)
	var list []string
	if len(code.BuildID) > 2 {
		list = append(list, "/usr/lib/debug/.build-id/"+code.BuildID[:2]+"/"+code.BuildID[2:]+".debug")
	}
	if code.DebugLink != "" {
		list = append(list, path.Join(dir, code.DebugLink), path.Join(dir, ".debug", code.DebugLink), path.Join("/usr/lib/debug", dir, code.DebugLink))
	}
	return append(list, file+".dbg", file+".debug")
}

// largestELF bounds the files that are read.
const largestELF = 1 << 30

// elf reads an ELF file, nil if there is none.
func (f *elfFiles) elf(path string) *symbols.ELF {
	r, err := f.open(path)
	if err != nil {
		return nil
	}
	defer r.Close()
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil || string(magic[:]) != "\x7fELF" {
		return nil
	}
	rest, err := io.ReadAll(io.LimitReader(r, largestELF))
	if err != nil {
		return nil
	}
	file, err := symbols.ReadELF(append(magic[:], rest...))
	if err != nil {
		return nil
	}
	return file
}

// function returns the function of an address in a mapping: its first and its last address.
func (f *nativeFile) function(m *Mapping, address uint64) (from, to uint64, name string, ok bool) {
	if f == nil {
		return 0, 0, "", false
	}
	place, ok := f.code.AddressOf(address - m.Start + m.Offset)
	if !ok {
		return 0, 0, "", false
	}
	s, ok := f.symbols.Find(place)
	if !ok {
		return 0, 0, "", false
	}
	from = address - (place - s.Address)
	return from, from + s.Size - 1, s.Name, true
}
