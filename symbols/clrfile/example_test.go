package clrfile_test

import (
	"fmt"
	"log"
	"os"

	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// The first sequence points of a method, by the PDB.
func Example() {
	data, err := os.ReadFile("testdata/lines.pdb")
	if err != nil {
		log.Fatal(err)
	}
	pdb, err := clrfile.ReadPDB(data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pdb.GUID)
	for _, p := range pdb.Points(0x06000016)[:3] {
		fmt.Printf("IL %d: %s:%d\n", p.IL, pdb.Document(p.Document), p.Line)
	}
	// Output:
	// c78e5edf-c794-4fcb-83bd-ef88d683755c
	// IL 0: /_/src/lines.cs:127
	// IL 3: /_/src/lines.cs:127
	// IL 30: /_/src/lines.cs:127
}

// The methods of an assembly that were compiled ahead of time.
func ExampleImage_ReadyToRun() {
	data, err := os.ReadFile("testdata/lines-r2r.dll")
	if err != nil {
		log.Fatal(err)
	}
	image, err := clrfile.ReadImage(data)
	if err != nil {
		log.Fatal(err)
	}
	code, err := image.ReadyToRun()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(code.Format, code.Methods() > 100)
	m, _ := code.FindToken(0x06000016)
	typ, name, _ := code.Name(m)
	fmt.Println(typ, name, m.Size, code.Map(m)[:3])
	// Output:
	// 16 true
	// Lines Calls 151 [{0 4294967294} {11 0} {17 3}]
}
