// Hello prints its user and whether it can use the files of the image.
package main

import (
	"crypto/x509"
	"fmt"
	"os"
)

func main() {
	certificates, file := "found", "written"
	if _, err := x509.SystemCertPool(); err != nil {
		certificates = err.Error()
	}
	if text, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt"); err != nil || len(text) == 0 {
		certificates = fmt.Sprint("missing: ", err)
	}
	if err := os.WriteFile("/tmp/file", nil, 0o600); err != nil {
		file = err.Error()
	}
	fmt.Printf("user %d, group %d, certificates %s, file %s\n", os.Getuid(), os.Getgid(), certificates, file)
}
