// Package partfile writes files that appear when they are complete.
package partfile

import (
	"io/fs"
	"os"
)

// Write writes a file under the name part, in the folder of path, and gives it the name path. After an error there
// is neither, unless path was there before.
func Write(path, part string, data []byte, mode fs.FileMode) error {
	err := os.WriteFile(part, data, mode)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part)
	}
	return err
}
