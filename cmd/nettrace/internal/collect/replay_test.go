//go:build unix

package collect_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestReplay plays the streams of recorded conversations of dotnet-trace and the other tools to
// collect, by a runtime of the same release: each stream is recorded byte by byte, and the file is
// as clean as the stream. A stream without an end mark is reported.
func TestReplay(t *testing.T) {
	folder := filepath.Join(shared.Dir(t), "replay", "conversations")
	files, err := filepath.Glob(filepath.Join(folder, "*.conv.ndjson.zst"))
	expect.NoError(t, err)
	expect.AtLeast(t, "conversations", len(files), 60)
	streams := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".conv.ndjson.zst")
		release, _ := strconv.Atoi(strings.SplitN(name[strings.LastIndexByte(name, '-')+1:], ".", 2)[0])
		for _, stream := range recordedStreams(t, name) {
			streams++
			trace, want := eventpipetest.Trace{Data: stream}, exit.Done
			if stream[len(stream)-1] != 1 { // the process was killed
				trace, want = eventpipetest.Trace{Data: append(stream, 0), TruncateAfter: len(stream)}, exit.Broken
			}
			r := eventpipetest.Start(t, eventpipetest.Config{Release: release, Trace: trace})
			path := filepath.Join(t.TempDir(), "r.nettrace")
			got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "--raw", "--duration", "50ms", "-o", path)
			if got.Code != want {
				t.Errorf("%s: exit code %d, want %d: %s", name, got.Code, want, got.Stderr)
			}
			written, err := os.ReadFile(path)
			expect.NoError(t, err)
			if want == exit.Done && !bytes.Equal(written, stream) {
				t.Errorf("%s: %d bytes were written, want the %d of the stream", name, len(written), len(stream))
			}
		}
	}
	expect.AtLeast(t, "streams", streams, 60)
}

// recordedStreams returns what the sessions of a conversation streamed.
func recordedStreams(t *testing.T, name string) (list [][]byte) {
	lines := shared.File(t, "replay/conversations/"+name+".conv.ndjson.zst")
	var data []byte
	answers := map[int][]byte{} // by connection
	sessions := map[int]bool{}  // connections that began with CollectTracing
	for line := range bytes.Lines(lines) {
		var e struct {
			Bin      string
			Conn     int
			Dir, Hex string
			Off, Len int
			Case     json.RawMessage
		}
		expect.NoError(t, json.Unmarshal(line, &e))
		if e.Bin != "" {
			data = shared.File(t, "replay/conversations/"+e.Bin+".zst")
		}
		chunk, err := hex.DecodeString(e.Hex)
		expect.NoError(t, err)
		if e.Len > 0 {
			chunk = data[e.Off : e.Off+e.Len]
		}
		switch {
		case e.Dir == "c2r" && len(chunk) > 17 && chunk[16] == 2 && chunk[17] >= 2:
			sessions[e.Conn] = true
		case e.Dir == "r2c":
			answers[e.Conn] = append(answers[e.Conn], chunk...)
		}
	}
	for conn := range sessions {
		const answer = 28
		at := bytes.Index(answers[conn], []byte("DOTNET_IPC_V1")) // an advertise message may come before
		if all := answers[conn]; at >= 0 && len(all) > at+answer && all[at+17] == 0 {
			list = append(list, all[at+answer:])
		}
	}
	return list
}
