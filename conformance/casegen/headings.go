package main

import (
	"github.com/nettrace-go/nettrace/codec/rule"
)

// olderHeadings are the headings of the description of v4 and v5, by those of v6.
var olderHeadings = map[string]string{
	"File format overview": "Remaining Stream objects", "Primitives and endianness": "Assumptions of the Format",
	"Blocks": "Objects", "TraceBlock": "The First Object: The Trace Object", "EventBlock": "The EventBlock Object",
	"Event rows": "Event blobs", "MetadataBlock": "Metadata event encoding", "SequencePointBlock": "SequencePointBlock Object",
	"EndOfStreamBlock": "Ending the stream: The NullReference Tag",
}

// blockHeadings are the headings of v6 of cases without a fault, by their blocks.
var blockHeadings = map[string]string{
	"trace": "TraceBlock", "header": "First Bytes: NetTrace Magic", "framing": "Blocks", "metadata": "MetadataBlock",
	"type": "MetadataBlock", "payload": "MetadataBlock", "event": "Event rows", "sequence": "Event Sequence Numbers",
	"stack": "StackBlock Object", "thread": "ThreadBlock", "removethread": "RemoveThreadBlock", "labellist": "LabelListBlock",
	"sequencepoint": "SequencePointBlock", "order": "Event TimeStamp sorting",
}

// heading returns the heading of the specification that covers a case.
func (m *made) heading(e *expectation) string {
	text := e.heading
	if r := m.rule.Rule(); text == "" && m.rule != rule.None {
		text = r.Heading
	}
	if text == "" {
		text = blockHeadings[m.block]
	}
	older, differs := olderHeadings[text]
	switch {
	case !m.version.HasSequenceNumbers():
		return "Changes relative to older file format versions"
	case m.version.HasObjects() && differs:
		return older
	}
	return text
}
