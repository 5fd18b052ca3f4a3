package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// CreateTemporary creates a file in a folder, which gets its name when it is complete, with the
// permissions of the new file, which those of os.CreateTemp are not. It is removed when the
// program is interrupted before Settle.
func CreateTemporary(folder string, mode fs.FileMode, interrupts *run.Interrupts) (*os.File, error) {
	const attempts = 1000
	for i := 0; ; i++ {
		name := filepath.Join(folder, fmt.Sprintf(".nettrace-%d-%d.tmp", os.Getpid(), i))
		var f *os.File
		err := interrupts.Create(name, func() (err error) {
			f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
			return err
		})
		if !errors.Is(err, fs.ErrExist) || i == attempts {
			return f, err
		}
	}
}
