package viewers

import (
	"strings"
	"testing"
)

const (
	speedscopeHead  = `{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"x","name":"n","activeProfileIndex":0,"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[{"type":"evented","name":"t","unit":"nanoseconds","startValue":5,"endValue":9,"events":[`
	speedscopeTail  = `]}]}`
	chromiumProcess = `{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"t"}},`
)

// TestSpeedscope accepts nested profiles and refuses others.
func TestSpeedscope(t *testing.T) {
	for events, fault := range map[string]string{
		`{"type":"O","frame":0,"at":5},{"type":"O","frame":1,"at":5},{"type":"C","frame":1,"at":9},{"type":"C","frame":0,"at":9}`: "",
		``: "",
		`{"type":"O","frame":0,"at":5},{"type":"O","frame":1,"at":5},{"type":"C","frame":0,"at":9}`: "closes frame 0",
		`{"type":"O","frame":0,"at":5}`:                                "left open",
		`{"type":"C","frame":0,"at":5}`:                                "closes frame 0",
		`{"type":"O","frame":2,"at":5}`:                                "frame 2 of 2",
		`{"type":"O","frame":0,"at":5.5}`:                              "invalid syntax",
		`{"type":"O","frame":0,"at":6},{"type":"C","frame":0,"at":5}`:  "after 6",
		`{"type":"O","frame":0,"at":6},{"type":"C","frame":0,"at":10}`: "the end is 9",
	} {
		t.Run(events, func(t *testing.T) {
			_, err := ParseSpeedscope([]byte(speedscopeHead + events + speedscopeTail))
			expect(t, events, err, strings.ReplaceAll(fault, "left open", "frames are open"))
		})
	}
}

// TestChromium accepts matching events and refuses others.
func TestChromium(t *testing.T) {
	for events, fault := range map[string]string{
		chromiumProcess + `{"ph":"B","name":"a","pid":1,"tid":2,"ts":1.5},{"ph":"E","pid":1,"tid":2,"ts":2}`:          "",
		`{"ph":"i","name":"a","s":"t","pid":1,"tid":2,"ts":1}`:                                                        "",
		`{"ph":"b","name":"a","cat":"c","id":"1","pid":1,"tid":2,"ts":1}`:                                             "left open",
		`{"ph":"e","name":"a","cat":"c","id":"1","pid":1,"tid":2,"ts":1}`:                                             "none of category",
		`{"ph":"B","name":"a","pid":1,"tid":2,"ts":1.5},{"ph":"E","pid":1,"tid":2,"ts":2}`:                            "has no name",
		chromiumProcess + `{"ph":"B","name":"a","pid":1,"tid":2,"ts":1.5},{"ph":"E","pid":1,"tid":2,"ts":1}`:          "after 1.5",
		chromiumProcess + `{"ph":"B","name":"a","pid":1,"tid":2,"ts":1},{"ph":"E","name":"b","pid":1,"tid":2,"ts":1}`: `end of "b"`,
		chromiumProcess + `{"ph":"B","name":"a","pid":1,"tid":2,"ts":1}`:                                              "left open",
		`{"ph":"i","name":"a","pid":1,"tid":2,"ts":1}`:                                                                "scope",
		`{"ph":"B","name":"a","tid":2,"ts":1}`:                                                                        "without process",
		`{"ph":"X","name":"a","pid":1,"tid":2,"ts":1}`:                                                                "phase",
	} {
		t.Run(events, func(t *testing.T) {
			_, err := ParseChromium([]byte(`{"displayTimeUnit":"ms","otherData":{},"traceEvents":[` + events + `]}`))
			expect(t, events, err, fault)
		})
	}
}

// TestFolded accepts lines that add up and refuses others.
func TestFolded(t *testing.T) {
	_, sum, err := ParseFolded("a;b c 3\na 4\n")
	if sum != 7 || err != nil {
		t.Errorf("sum %d, error %v", sum, err)
	}
	for text, fault := range map[string]string{
		"a;b 3": "line", "a;b\n": "line", "a; 3\n": "empty", ";a 3\n": "empty", "a 0\n": "positive", "a 1\na 1\n": "twice",
	} {
		t.Run(text, func(t *testing.T) {
			_, _, err := ParseFolded(text)
			expect(t, text, err, fault)
		})
	}
}

func expect(t *testing.T, input string, err error, fault string) {
	t.Helper()
	if (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
		t.Errorf("%s: error %v, want %q", input, err, fault)
	}
}
