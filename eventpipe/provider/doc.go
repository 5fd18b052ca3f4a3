// Package provider says what a session is to record in the words that people
// use: providers as dotnet-trace writes them, names of the runtime's keywords,
// profiles, event filters, and files that hold all of these.
//
// A [Selection] is what was asked for; [Selection.Resolve] makes the providers
// of a session of it.
//
//	s := provider.Selection{Profiles: []string{"gc-verbose"}}
//	r, err := s.Resolve()
//	session, err := client.StartSession(ctx, eventpipe.SessionConfig{Providers: r.Providers})
package provider
