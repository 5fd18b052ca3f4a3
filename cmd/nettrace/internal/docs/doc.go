// Package docs has tests that execute the examples of the documentation, and compare its
// Go code with the examples of packages.
//
// An example is a fenced block "console" of a Markdown file. A line that begins with
// "$ " is a command; a command whose line ends with a backslash continues on the next
// line. The other lines are its output, standard error included. A line "..." is for
// any number of lines, and "..." within a line for any text. A command fails the test
// unless its exit code is 0; "; echo $?" shows another exit code. All commands of a
// file run in one empty folder with links to corpora and docs, in order. They are executed
// with the tag check only: other tests of the package do not link the program.
//
// A block "console nocheck REASON" is not executed. "go test -tags check -update"
// rewrites the output of the commands that print something else.
package docs
