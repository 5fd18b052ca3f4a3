package blocking

import "strings"

// kernelPlaces determine what a thread waits for by the functions of Linux in which it left its
// processor: the first one, from the leaf, that is in the table. A star stands for any text.
var kernelPlaces = []struct {
	cause     Cause
	functions []string
}{
	{Ready, []string{"exit_to_user_mode_loop", "irqentry_exit_to_user_mode", "irqentry_exit", "preempt_schedule*", "__cond_resched", "*_sys_sched_yield"}},
	{Futex, []string{"futex_wait*", "__futex_wait", "do_futex"}},
	{Sleep, []string{"do_nanosleep", "hrtimer_nanosleep"}},
	{IO, []string{
		"do_epoll_wait", "ep_poll", "do_sys_poll", "do_select", "core_sys_select", "pipe_read", "pipe_write", "anon_pipe_read", "anon_pipe_write",
		"*_recvmsg", "*_sendmsg", "sk_wait_data", "sock_alloc_send_pskb", "inet_csk_accept", "do_accept", "io_schedule*", "folio_wait_bit*",
		"inotify_read", "n_tty_read", "n_tty_write", "eventfd_read", "vfs_read", "vfs_write", "vfs_fsync*",
	}},
}

// KernelCause returns what a thread waits for by the functions of the kernel in which it left its
// processor, leaf first: Ready if it could run on, Unknown if they do not say.
func KernelCause(functions []string) Cause {
	for _, name := range functions {
		for i := range kernelPlaces {
			for _, pattern := range kernelPlaces[i].functions {
				if matches(pattern, name) {
					return kernelPlaces[i].cause
				}
			}
		}
	}
	return Unknown
}

// matches reports whether a name is that of a pattern with at most one star at either end.
func matches(pattern, name string) bool {
	if rest, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasSuffix(name, rest)
	}
	if rest, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, rest)
	}
	return name == pattern
}

// roles are the threads of the runtime that run no code of the program, by their names, which
// Linux cuts to 15 bytes.
var roles = []struct {
	prefix string
	cause  Cause
}{
	{".NET EventPipe", RecorderIdle}, {".NET SynchManag", RuntimeIdle}, {".NET SigHandler", RuntimeIdle}, {".NET Tiered Com", RuntimeIdle},
	{".NET TP Gate", GateIdle}, {".NET Timer", TimerIdle}, {".NET Sockets", SocketIdle}, {".NET File Watch", WatcherIdle},
	{".NET Server GC", RuntimeIdle}, {".NET BGC", RuntimeIdle},
}

// RoleCause returns what a thread of the runtime waits for by its name, Unknown for the threads
// that run code of the program.
func RoleCause(thread string) Cause {
	for _, r := range roles {
		if strings.HasPrefix(thread, r.prefix) {
			return r.cause
		}
	}
	return Unknown
}
