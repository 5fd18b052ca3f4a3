package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/model/runtimes"
)

// checkInterval checks --sampling-interval, and adds its variable to the environment of the
// command.
func (o *options) checkInterval(given bool) error {
	switch n := o.interval.Milliseconds(); {
	case !given:
		return nil
	case len(o.Command) == 0:
		return errors.New("--sampling-interval needs a command after --: a runtime reads its interval at its start, from " + runtimes.SamplingInterval)
	case n < runtimes.DefaultInterval || n > runtimes.MaxInterval || o.interval != time.Duration(n)*time.Millisecond:
		return fmt.Errorf("--sampling-interval: %v is not a number of milliseconds of %d to %d: at longer intervals the sampler never sleeps", o.interval, runtimes.DefaultInterval, runtimes.MaxInterval)
	default:
		o.rate = requestedVersion(o.Command).FormatInterval(int(n))
		o.Set = append(o.Set, runtimes.SamplingInterval+"="+o.rate)
		return nil
	}
}

// newest is the version that a command has whose configuration is not found.
const newest runtimes.Version = 11

// requestedVersion returns the version of .NET that the configuration of the command's program
// asks for: NAME.runtimeconfig.json, beside the first argument NAME.dll or the program NAME.
func requestedVersion(command []string) runtimes.Version {
	program, err := exec.LookPath(command[0])
	if err != nil {
		program = command[0] // Attach says what is wrong
	}
	names := []string{program}
	for _, arg := range command[1:] {
		if strings.HasSuffix(arg, ".dll") {
			names = append([]string{arg}, names...)
			break
		}
	}
	for _, name := range names {
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".dll")
		if v := configuredVersion(filepath.Clean(name) + ".runtimeconfig.json"); v != runtimes.Unknown {
			return v
		}
	}
	return newest
}

// configuredVersion returns the version of a runtimeconfig.json, Unknown if there is none.
func configuredVersion(name string) runtimes.Version {
	type framework struct{ Version string }
	var config struct {
		RuntimeOptions struct {
			Framework  framework
			Frameworks []framework
		}
	}
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &config) != nil {
		return runtimes.Unknown
	}
	for _, f := range append(config.RuntimeOptions.Frameworks, config.RuntimeOptions.Framework) {
		major, _, _ := strings.Cut(f.Version, ".")
		if n, err := strconv.ParseUint(major, 10, 16); err == nil && n > 0 {
			return runtimes.Version(n)
		}
	}
	return runtimes.Unknown
}

// warnInterval prints a warning if the runtime reads another interval than was asked for: its
// version is not the one that the program's configuration asks for.
func (r *recording) warnInterval() {
	if r.o.rate == "" {
		return
	}
	want, v := int(r.o.interval.Milliseconds()), runtimes.Version(r.a.Major())
	if got := v.ReadInterval(r.o.rate); got != want {
		r.p.Complain("warning: %s: --sampling-interval %v is not the interval of its samples: .NET %d reads %s=%s as %d ms; set the variable to %s yourself",
			r.a.Title, r.o.interval, v, runtimes.SamplingInterval, r.o.rate, got, v.FormatInterval(want))
	}
}
