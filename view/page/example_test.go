package page_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/view/page"
)

// A report is one file, with the document in it.
func ExampleWriteReport() {
	var report bytes.Buffer
	if err := page.WriteReport(&report, []byte("document")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.HasPrefix(report.Bytes(), []byte("<!doctype html>")))
	// Output: true
}
