package tracebeam_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	tracebeam "github.com/nettrace-go/nettrace/integrations/beam"
	"github.com/nettrace-go/nettrace/summary"
)

func ExampleSummarize() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "all.nts")

	p, s := beam.NewPipelineWithRoot()
	names := beam.Create(s, "../../corpora/net10-mix-gc.v4.nettrace.zst", "../../corpora/net10-http.v4.nettrace.zst")
	sums, _ := tracebeam.Summarize(s, names)
	beam.ParDo0(s, &keepFn{Name: out}, sums) // writes the file
	if _, err := prism.Execute(context.Background(), p); err != nil {
		fmt.Println(err)
		return
	}
	data, err := os.ReadFile(out)
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := summary.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all.Files, "files")
	// Output: 2 files
}
