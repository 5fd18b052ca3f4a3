package exit_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNamed checks that a message names the subject of an error, and not the package that
// returned the error.
func TestNamed(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no package":           {fs.ErrNotExist, "a.nettrace: file does not exist"},
		"codec":                {errors.New("codec: bad block"), "a.nettrace: bad block"},
		"edit":                 {errors.New("edit: no event is selected"), "a.nettrace: no event is selected"},
		"eventpipe":            {errors.New("eventpipe: process 7: no such process"), "a.nettrace: process 7: no such process"},
		"a name in the middle": {fmt.Errorf("the edit: x"), "a.nettrace: the edit: x"},
		"named twice":          {exit.Named("b", errors.New("edit: x")), "a.nettrace: b: x"},
	} {
		t.Run(name, func(t *testing.T) {
			got := exit.Named("a.nettrace", c.err)
			expect.Equal(t, "message", got.Error(), c.want)
			expect.ErrorIs(t, got, c.err)
		})
	}
}
