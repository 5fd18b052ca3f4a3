package sessionfile_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/sessionfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRead: the two formats mean the same, and what is malformed is an error with the name of the file.
func TestRead(t *testing.T) {
	const asTOML = `
profiles = ["gc-verbose"]
buffersize = 64
rundown = "0x10"
stacks = false

[[providers]]
name = "A"
keywords = 0x3
level = "verbose"
arguments = { Spec = "a=b;c,d", "x" = 1 }
deny = [80, 81]

[[providers]]
name = "B"
keywords = "0xF000000000000000"
level = 2
arguments = "k=v"
`
	const asJSON = `{"profiles":["gc-verbose"],"buffersize":64,"rundown":"0x10","stacks":false,"providers":[
		{"name":"A","keywords":3,"level":"verbose","arguments":{"Spec":"a=b;c,d","x":1},"deny":[80,81]},
		{"name":"B","keywords":"F000000000000000","level":2,"arguments":"k=v"}]}`
	want := []eventpipe.Provider{
		{Name: "A", Keywords: 3, Level: 5, Arguments: `Spec="a=b;c,d";x=1`, Filter: &eventpipe.EventFilter{IDs: []uint32{80, 81}, Deny: true}},
		{Name: "B", Keywords: 0xF000000000000000, Level: 2, Arguments: "k=v"},
	}
	for name, text := range map[string]string{"c.toml": asTOML, "c.json": asJSON} {
		t.Run(name, func(t *testing.T) {
			c, err := sessionfile.Read(name, strings.NewReader(text))
			if err != nil {
				t.Error(err)
				return
			}
			got, err := c.Selected()
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, %v", got, err)
			}
			keyword, off, err := provider.RundownKeyword(c.Rundown)
			expect.Equal(t, "c.BufferSize", c.BufferSize, 64)
			expect.NotZero(t, "c.Stacks", c.Stacks)
			expect.Stop(t)
			expect.Equal(t, "*c.Stacks", *c.Stacks, false)
			expect.Equal(t, "keyword", keyword, 0x10)
			expect.Equal(t, "off", off, false)
			expect.NoError(t, err)
		})
	}
	for name, text := range map[string]string{
		"a.toml": "buffer = 1", "b.toml": "[[providers]]\nnme = 'A'", "c.json": `{"buffer":1}`, "d.toml": "x",
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := sessionfile.Read(name, strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), name) {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
	for _, text := range []string{
		"[[providers]]\nkeywords = 1", "[[providers]]\nname='A'\nlevel='loud'", "[[providers]]\nname='A'\nkeywords='x'",
		"[[providers]]\nname='A'\nallow=[1]\ndeny=[2]", "[[providers]]\nname='A'\narguments=[1]",
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			c, err := sessionfile.Read("c.toml", strings.NewReader(text))
			if err != nil {
				t.Error(err)
			} else if got, err := c.Selected(); err == nil {
				t.Errorf("%+v, no error", got)
			}
		})
	}
}
