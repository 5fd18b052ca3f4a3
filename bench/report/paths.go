package main

import (
	"os"
	"path/filepath"
	"strings"
)

// withoutPaths returns text with the folders of this machine replaced by the
// names that a reader of the report can set: the shared material, the repository
// and the folder for temporary files.
func withoutPaths(text, repository, shared, temporary string) string {
	beside := repository + string(filepath.Separator) + filepath.Join("..", "shared")
	return strings.NewReplacer(
		beside, "$NETTRACE_SHARED", shared, "$NETTRACE_SHARED", repository, ".", temporary, "$TMPDIR",
	).Replace(text)
}

// sharedFolder returns the absolute path of the shared material.
func sharedFolder() (string, error) {
	if dir := os.Getenv("NETTRACE_SHARED"); dir != "" {
		return filepath.Abs(dir)
	}
	return filepath.Abs(filepath.Join("..", "shared"))
}
