package main

import (
	"errors"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// json is the summary as one object on one line. Keys that come of the Trace
// block are left out when it could not be read; "error" is there when reading
// ended early, be it in one block that was passed over: why the exit code is not
// 0.
func (s *summary) json(in *input) []byte {
	var j jsonText
	j.open('{')
	j.key("file").text(in.name)
	s.jsonTrace(&j, in)
	s.jsonCounts(&j)
	s.jsonProviders(&j)
	switch {
	case s.err != nil:
		jsonError(j.key("error"), s.err)
	case s.bad > 0:
		jsonError(j.key("error"), s.firstBad)
	}
	j.close('}')
	return append(j.b, '\n')
}

// jsonTrace adds what the Trace block says.
func (s *summary) jsonTrace(j *jsonText, in *input) {
	t := s.trace
	if t != nil {
		j.key("format").text(t.Format.String())
	}
	if size, ok := in.size(); ok {
		j.key("bytes").number(size)
	}
	if t == nil {
		return
	}
	j.key("pointerSize").number(int64(t.PointerSize))
	if !t.SyncTime.IsZero() {
		j.key("syncTime").text(t.SyncTime.Format(ndjson.SyncTimeLayout))
	}
	j.key("tickFrequency").decimal(t.TickFrequency)
	if s.slice.Bounded() {
		s.jsonSlice(j)
	}
	if ns, ok := s.duration(); ok {
		j.key("durationNs").decimal(ns)
	}
	j.key("properties")
	j.b = ndjson.AppendProperties(j.b, t.Properties)
}

// jsonSlice adds the bounds of a slice, in ticks.
func (s *summary) jsonSlice(j *jsonText) {
	j.key("slice").open('{')
	if s.slice.HasFrom {
		j.key("from").decimal(s.slice.From)
	}
	if s.slice.HasTo {
		j.key("to").decimal(s.slice.To)
	}
	j.close('}')
}

// jsonCounts adds what was counted.
func (s *summary) jsonCounts(j *jsonText) {
	j.key("blocks").open('{')
	for _, kind := range kindOrder {
		if n := s.blocks[kind]; n > 0 {
			j.key(kind.String()).number(n)
		}
	}
	j.close('}')
	j.key("unknownBlocks").number(s.unknown)
	j.key("trailingBytes").number(s.trailing)
	j.key("events").number(s.events)
	j.key("lost").decimal(s.lost)
	j.key("lostByThread").open('{')
	for _, thread := range s.lostOrder {
		j.key(thread).decimal(s.lostBy[thread])
	}
	j.close('}')
	j.key("threads").number(int64(len(s.threads)))
	j.key("processes").number(int64(len(s.processes)))
	j.key("stacks").number(s.stacks)
	j.key("cutStacks").number(s.cut)
	j.key("metadata").number(s.metadata)
	s.jsonFeatures(j)
	j.key("truncated").bool(errors.Is(s.err, codec.ErrTruncated))
}

func (s *summary) jsonFeatures(j *jsonText) {
	j.key("features").open('[')
	for _, name := range s.features.names() {
		j.text(name)
	}
	j.close(']')
	j.key("defects").open('{')
	for _, d := range s.defects {
		j.key(d.Rule.String()).number(d.Count)
	}
	j.close('}')
}

// jsonProviders adds the providers and their event types, busiest first. Events
// whose metadata is unknown count for a provider without a name.
func (s *summary) jsonProviders(j *jsonText) {
	j.key("providers").open('[')
	for _, p := range s.sortedProviders() {
		j.open('{')
		j.key("name").text(p.name)
		j.key("events").number(p.events)
		j.key("payloadBytes").number(p.payloadBytes)
		j.key("types").open('[')
		for _, t := range p.sortedTypes() {
			j.open('{')
			j.key("id").number(int64(t.id))
			j.key("version").number(int64(t.version))
			j.key("name").text(t.name)
			j.key("events").number(t.events)
			j.close('}')
		}
		j.close(']')
		j.close('}')
	}
	j.close(']')
}

// jsonError adds an error. One in the stream's header is in no block; one that
// is not of the stream itself, such as one of the disk, has a message only.
func jsonError(j *jsonText, err error) {
	j.open('{')
	var e *codec.Error
	if errors.As(err, &e) {
		j.key("offset").number(e.Offset)
		if e.InBlock() {
			j.key("block").text(e.Block.String())
			j.key("blockOffset").number(e.BlockOffset)
		}
		if e.InRow() {
			j.key("row").number(int64(e.Row))
		}
		j.key("rule").text(e.Rule.String())
	}
	j.key("message").text(errorText(err))
	j.close('}')
}
