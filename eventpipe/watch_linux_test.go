package eventpipe

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSelector: a process must match every field that is set.
func TestSelector(t *testing.T) {
	const id, pod = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "11112222-3333-4444-5555-666677778888"
	p := &Process{PID: 7, Address: "/tmp/a", Name: "dotnet", CommandLine: []string{"dotnet", "/app/shop.dll", "--port", "80"}, Container: id, Pod: pod, environ: []string{"ROLE=front", "A=b"}}
	for _, c := range []struct {
		name string
		s    Selector
		want bool
	}{
		{"all", Selector{}, true},
		{"program", Selector{Name: "dotnet"}, true},
		{"assembly", Selector{Name: "shop"}, true},
		{"pattern", Selector{Name: "sh*"}, true},
		{"another name", Selector{Name: "sho"}, false},
		{"malformed pattern", Selector{Name: "["}, false},
		{"command line", Selector{CommandLine: regexp.MustCompile(`shop\.dll --port 8\d`)}, true},
		{"another command line", Selector{CommandLine: regexp.MustCompile("^shop")}, false},
		{"environment", Selector{Environment: map[string]string{"ROLE": "front", "A": "b"}}, true},
		{"another value", Selector{Environment: map[string]string{"ROLE": "fro"}}, false},
		{"container", Selector{Container: id}, true},
		{"short container id", Selector{Container: id[:12]}, true},
		{"another container", Selector{Container: id[1:13]}, false},
		{"pod", Selector{Pod: pod}, true},
		{"another pod", Selector{Pod: pod[1:]}, false},
		{"PID", Selector{PID: 7}, true},
		{"another PID", Selector{PID: 8, Name: "shop"}, false},
		{"process", Selector{Process: &Process{PID: 7, Address: "/tmp/a"}}, true},
		{"a later process with its PID", Selector{Process: &Process{PID: 7, Address: "/tmp/b"}}, false},
		{"one field of two", Selector{Name: "shop", Pod: "x"}, false},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "matches", c.s.Matches(p), c.want) })
	}
}

// TestPodUID reads the files of containers as several systems write them.
func TestPodUID(t *testing.T) {
	const id, pod = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "11112222-3333-4444-5555-666677778888"
	const joined = "11112222_3333_4444_5555_666677778888"
	for _, c := range []struct{ name, cgroup, container, pod string }{
		{"version 1", "4:memory:/kubepods/burstable/pod" + pod + "/" + id, id, pod},
		{"version 2 with systemd", "0::/kubepods.slice/kubepods-pod" + joined + ".slice/cri-containerd-" + id + ".scope", id, pod},
		{"a sibling in a private namespace", "0::/../../kubepods-besteffort-pod" + joined + ".slice/crio-" + id + ".scope", id, pod},
		{"docker", "0::/system.slice/docker-" + id + ".scope", id, ""},
		{"own private namespace", "0::/", "", ""},
		{"no container", "0::/user.slice/user-1000.slice", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "container", containerID([]byte(c.cgroup)), c.container)
			expect.Equal(t, "pod", podUID([]byte(c.cgroup)), c.pod)
		})
	}
	mounts := containerMounts([]byte("612 598 254:1 /var/lib/docker/containers/" + id + "/hostname /etc/hostname rw\n" +
		"613 598 254:1 /var/lib/kubelet/pods/" + pod + "/etc-hosts /etc/hosts rw\n"))
	expect.Equal(t, "container by mounts", mountedContainer(mounts), id)
	expect.Equal(t, "pod by mounts", mountedPod(mounts), pod)
	host := containerMounts([]byte("70 30 0:60 / /var/lib/docker/containers/" + id + "/mounts/shm rw\n71 30 0:61 / /var/lib/kubelet/pods/" + pod + "/volumes rw\n"))
	expect.Equal(t, "container of a process of the system", mountedContainer(host), "")
	expect.Equal(t, "its pod", mountedPod(host), "")
	expect.Equal(t, "container of no mounts", mountedContainer(nil), "")
}

// TestWatcher: processes come and go, and come again with the same PID.
func TestWatcher(t *testing.T) {
	process := func(pid int, key string) Process {
		return Process{PID: pid, Name: "shop", Address: filepath.Join("/tmp", key)}
	}
	other := process(9, "c")
	other.Name = "other"
	w := watcher{selector: Selector{Name: "shop"}, known: map[processKey]Process{}}
	for _, c := range []struct {
		name string
		list []Process
		want []string // key, with a minus sign if it is gone
	}{
		{"the first", []Process{process(7, "a"), other}, []string{"/tmp/a"}},
		{"no change", []Process{process(7, "a"), other}, nil},
		{"another", []Process{process(7, "a"), process(8, "b")}, []string{"/tmp/b"}},
		{"one is started again", []Process{process(7, "z"), process(8, "b")}, []string{"-/tmp/a", "/tmp/z"}},
		{"none", nil, []string{"-/tmp/z", "-/tmp/b"}},
		{"one that was missing once", []Process{process(8, "b")}, []string{"/tmp/b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, change := range w.look(c.list) {
				sign := ""
				if change.Gone {
					sign = "-"
				}
				got = append(got, sign+change.Process.Address)
			}
			expect.Slices(t, "changes", got, c.want)
		})
	}
}

// TestWatchOne: a process that the caller has found comes, goes, and is the last.
func TestWatchOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := filepath.Join(t.TempDir(), "port")
		expect.NoError(t, os.WriteFile(port, nil, 0o600))
		var got []bool
		for change, err := range Watch(t.Context(), Selector{Process: &Process{Address: port}}) {
			expect.NoError(t, err)
			expect.Equal(t, "port", change.Process.Address, port)
			got = append(got, change.Gone)
			_ = os.Remove(port)
		}
		expect.Slices(t, "gone", got, []bool{false, true})
		for _, err := range Watch(t.Context(), Selector{PID: 1 << 30}) {
			if !unreachable(err, NoProcess) {
				t.Errorf("no process: got the error %v", err)
			}
		}
	})
}

// TestWatcherMisses: a list that cannot be read changes nothing, unless it is the first one or too
// many are missing.
func TestWatcherMisses(t *testing.T) {
	failed := errors.New("too many open files")
	for _, c := range []struct {
		name  string
		fails func(list int) bool // of the first list, 0
		lists int                 // after which the context ends
		want  string
	}{
		{"the first one", func(list int) bool { return list == 0 }, 5, "too many open files"},
		{"ten in a row", func(list int) bool { return list%11 > 0 }, 33, "+shop"},
		{"eleven in a row", func(list int) bool { return list > 0 }, 33, "+shop too many open files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				defer end()
				w, n := watcher{known: map[processKey]Process{}}, 0
				ports := func() ([]Process, error) {
					if n++; n == c.lists {
						end()
					}
					if c.fails(n - 1) {
						return nil, failed
					}
					return []Process{{PID: 7, Name: "shop", Address: "/tmp/a"}}, nil
				}
				var got []string
				w.watch(ctx, ports, func(change Change, err error) bool {
					if err != nil {
						got = append(got, err.Error())
					} else {
						got = append(got, "+"+change.Process.Name)
					}
					return true
				})
				expect.Equal(t, "changes", strings.Join(got, " "), c.want)
			})
		})
	}
}

// TestAbsent: only a process that has ended or is hidden is left out of a list.
func TestAbsent(t *testing.T) {
	for err, want := range map[syscall.Errno]bool{
		syscall.ENOENT: true, syscall.ESRCH: true, syscall.EPERM: true, syscall.EACCES: true, syscall.EMFILE: false, syscall.ENFILE: false,
	} {
		expect.Equal(t, err.Error(), isAbsent(&os.PathError{Op: "open", Path: "/proc/7/stat", Err: err}), want)
	}
}

// TestWatchErrors: a malformed pattern is an error, and Watch ends with its context.
func TestWatchErrors(t *testing.T) {
	var errs []error
	for _, err := range Watch(t.Context(), Selector{Name: "["}) {
		errs = append(errs, err)
	}
	expect.Equal(t, "a malformed pattern", slices.ContainsFunc(errs, func(err error) bool { return errors.Is(err, path.ErrBadPattern) }), true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for change, err := range Watch(ctx, Selector{}) {
		t.Errorf("got %v, %v after the end of the context", change, err)
	}
}
