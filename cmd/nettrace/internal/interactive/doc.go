// Package interactive shows a page on the terminal that changes while keys are pressed and
// values arrive: lines that scroll below a head, a line with messages, and a help of the
// keys.
//
// A Page needs no terminal: Key changes it, and Lines returns its text. Run connects it to
// the terminal.
package interactive
