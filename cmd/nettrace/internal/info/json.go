package info

import (
	"errors"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// json returns the summary as one object on one line. Keys from the Trace block
// are left out when it could not be read. The key "error" is the reason why the
// exit code is not 0: the error that ended the reading, or that of the first
// block that was skipped.
func (s *summary) json(in *input.File) []byte {
	var j jsontext.Builder
	j.Open('{')
	j.Key("file").Text(in.Name)
	s.jsonTrace(&j, in)
	s.jsonCounts(&j)
	s.jsonProviders(&j)
	switch {
	case s.err != nil:
		jsonError(j.Key("error"), s.err)
	case s.bad > 0:
		jsonError(j.Key("error"), s.firstBad)
	}
	j.Close('}')
	return append(j.Bytes, '\n')
}

// jsonTrace adds the values of the Trace block.
func (s *summary) jsonTrace(j *jsontext.Builder, in *input.File) {
	t := s.trace
	if t != nil {
		j.Key("format").Text(t.Format.String())
	}
	if size, ok := in.Size(); ok {
		j.Key("bytes").Number(size)
	}
	if t == nil {
		return
	}
	j.Key("pointerSize").Number(int64(t.PointerSize))
	if !t.SyncTime.IsZero() {
		j.Key("syncTime").Text(t.SyncTime.Format(ndjson.SyncTimeLayout))
	}
	j.Key("syncTicks").Decimal(t.SyncTicks)
	j.Key("tickFrequency").Decimal(t.TickFrequency)
	if s.slice.Bounded() {
		s.jsonSlice(j)
	}
	if ns, ok := s.duration(); ok {
		j.Key("durationNs").Decimal(ns)
	}
	j.Key("properties")
	j.Bytes = ndjson.AppendProperties(j.Bytes, t.Properties)
}

// jsonSlice adds the bounds of a slice, in ticks.
func (s *summary) jsonSlice(j *jsontext.Builder) {
	j.Key("slice").Open('{')
	if s.slice.HasFrom {
		j.Key("from").Decimal(s.slice.From)
	}
	if s.slice.HasTo {
		j.Key("to").Decimal(s.slice.To)
	}
	j.Close('}')
}

// jsonCounts adds the counts.
func (s *summary) jsonCounts(j *jsontext.Builder) {
	j.Key("blocks").Open('{')
	for _, kind := range kindOrder {
		if n := s.blocks[kind]; n > 0 {
			j.Key(kind.String()).Number(n)
		}
	}
	j.Close('}')
	j.Key("unknownBlocks").Number(s.unknown)
	j.Key("trailingBytes").Number(s.trailing)
	j.Key("events").Number(s.events)
	j.Key("lost").Decimal(s.lost)
	j.Key("lostByThread").Open('{')
	for _, thread := range s.lostOrder {
		j.Key(thread).Decimal(s.lostBy[thread])
	}
	j.Close('}')
	j.Key("threads").Number(int64(len(s.threads)))
	j.Key("processes").Number(int64(len(s.processes)))
	j.Key("stacks").Number(s.stacks)
	j.Key("cutStacks").Number(s.cut)
	j.Key("metadata").Number(s.metadata)
	s.jsonFeatures(j)
	j.Key("truncated").Bool(errors.Is(s.err, codec.ErrTruncated))
}

func (s *summary) jsonFeatures(j *jsontext.Builder) {
	j.Key("features").Open('[')
	for _, name := range s.features.names() {
		j.Text(name)
	}
	j.Close(']')
	j.Key("defects").Open('{')
	for _, d := range s.defects {
		j.Key(d.Rule.String()).Number(d.Count)
	}
	j.Close('}')
}

// jsonProviders adds the providers and their event types, busiest first. Events
// whose metadata is unknown count for a provider without a name.
func (s *summary) jsonProviders(j *jsontext.Builder) {
	j.Key("providers").Open('[')
	for _, p := range s.sortedProviders() {
		j.Open('{')
		j.Key("name").Text(p.name)
		j.Key("events").Number(p.events)
		j.Key("payloadBytes").Number(p.payloadBytes)
		j.Key("types").Open('[')
		for _, t := range p.sortedTypes() {
			j.Open('{')
			j.Key("id").Number(int64(t.id))
			j.Key("version").Number(int64(t.version))
			j.Key("name").Text(t.name)
			j.Key("events").Number(t.events)
			j.Close('}')
		}
		j.Close(']')
		j.Close('}')
	}
	j.Close(']')
}

// jsonError adds an error. An error in the stream's header is in no block; an
// error of the source, such as one of the disk, has a message only.
func jsonError(j *jsontext.Builder, err error) {
	j.Open('{')
	var e *codec.Error
	if errors.As(err, &e) {
		j.Key("offset").Number(e.Offset)
		if e.InBlock() {
			j.Key("block").Text(e.Block.String())
			j.Key("blockOffset").Number(e.BlockOffset)
		}
		if e.InRow() {
			j.Key("row").Number(int64(e.Row))
		}
		j.Key("rule").Text(e.Rule.String())
	}
	j.Key("message").Text(input.ErrorText(err))
	j.Close('}')
}
