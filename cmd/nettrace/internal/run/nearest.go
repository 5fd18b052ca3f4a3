package run

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name that a mistyped text most resembles without letter case, "" if it
// resembles none: if more than a third of its letters differ.
func Nearest(text string, names []string) string {
	nearest, least := "", len(text)/3+1
	for _, name := range names {
		if d := Distance(text, name); d < least {
			nearest, least = name, d
		}
	}
	return nearest
}

// Distance returns the number of letters that must be replaced, added or left out to make
// one name of the other, without letter case; 1 if two letters next to each other changed
// places.
func Distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	distance := levenshtein.ComputeDistance(a, b)
	if distance != 2 || len(a) != len(b) {
		return distance
	}
	i := 0
	for a[i] == b[i] {
		i++
	}
	if i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] {
		return 1
	}
	return distance
}
