package sessionfile_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe/sessionfile"
)

// The providers of a file.
func ExampleRead() {
	config, err := sessionfile.Read("session.toml", strings.NewReader(`
		buffersize = 64
		[[providers]]
		name = "Microsoft-Windows-DotNETRuntime"
		keywords = "0x8000"
		deny = [80]
	`))
	if err != nil {
		log.Fatal(err)
	}
	list, err := config.Selected()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.BufferSize, "MB")
	fmt.Println(list[0].Name, list[0].Keywords, list[0].Level, *list[0].Filter)
	// Output:
	// 64 MB
	// Microsoft-Windows-DotNETRuntime 32768 4 {[80] true}
}
