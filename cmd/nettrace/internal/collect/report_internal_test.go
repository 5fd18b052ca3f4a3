package collect

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLossReason: a buffer that was not full is not the reason.
func TestLossReason(t *testing.T) {
	expect.Contains(t, "reason", lossReason(3<<20, 256), "larger than 64 kB")
	expect.Contains(t, "reason", lossReason(200<<20, 256), "--buffersize")
	expect.Contains(t, "reason with a small buffer", lossReason(3<<20, 1), "--buffersize")
}
