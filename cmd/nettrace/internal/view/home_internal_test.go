package view

import (
	"encoding/json"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/view/server"
)

// TestRecordings: the list has the recordings that pages began, also one that has ended, and
// its document stays.
func TestRecordings(t *testing.T) {
	t.Chdir(t.TempDir())
	running, _ := recorded()
	ended, _ := recorded()
	ended.state.Ended = errUnused.Error()
	open := &opening{done: make(chan struct{}), document: ended}
	close(open.done)
	h := &home{documents: map[string]*opening{"process-id:7": open}, recordings: []processRecording{
		{Name: "process-id:7", PID: 7, Title: "shop", of: ended}, {Name: "process-id:7#2", PID: 7, Title: "shop", of: running},
	}}
	data, err := h.Data(t.Context(), nil)
	expect.NoError(t, err)
	var list struct{ Recordings json.RawMessage }
	expect.NoError(t, json.Unmarshal(data, &list))
	expect.Equal(t, "recordings", string(list.Recordings),
		`[{"name":"process-id:7","pid":7,"title":"shop","ended":"no page has asked for it for 2 minutes"},{"name":"process-id:7#2","pid":7,"title":"shop"}]`)
	again, err := h.find(t.Context(), "process-id:7")
	expect.NoError(t, err)
	expect.Equal(t, "the document stays", again == server.Document(ended), true)
}
