/* Kills the process before, in the middle of, or after its n-th file operation in a folder.
 *
 * Preloaded by tests. Environment:
 *   KILL_FOLDER  operations on paths below it count
 *   KILL_LOG     a file to which each operation that counts is appended, one line each
 *   KILL_KIND    "steps": opening to write, rename, unlink, mkdir, rmdir, fsync, truncate, link;  "writes": write
 *   KILL_AT      which of them, from 1; 0 for none
 *   KILL_HOW     "before", "middle" (half of a write's bytes, else as "after"), "after"
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int count;

static int is(const char *name, const char *value) {
    const char *found = getenv(name);
    return found && strcmp(found, value) == 0;
}

static void die(void) {
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    for (;;) pause();
}

/* The absolute path of a name, or of a descriptor if there is no name. */
static int locate(int folder, const char *name, char *path) {
    char link[64];
    ssize_t size = 0;
    if (name && name[0] == '/') {
        if (strlen(name) >= PATH_MAX) return 0;
        strcpy(path, name);
        return 1;
    }
    if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    size = syscall(SYS_readlink, link, path, PATH_MAX - 1);
    if (size <= 0) return 0;
    path[size] = 0;
    if (name) {
        if (size + 2 + strlen(name) >= PATH_MAX) return 0;
        path[size] = '/';
        strcpy(path + size + 1, name);
    }
    return 1;
}

/* Whether this is the operation to die at. Notes it. */
static int meets(const char *kind, const char *what, int folder, const char *name) {
    char path[PATH_MAX], line[PATH_MAX + 64];
    const char *root = getenv("KILL_FOLDER"), *log = getenv("KILL_LOG"), *at = getenv("KILL_AT");
    int saved = errno, number = 0;
    if (!root || !is("KILL_KIND", kind) || !locate(folder, name, path)) { errno = saved; return 0; }
    if (strncmp(path, root, strlen(root)) != 0) { errno = saved; return 0; }
    number = atomic_fetch_add(&count, 1) + 1;
    if (log) {
        int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        int size = snprintf(line, sizeof line, "%d %s %s\n", number, what, path + strlen(root));
        if (file >= 0) { syscall(SYS_write, file, line, size); syscall(SYS_close, file); }
    }
    errno = saved;
    return at && atoi(at) == number;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define STEP(what, folder, path, call)                                  \
    do {                                                                \
        int dies = meets("steps", what, folder, path);                  \
        if (dies && is("KILL_HOW", "before")) die();                    \
        __typeof__(call) result = call;                                 \
        if (dies) die();                                                \
        return result;                                                  \
    } while (0)

int rename(const char *a, const char *b) { REAL(rename); STEP("rename", AT_FDCWD, b, real(a, b)); }
int renameat(int f, const char *a, int g, const char *b) { REAL(renameat); STEP("rename", g, b, real(f, a, g, b)); }
int renameat2(int f, const char *a, int g, const char *b, unsigned o) { REAL(renameat2); STEP("rename", g, b, real(f, a, g, b, o)); }
int unlink(const char *a) { REAL(unlink); STEP("unlink", AT_FDCWD, a, real(a)); }
int unlinkat(int f, const char *a, int o) { REAL(unlinkat); STEP("unlink", f, a, real(f, a, o)); }
int mkdir(const char *a, mode_t m) { REAL(mkdir); STEP("mkdir", AT_FDCWD, a, real(a, m)); }
int mkdirat(int f, const char *a, mode_t m) { REAL(mkdirat); STEP("mkdir", f, a, real(f, a, m)); }
int rmdir(const char *a) { REAL(rmdir); STEP("rmdir", AT_FDCWD, a, real(a)); }
int link(const char *a, const char *b) { REAL(link); STEP("link", AT_FDCWD, b, real(a, b)); }
int symlink(const char *a, const char *b) { REAL(symlink); STEP("symlink", AT_FDCWD, b, real(a, b)); }
int fsync(int f) { REAL(fsync); STEP("fsync", f, NULL, real(f)); }
int fdatasync(int f) { REAL(fdatasync); STEP("fsync", f, NULL, real(f)); }
int ftruncate(int f, off_t s) { REAL(ftruncate); STEP("truncate", f, NULL, real(f, s)); }
int ftruncate64(int f, off64_t s) { REAL(ftruncate64); STEP("truncate", f, NULL, real(f, s)); }

#define WRITES(flags) (((flags) & (O_CREAT | O_TRUNC)) || ((flags) & O_ACCMODE) != O_RDONLY)
#define MODE(last) mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, last); mode = va_arg(more, mode_t); va_end(more); }

int open(const char *a, int flags, ...) {
    REAL(open); MODE(flags)
    if (!WRITES(flags)) return real(a, flags, mode);
    STEP("open", AT_FDCWD, a, real(a, flags, mode));
}
int open64(const char *a, int flags, ...) {
    REAL(open64); MODE(flags)
    if (!WRITES(flags)) return real(a, flags, mode);
    STEP("open", AT_FDCWD, a, real(a, flags, mode));
}
int openat(int f, const char *a, int flags, ...) {
    REAL(openat); MODE(flags)
    if (!WRITES(flags)) return real(f, a, flags, mode);
    STEP("open", f, a, real(f, a, flags, mode));
}
int openat64(int f, const char *a, int flags, ...) {
    REAL(openat64); MODE(flags)
    if (!WRITES(flags)) return real(f, a, flags, mode);
    STEP("open", f, a, real(f, a, flags, mode));
}

#define WRITE(file, size, call_part, call_all)                          \
    do {                                                                \
        if ((file) > 2 && meets("writes", "write", file, NULL)) {       \
            if (is("KILL_HOW", "middle")) { call_part; }                \
            else if (!is("KILL_HOW", "before")) { call_all; }           \
            die();                                                      \
        }                                                               \
        return call_all;                                                \
    } while (0)

ssize_t write(int f, const void *d, size_t n) { REAL(write); WRITE(f, n, real(f, d, n / 2), real(f, d, n)); }
ssize_t pwrite(int f, const void *d, size_t n, off_t o) { REAL(pwrite); WRITE(f, n, real(f, d, n / 2, o), real(f, d, n, o)); }
ssize_t pwrite64(int f, const void *d, size_t n, off64_t o) { REAL(pwrite64); WRITE(f, n, real(f, d, n / 2, o), real(f, d, n, o)); }
ssize_t writev(int f, const struct iovec *v, int n) { REAL(writev); WRITE(f, n, real(f, v, n / 2), real(f, v, n)); }
