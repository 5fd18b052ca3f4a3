package waits_test

import (
	"os"
	"testing"

	"github.com/nettrace-go/nettrace/internal/ruletest"
)

// rules remembers the findings of all tests: each rule needs a trace that fires it, and a
// healthy one.
var rules ruletest.Rules

func TestMain(m *testing.M) { os.Exit(rules.Main(m)) }
