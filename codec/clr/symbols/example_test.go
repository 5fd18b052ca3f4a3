package symbols_test

import (
	"compress/gzip"
	"fmt"
	"log"
	"os"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// The stack of the first sample of a trace. Names are looked up after the
// complete trace is read.
func Example() {
	file, err := os.Open("../../testdata/azmcp-net10-startup.v4.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	data, err := gzip.NewReader(file)
	if err != nil {
		log.Fatal(err)
	}
	t := symbols.NewTable(symbols.Options{})
	var process, ticks uint64
	var stack []uint64
	for e, err := range codec.NewReader(data, codec.Options{}).Events() {
		if err != nil {
			log.Fatal(err)
		}
		t.Add(e)
		if len(e.Stack()) == 0 || stack != nil {
			continue
		}
		process, ticks = symbols.Process(e), e.Timestamp
		stack = append(stack, e.Stack()...) // the event is good until the next one
		for _, address := range stack {
			t.AddWanted(process, address)
		}
	}
	for _, address := range stack {
		f := t.Lookup(symbols.Query{Process: process, Address: address, Ticks: ticks})
		fmt.Printf("%s\n  %s, by %v\n", f.Name(), f.RawName(), f.Evidence)
	}
	// Output:
	// System.Collections.Generic.Dictionary<__Canon, __Canon>..ctor(int)
	//   System.Private.CoreLib!System.Collections.Generic.Dictionary`2[System.__Canon,System.__Canon]..ctor(int32), by unload
	// System.AppContext.Setup(char**, char**, int)
	//   System.Private.CoreLib!System.AppContext.Setup(wchar**,wchar**,int32), by unload
}
