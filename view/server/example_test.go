package server_test

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/nettrace-go/nettrace/view/server"
)

// The address with the token is for the user's browser.
func ExampleNew() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	s, err := server.New(listener.Addr().String(), server.Single(server.Fixed("document")))
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(listener, s) // until the listener is closed
	fmt.Println(strings.Contains(s.Address("summary", ""), "/#/summary?token="))
	// Output: true
}
