package samples

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/profile"
)

// FrameFlags holds the values of the flags that choose samples by their frames,
// and that change the frames.
type FrameFlags struct {
	focus, ignore, hide, only []string
	group                     string
	justMyCode                bool
	RequestFlags
}

// frameFlags are the names of these flags.
var frameFlags = []string{"focus", "ignore", "hide", "only", "group", "just-my-code"}

// AddFlags adds these flags.
func (o *FrameFlags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.focus, "focus", nil, "only samples with a frame that one of these regular expressions (`REGEXPS`) matches")
	f.StringSliceVar(&o.ignore, "ignore", nil, "no samples with a frame that one of these `REGEXPS` matches")
	f.StringSliceVar(&o.hide, "hide", nil, "leave out frames that one of these `REGEXPS` matches; the samples count for the callers")
	f.StringSliceVar(&o.only, "only", nil, "leave out frames that none of these `REGEXPS` matches")
	f.StringVar(&o.group, "group", "", "show in place of methods their `GROUP`: "+strings.Join(profile.GroupNames(), ", "))
	f.BoolVar(&o.justMyCode, "just-my-code", false, "leave out the frames of .NET and of native code")
	o.RequestFlags.AddFlags(cmd)
	for _, name := range []string{"focus", "ignore", "hide", "only"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	_ = cmd.RegisterFlagCompletionFunc("group", cobra.FixedCompletions(profile.GroupNames(), cobra.ShellCompDirectiveNoFileComp))
}

// selects reports whether a flag selects samples by their frames.
func (o *FrameFlags) selects() bool { return len(o.focus)+len(o.ignore) > 0 || o.RequestFlags.Given() }

// Filter returns the filter that the flags describe.
func (o *FrameFlags) Filter() (profile.Filter, error) {
	f := profile.Filter{JustMyCode: o.justMyCode}
	for _, flag := range []struct {
		name  string
		parts []string
		to    **regexp.Regexp
	}{{"focus", o.focus, &f.Focus}, {"ignore", o.ignore, &f.Ignore}, {"hide", o.hide, &f.Hide}, {"only", o.only, &f.Only}} {
		var err error
		if *flag.to, err = Alternatives(flag.name, flag.parts); err != nil {
			return f, err
		}
	}
	var err error
	if f.Request, err = o.RequestFlags.Filter(); err != nil {
		return f, err
	}
	var ok bool
	if f.Group, ok = profile.GroupByName(o.group); !ok {
		return f, fmt.Errorf("--group: %q is none of %s", o.group, strings.Join(profile.GroupNames(), ", "))
	}
	return f, nil
}

// Alternatives returns a regular expression that matches what one of the values
// of a flag matches, nil for no value.
func Alternatives(flag string, parts []string) (*regexp.Regexp, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	closed := make([]string, len(parts))
	for i, part := range parts {
		parsed, err := syntax.Parse(part, syntax.Perl)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		if closed[i] = part; strings.Contains(part, `\Q`) {
			closed[i] = parsed.String() // a \Q without \E would quote the text after the part
		}
	}
	joined, err := regexp.Compile("(?:" + strings.Join(closed, ")|(?:") + ")")
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return joined, nil
}

// FramesHelp describes the flags of FrameFlags.
func FramesHelp() string {
	return "--focus, --ignore, --hide and --only take regular expressions, separated by commas. They match the\n" +
		"name of a method, also in its raw form module!Namespace.Type.Method(signature). --just-my-code\n" +
		"leaves out frames without a name and frames of modules in a folder of the shared frameworks or with\n" +
		"these names:\n" + wrapped(profile.FrameworkModules()) +
		"--route, --trace, --span and --request choose the work for requests of ASP.NET Core: --route '^GET\n" +
		"/orders', --request slowest. Whose work a thread does is known as far as the trace tells it: from\n" +
		"the async profiler, the events about tasks, SetActivityId (the profile requests of collect), or the\n" +
		"stack of the thread where the request began. --span CoreCompile is what happens in the spans of this\n" +
		"name or key of report spans, on their threads.\n"
}

// wrapped returns words as lines of a help, indented and separated by commas.
func wrapped(words []string) string {
	const width = 96
	text, line := "", " "
	for i, word := range words {
		if i+1 < len(words) {
			word += ","
		}
		if len(line)+1+len(word) > width {
			text, line = text+line+"\n", " "
		}
		line += " " + word
	}
	return text + line + "\n"
}
