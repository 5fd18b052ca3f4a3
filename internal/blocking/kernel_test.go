package blocking

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestKernelCause has stacks of switches by Linux 6.18, leaf first: a thread that goes back to its
// own code, or yields, could run on.
func TestKernelCause(t *testing.T) {
	for stack, want := range map[string]Cause{
		"schedule futex_do_wait __futex_wait futex_wait do_futex __x64_sys_futex do_syscall_64":                        Futex,
		"schedule do_nanosleep hrtimer_nanosleep common_nsleep __x64_sys_clock_nanosleep do_syscall_64":                Sleep,
		"schedule anon_pipe_read vfs_read ksys_read do_syscall_64":                                                     IO,
		"schedule schedule_hrtimeout_range_clock do_epoll_wait __x64_sys_epoll_wait do_syscall_64":                     IO,
		"schedule schedule_timeout wait_woken sk_wait_data tcp_recvmsg_locked tcp_recvmsg sock_recvmsg":                IO,
		"schedule schedule_timeout sock_alloc_send_pskb unix_stream_sendmsg __sys_sendto":                              IO,
		"schedule exit_to_user_mode_loop do_syscall_64 entry_SYSCALL_64_after_hwframe":                                 Ready,
		"schedule irqentry_exit_to_user_mode asm_sysvec_apic_timer_interrupt":                                          Ready,
		"schedule __ia32_sys_sched_yield do_syscall_64":                                                                Ready,
		"__cond_resched read_zero vfs_read ksys_read do_syscall_64":                                                    Ready,
		"schedule schedule_timeout wait_for_completion __synchronize_srcu.part.0 fsnotify_mark_destroy_workfn kthread": Unknown,
		"": Unknown,
	} {
		expect.Equal(t, stack, KernelCause(strings.Fields(stack)), want)
	}
}

// TestRoleCause: only threads that run no code of the program have a role.
func TestRoleCause(t *testing.T) {
	for name, want := range map[string]Cause{
		".NET EventPipe": RecorderIdle, ".NET Tiered Compilation Worker": RuntimeIdle, ".NET Tiered Com": RuntimeIdle, ".NET TP Gate": GateIdle,
		".NET TP Worker": Unknown, ".NET Finalizer": Unknown, "main": Unknown, "": Unknown,
	} {
		expect.Equal(t, name, RoleCause(name), want)
	}
}
