"""Which calls can fail how, and what makes them."""

import re
import signal
from collections import Counter

from world import STATUSES, TRAPS

# What each system call can return of these, by its manual page: ENOMEM, ENOBUFS, EIO, ENOSPC, EINTR, EMFILE, EAGAIN. Of calls for
# files: what file systems return. A name that is not here is reported, and never skipped in silence.
_FILE = ("ENOMEM", "EIO")
_MAKING = ("ENOMEM", "EMFILE")
ERRORS = {
    "accept4": ("ENOMEM", "ENOBUFS", "EINTR", "EMFILE", "EAGAIN"),
    "access": _FILE,
    "arch_prctl": (),
    "bind": ("ENOMEM",),
    "brk": ("ENOMEM",),
    "chmod": _FILE,
    "clock_nanosleep": ("EINTR",),
    "clone3": ("ENOMEM", "EAGAIN"),
    "close": ("EIO", "EINTR", "ENOSPC"),
    "connect": ("EAGAIN", "EINTR"),
    "dup": ("EMFILE",),
    "epoll_create1": _MAKING,
    "epoll_ctl": ("ENOMEM", "ENOSPC"),
    "epoll_pwait2": ("EINTR",),
    "epoll_wait": ("EINTR",),
    "eventfd2": _MAKING,
    "exit_group": (),
    "fchmod": _FILE,
    "fchown": _FILE,
    "fcntl": ("EAGAIN", "EINTR", "EMFILE"),
    "fdatasync": ("EIO", "ENOSPC", "EINTR"),
    "flock": ("EINTR", "ENOMEM", "EAGAIN"),
    "fstat": ("ENOMEM",),
    "fstatfs": ("EINTR", "EIO", "ENOMEM"),
    "fsync": ("EIO", "ENOSPC", "EINTR"),
    "ftruncate": ("EINTR", "EIO"),
    "fallocate": ("EINTR", "EIO", "ENOSPC"),
    # There is one thread, so it never waits: what it calls is FUTEX_WAKE.
    "futex": (),
    "getcwd": ("ENOMEM",),
    "getdents64": ("EIO", "ENOMEM"),
    "getegid": (),
    "geteuid": (),
    "getgid": (),
    "getgroups": (),
    "getpeername": ("ENOBUFS",),
    "getpid": (),
    "getrandom": ("EAGAIN", "EINTR"),
    "getsockname": ("ENOBUFS",),
    "getsockopt": ("ENOMEM",),
    "gettid": (),
    "getuid": (),
    "inotify_add_watch": ("ENOMEM", "ENOSPC"),
    "inotify_init1": _MAKING,
    "ioctl": (),
    "link": _FILE + ("ENOSPC",),
    "lseek": (),
    "lstat": ("ENOMEM", "EIO"),
    "madvise": ("ENOMEM",),
    "mkdir": ("ENOMEM", "ENOSPC", "EIO"),
    # EAGAIN is for memory that is locked.
    "mmap": ("ENOMEM",),
    "mprotect": ("ENOMEM",),
    "mremap": ("ENOMEM",),
    "munmap": ("ENOMEM",),
    "newfstatat": ("ENOMEM", "EIO"),
    "open": _MAKING + ("EIO", "ENOSPC", "EINTR"),
    "openat": _MAKING + ("EIO", "ENOSPC", "EINTR"),
    "pipe2": _MAKING,
    "poll": ("EINTR", "ENOMEM"),
    "ppoll": ("EINTR", "ENOMEM"),
    "prctl": (),
    "pread64": ("EIO", "EINTR", "ENOMEM"),
    "prlimit64": (),
    "pwrite64": ("EIO", "ENOSPC", "EINTR", "ENOMEM"),
    "read": ("EIO", "EINTR", "EAGAIN", "ENOMEM"),
    "readlink": _FILE,
    "readlinkat": _FILE,
    "recvfrom": ("EAGAIN", "EINTR", "ENOMEM"),
    "recvmsg": ("EAGAIN", "EINTR", "ENOMEM"),
    "rename": ("ENOMEM", "ENOSPC", "EIO"),
    "rseq": (),
    "rt_sigaction": (),
    "rt_sigprocmask": (),
    "rt_sigreturn": (),
    "sched_getaffinity": (),
    "sendmsg": ("ENOMEM", "ENOBUFS", "EAGAIN", "EINTR"),
    "sendto": ("ENOMEM", "ENOBUFS", "EAGAIN", "EINTR"),
    "set_robust_list": (),
    "set_tid_address": (),
    "setsockopt": ("ENOMEM",),
    "shutdown": ("ENOBUFS",),
    "sigaltstack": ("ENOMEM",),
    "signalfd4": _MAKING,
    "socket": _MAKING + ("ENOBUFS",),
    "socketpair": _MAKING,
    "stat": ("ENOMEM", "EIO"),
    "sync_file_range": ("EIO", "ENOMEM", "ENOSPC"),
    "statfs": ("EINTR", "EIO", "ENOMEM"),
    "statx": ("ENOMEM", "EIO"),
    "sysinfo": (),
    "timerfd_create": _MAKING,
    "timerfd_settime": (),
    "uname": (),
    "unlink": ("EIO", "ENOMEM"),
    "unlinkat": ("EIO", "ENOMEM"),
    "utimensat": _FILE,
    "write": ("EIO", "ENOSPC", "EINTR", "EAGAIN", "ENOMEM"),
    "writev": ("EIO", "ENOSPC", "EINTR", "EAGAIN", "ENOMEM"),
}
# Those that get memory; without it a program may trap.
MEMORY = {"brk", "mmap", "mprotect", "mremap", "munmap", "madvise", "clone3"}


class Fault:
    """One call, by its number among those of its name, that fails. With a path, those for this file are counted alone: a file of
    flowbusd's, such as 'run/tree-GUID.db', or another one."""

    def __init__(self, call, number, kind, path=""):
        self.call = call
        self.number = number
        self.kind = kind
        self.path = path
        self.log = None

    def __str__(self):
        return f"{self.call} {self.number} {self.kind} {self.path}".rstrip()

    def applied(self, folder, bus_id):
        """The words before the command that make it fail, and variables of the environment."""
        self.log = folder / "fault"
        if self.kind == "short":
            return [], {
                "LD_PRELOAD": str(Fault.library), "SHORT_CALL": self.call, "SHORT_NUMBER": str(self.number),
                "SHORT_LOG": str(self.log)}
        what = "signal=KILL" if self.kind == "kill" else f"error={self.kind}"
        if self.call == "brk" and self.kind == "ENOMEM":
            # The kernel returns no error, but another end of the data segment than the one that was asked for.
            what = "retval=0"
        # It stops at this call alone; but with a filter, it sends no signal (strace 6.1).
        filtered = [] if self.kind == "kill" else ["--seccomp-bpf"]
        path = ["-P", str(folder / self.path.replace("GUID", bus_id))] if self.path else []
        return [
            "strace", "-f", *filtered, *path, "-q", "-s", "0", "-o", str(self.log), "-e", f"trace={self.call}", "-e",
            f"inject={self.call}:{what}:when={self.number}"], {}

    def happened(self):
        """Whether the call was made, and failed."""
        text = self.log.read_text(errors="replace") if self.log and self.log.exists() else ""
        if self.kind == "short":
            return bool(text)
        return ("killed by SIGKILL" if self.kind == "kill" else "(INJECTED)") in text

    def explains(self, status, said):
        """Whether flowbusd may end like this for it."""
        if not self.happened():
            return False
        if self.kind == "kill":
            return status == -signal.SIGKILL
        if status in STATUSES:
            return bool(said.strip())
        # The dynamic linker has no better end than SIGSEGV, before main.
        traps = TRAPS if said else TRAPS | {-signal.SIGSEGV}
        return status in traps and self.call in MEMORY


class Recording:
    """No fault: what is called, and how often."""

    kind = "record"

    def __init__(self, is_short):
        self.is_short = is_short
        self.log = None

    def applied(self, folder, bus_id):
        """The words before the command, and variables of the environment."""
        del bus_id
        self.log = folder / "fault"
        if self.is_short:
            return [], {"LD_PRELOAD": str(Fault.library), "SHORT_CALL": "all", "SHORT_NUMBER": "0", "SHORT_LOG": str(self.log)}
        return ["strace", "-f", "-qq", "-s", "0", "-o", str(self.log)], {}

    def explains(self, status, said):
        """Nothing failed, so it may not end."""
        return False

    def happened(self):
        """Nothing did."""
        return False

    def counts(self):
        """How often each is called, and how often before main, which first reads the command line."""
        text = self.log.read_text(errors="replace")
        if self.is_short:
            return Counter(text.split()), Counter()
        early = text.partition('"/proc/self/cmdline"')[0]
        return tuple(Counter(re.findall(r"^(?:\d+ +)?([a-z0-9_]+)\(", part, re.M)) for part in (text, early))


def all_faults(calls, shorts, early):
    """Every fault of a scenario, but for those of these calls, which come first."""
    unknown = sorted(set(calls) - set(ERRORS) - {"execve"})
    if unknown:
        raise KeyError(", ".join(unknown))
    faults = []
    for call, count in sorted(calls.items()):
        if call == "execve":
            continue
        for kind in (*ERRORS[call], "kill"):
            faults += [Fault(call, number, kind) for number in range(early[call] + 1, count + 1)]
    for call, count in sorted(shorts.items()):
        faults += [Fault(call, number, "short") for number in range(1, count + 1)]
    return faults
