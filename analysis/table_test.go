package analysis_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
)

// TestAddedField: a field that is added to a declaration is a column of the page.
func TestAddedField(t *testing.T) {
	copied := gc.Table
	added := analysis.ListingColumn{Key: "addedBy", Doc: "added", Method: true}
	copied.Fields = append(slices.Clone(copied.Fields), analysis.Field[gc.Row]{Key: added.Key, Doc: added.Doc, Form: analysis.Method})
	copied.Page += " addedBy"
	if list := copied.Listing().Columns; list[len(list)-1] != added {
		t.Errorf("the last of the columns %v is not %v", list, added)
	}
}
