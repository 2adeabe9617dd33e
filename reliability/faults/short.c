// A library to preload: one call that reads or writes transfers half of what it is asked for, as the kernel may at any time.
//
// SHORT_CALL and SHORT_NUMBER say which: the name of the function, and its number among the calls of that function to which this
// can happen (regular files and stream sockets, two bytes or more). SHORT_LOG is a file to which a line is appended when it
// happens; with the number 0 it gets a line with the name of each such call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void note(const char *name) {
    const char *path = getenv("SHORT_LOG");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    char line[32] = "";
    strncat(line, name, sizeof line - 2);
    line[strlen(line)] = '\n';
    (void)!syscall(SYS_write, file, line, strlen(line));
    close(file);
}

static int can_be_short(int file) {
    struct stat status;
    int type;
    socklen_t size = sizeof type;
    if (fstat(file, &status) < 0) return 0;
    if (S_ISREG(status.st_mode)) return 1;
    return S_ISSOCK(status.st_mode) && getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

// How many bytes the call is to transfer.
static size_t transferred(const char *name, int file, size_t count) {
    static long number = -1;
    static const char *chosen;
    static long counted;
    if (number < 0) {
        const char *text = getenv("SHORT_NUMBER");
        number = text ? atol(text) : 0;
        chosen = getenv("SHORT_CALL");
    }
    if (!chosen || count < 2 || !can_be_short(file)) return count;
    if (number == 0) {
        note(name);
        return count;
    }
    if (strcmp(name, chosen) != 0 || ++counted != number) return count;
    note(name);
    return count / 2;
}

ssize_t read(int file, void *data, size_t count) { return NEXT(read)(file, data, transferred("read", file, count)); }
ssize_t write(int file, const void *data, size_t count) { return NEXT(write)(file, data, transferred("write", file, count)); }

ssize_t pread(int file, void *data, size_t count, off_t place) {
    return NEXT(pread)(file, data, transferred("pread", file, count), place);
}

ssize_t pwrite(int file, const void *data, size_t count, off_t place) {
    return NEXT(pwrite)(file, data, transferred("pwrite", file, count), place);
}

ssize_t pread64(int file, void *data, size_t count, off64_t place) {
    return NEXT(pread64)(file, data, transferred("pread64", file, count), place);
}

ssize_t pwrite64(int file, const void *data, size_t count, off64_t place) {
    return NEXT(pwrite64)(file, data, transferred("pwrite64", file, count), place);
}

ssize_t recv(int file, void *data, size_t count, int flags) {
    return NEXT(recv)(file, data, transferred("recv", file, count), flags);
}

ssize_t send(int file, const void *data, size_t count, int flags) {
    return NEXT(send)(file, data, transferred("send", file, count), flags);
}

ssize_t sendto(int file, const void *data, size_t count, int flags, const struct sockaddr *to, socklen_t size) {
    return NEXT(sendto)(file, data, transferred("sendto", file, count), flags, to, size);
}

// The same with lists of places: a list that ends earlier.
enum { PLACES = 1024 };

static int shorten(const char *name, int file, const struct iovec *places, size_t count, struct iovec *shorter) {
    size_t all = 0;
    if (count > PLACES) return -1;
    for (size_t i = 0; i < count; i++) all += places[i].iov_len;
    size_t left = transferred(name, file, all);
    if (left == all) return -1;
    size_t used = 0;
    for (; used < count && left > 0; used++) {
        shorter[used] = places[used];
        if (shorter[used].iov_len > left) shorter[used].iov_len = left;
        left -= shorter[used].iov_len;
    }
    return (int)used;
}

ssize_t writev(int file, const struct iovec *places, int count) {
    struct iovec shorter[PLACES];
    const int used = shorten("writev", file, places, (size_t)count, shorter);
    return NEXT(writev)(file, used < 0 ? places : shorter, used < 0 ? count : used);
}

ssize_t recvmsg(int file, struct msghdr *message, int flags) {
    struct iovec shorter[PLACES];
    const int used = shorten("recvmsg", file, message->msg_iov, message->msg_iovlen, shorter);
    if (used < 0) return NEXT(recvmsg)(file, message, flags);
    struct msghdr part = *message;
    part.msg_iov = shorter;
    part.msg_iovlen = (size_t)used;
    const ssize_t count = NEXT(recvmsg)(file, &part, flags);
    message->msg_flags = part.msg_flags;
    message->msg_controllen = part.msg_controllen;
    message->msg_namelen = part.msg_namelen;
    return count;
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
    struct iovec shorter[PLACES];
    const int used = shorten("sendmsg", file, message->msg_iov, message->msg_iovlen, shorter);
    if (used < 0) return NEXT(sendmsg)(file, message, flags);
    struct msghdr part = *message;
    part.msg_iov = shorter;
    part.msg_iovlen = (size_t)used;
    return NEXT(sendmsg)(file, &part, flags);
}
