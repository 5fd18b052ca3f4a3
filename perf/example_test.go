package perf_test

import (
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/perf"
)

// The mappings with code of a process.
func ExampleReadMaps() {
	const maps = `55d0c1000000-55d0c1001000 r--p 00000000 08:01 11 /usr/bin/app
55d0c1001000-55d0c1005000 r-xp 00001000 08:01 11 /usr/bin/app
7ffd5a3fe000-7ffd5a400000 r-xp 00000000 00:00 0 [vdso]
`
	list, err := perf.ReadMaps(strings.NewReader(maps))
	if err != nil {
		fmt.Println(err)
	}
	for _, m := range list {
		fmt.Printf("%#x to %#x: offset %#x of %s, a file: %v\n", m.Start, m.End, m.Offset, m.Path, m.IsFile())
	}
	// Output:
	// 0x55d0c1001000 to 0x55d0c1005000: offset 0x1000 of /usr/bin/app, a file: true
	// 0x7ffd5a3fe000 to 0x7ffd5a400000: offset 0x0 of [vdso], a file: false
}
