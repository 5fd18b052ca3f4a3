package provider_test

import (
	"fmt"
	"log"
	"strings"

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

func ExampleReadConfig() {
	config, err := provider.ReadConfig("session.toml", strings.NewReader(`
		buffersize = 64
		[[providers]]
		name = "Microsoft-Windows-DotNETRuntime"
		keywords = "0x8000"
		deny = [80]
	`))
	if err != nil {
		log.Fatal(err)
	}
	list, err := config.Selected()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.BufferSize, "MB")
	fmt.Println(list[0].Name, list[0].Keywords, list[0].Level, *list[0].Filter)
	// Output:
	// 64 MB
	// Microsoft-Windows-DotNETRuntime 32768 4 {[80] true}
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
