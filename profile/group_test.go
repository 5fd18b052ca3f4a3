package profile

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNamespaceOf reads names of types as the runtime writes them.
func TestNamespaceOf(t *testing.T) {
	for _, c := range []struct{ class, want string }{
		{"System.Text.Rune", "System.Text"},
		{"System.Collections.Generic.List`1[System.Int32]", "System.Collections.Generic"},
		{"System.Threading.PortableThreadPool+WorkerThread", "System.Threading"},
		{"Program+<>c", noNamespace},
		{"<PrivateImplementationDetails>", noNamespace},
		{"Program", noNamespace},
		{"", noNamespace},
	} {
		t.Run(c.class, func(t *testing.T) { expect.Equal(t, "namespace", namespaceOf(c.class), c.want) })
	}
}
