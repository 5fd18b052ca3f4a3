// Package provider parses the selection of events for a session: providers in
// the syntax of dotnet-trace, keyword names of the runtime, profiles, event
// filters, and what configuration files say of all of these.
//
// A [Selection] has the user's options; [Selection.Resolve] returns the
// providers of a session.
//
//	s := provider.Selection{Profiles: []string{"gc-verbose"}}
//	r, err := s.Resolve()
//	session, err := client.StartSession(ctx, eventpipe.SessionConfig{Providers: r.Providers})
package provider
