package libfuzzer

// The code that go-118-fuzz-build writes imports this package.
import _ "github.com/AdamKorcz/go-118-fuzz-build/testing"
