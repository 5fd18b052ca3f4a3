package provider_test

import (
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// A profile, and a provider in the syntax of dotnet-trace.
func ExampleSelection_Resolve() {
	mine, err := provider.Parse("MyCompany-Orders:0x10:verbose")
	if err != nil {
		log.Fatal(err)
	}
	s := provider.Selection{Profiles: []string{"gc-verbose"}, Providers: []eventpipe.Provider{mine}}
	r, err := s.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	for i, p := range r.Providers {
		fmt.Printf("%s:0x%x:%d from %s\n", p.Name, p.Keywords, p.Level, r.Origins[i])
	}
	// Output:
	// MyCompany-Orders:0x10:5 from --providers
	// Microsoft-Windows-DotNETRuntime:0x8003:5 from --profile
}

// The session for names on .NET 10, and on every runtime.
func ExampleNames() {
	list := provider.Names()
	for _, cfg := range []eventpipe.SessionConfig{list[0], list[len(list)-1]} {
		p := cfg.Providers[0]
		fmt.Printf("%s:0x%x:%d filter %t, stacks %t\n", p.Name, p.Keywords, p.Level, p.Filter != nil, !cfg.NoStacks)
	}
	// Output:
	// Microsoft-Windows-DotNETRuntime:0x2000000018:5 filter true, stacks false
	// Microsoft-Windows-DotNETRuntime:0x2000000018:5 filter false, stacks true
}
