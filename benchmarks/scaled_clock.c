/* Makes the processor look NUMERATOR / DENOMINATOR times as fast, to every program that preloads this library.

   `scaled_clock.py` compiles it and says what is scaled. A program sees "seen" time; the kernel measures "real" time.
   Clocks count from zero, and the time of day from START (real nanoseconds since 1970), so that all processes agree. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* libc_NAME is the function of libc that the function NAME below calls. */
#define FUNCTIONS(each) \
    each(clock_gettime) each(gettimeofday) each(getrusage) each(wait3) each(wait4) each(times) each(clock) \
    each(clock_nanosleep) each(ppoll) each(epoll_wait) each(epoll_pwait) each(select) each(pselect) \
    each(sem_timedwait) each(sem_clockwait) each(pthread_cond_timedwait) each(pthread_cond_clockwait) \
    each(pthread_mutex_timedlock) each(sigtimedwait) each(setitimer) each(getitimer) each(timerfd_settime) \
    each(timerfd_gettime) each(getrlimit) each(setrlimit) each(prlimit) each(open) \
    each(execve) each(execvpe) each(posix_spawn) each(posix_spawnp)
#define DECLARE(name) static __typeof__(name) *libc_##name;
FUNCTIONS(DECLARE)

/* glibc declares that its headers' pointers are never null, which is not so for those that are looked at here. */
#pragma GCC diagnostic ignored "-Wnonnull-compare"

static void *find(const char *name) {
    /* Without a version, dlsym may find the condition variables of glibc 2.2. */
    void *found = strcmp(name, "pthread_cond_timedwait") ? NULL : dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return found ? found : dlsym(RTLD_NEXT, name);
}

static void prepare(void) {
    if (libc_posix_spawnp) return;
#define FIND(name) libc_##name = find(#name);
    FUNCTIONS(FIND)
}

/* Before the program's own code, which then does not see LD_PRELOAD. `execve` adds it again. */
__attribute__((constructor)) static void begin(void) {
    prepare();
    unsetenv("LD_PRELOAD");
}

/* Conversions. A wait is rounded up, so that it never ends early. */

#define SECOND 1000000000LL
typedef long long nanoseconds;

static nanoseconds seen(nanoseconds real) { return (nanoseconds)((__int128)real * DENOMINATOR / NUMERATOR); }
static nanoseconds real(nanoseconds seen) {
    return (nanoseconds)(((__int128)seen * NUMERATOR + DENOMINATOR - 1) / DENOMINATOR);
}
static nanoseconds from_spec(struct timespec t) { return t.tv_sec * SECOND + t.tv_nsec; }
static struct timespec to_spec(nanoseconds n) { return (struct timespec){n / SECOND, n % SECOND}; }
static nanoseconds from_val(struct timeval t) { return t.tv_sec * SECOND + t.tv_usec * 1000; }
static struct timeval to_val(nanoseconds n) { return (struct timeval){n / SECOND, n % SECOND / 1000}; }

static int of_day(clockid_t id) { return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI; }
static nanoseconds seen_at(clockid_t id, nanoseconds at) { return of_day(id) ? START + seen(at - START) : seen(at); }
static nanoseconds real_at(clockid_t id, nanoseconds at) { return of_day(id) ? START + real(at - START) : real(at); }

/* A far deadline stays one: seconds beyond this would overflow. */
static int sane(const struct timespec *t) {
    return t && t->tv_sec >= 0 && t->tv_sec < 1LL << 32 && t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}
#define CONVERTED(name, convert, from) \
    struct timespec name##_real; \
    if (sane(from)) name##_real = to_spec(convert), name = &name##_real

/* Clocks. */

int clock_gettime(clockid_t id, struct timespec *now) {
    prepare();
    int failed = libc_clock_gettime(id, now);
    if (!failed && !(id < 0 && (id & 7) == 3)) *now = to_spec(seen_at(id, from_spec(*now))); /* 3: a device's clock */
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    prepare();
    int failed = libc_gettimeofday(now, zone);
    if (!failed && now) *now = to_val(seen_at(CLOCK_REALTIME, from_val(*now)));
    return failed;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}

static void usage_seen(struct rusage *usage) {
    usage->ru_utime = to_val(seen(from_val(usage->ru_utime)));
    usage->ru_stime = to_val(seen(from_val(usage->ru_stime)));
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
    prepare();
    int failed = libc_getrusage(who, usage);
    if (!failed) usage_seen(usage);
    return failed;
}

pid_t wait3(int *status, int options, struct rusage *usage) {
    prepare();
    pid_t pid = libc_wait3(status, options, usage);
    if (pid > 0 && usage) usage_seen(usage);
    return pid;
}

pid_t wait4(pid_t which, int *status, int options, struct rusage *usage) {
    prepare();
    pid_t pid = libc_wait4(which, status, options, usage);
    if (pid > 0 && usage) usage_seen(usage);
    return pid;
}

clock_t times(struct tms *used) {
    prepare();
    clock_t now = libc_times(used);
    if (used) {
        used->tms_utime = seen(used->tms_utime), used->tms_stime = seen(used->tms_stime);
        used->tms_cutime = seen(used->tms_cutime), used->tms_cstime = seen(used->tms_cstime);
    }
    return seen(now);
}

clock_t clock(void) {
    prepare();
    clock_t used = libc_clock();
    return used == (clock_t)-1 ? used : seen(used);
}

/* Waits. */

int clock_nanosleep(clockid_t id, int flags, const struct timespec *wait, struct timespec *left) {
    prepare();
    int absolute = flags & TIMER_ABSTIME;
    CONVERTED(wait, absolute ? real_at(id, from_spec(*wait)) : real(from_spec(*wait)), wait);
    int failed = libc_clock_nanosleep(id, flags, wait, left);
    if (failed == EINTR && left && !absolute) *left = to_spec(seen(from_spec(*left)));
    return failed;
}

int nanosleep(const struct timespec *wait, struct timespec *left) {
    errno = clock_nanosleep(CLOCK_REALTIME, 0, wait, left);
    return errno ? -1 : 0;
}

int usleep(useconds_t wait) {
    struct timespec spec = to_spec(wait * 1000LL);
    return nanosleep(&spec, NULL);
}

unsigned sleep(unsigned wait) {
    struct timespec spec = {wait, 0};
    return nanosleep(&spec, &spec) ? spec.tv_sec : 0;
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *wait, const sigset_t *mask) {
    prepare();
    CONVERTED(wait, real(from_spec(*wait)), wait);
    return libc_ppoll(files, count, wait, mask);
}

int poll(struct pollfd *files, nfds_t count, int wait) {
    struct timespec spec = to_spec(wait * 1000000LL);
    return ppoll(files, count, wait < 0 ? NULL : &spec, NULL);
}

static int milliseconds(int wait) { return wait < 0 ? wait : (int)real(wait); }

int epoll_wait(int file, struct epoll_event *events, int count, int wait) {
    prepare();
    return libc_epoll_wait(file, events, count, milliseconds(wait));
}

int epoll_pwait(int file, struct epoll_event *events, int count, int wait, const sigset_t *mask) {
    prepare();
    return libc_epoll_pwait(file, events, count, milliseconds(wait), mask);
}

int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
           struct timeval *restrict wait) {
    prepare();
    struct timeval spec = wait ? to_val(real(from_val(*wait)) + 999) : (struct timeval){0, 0};
    int ready = libc_select(count, in, out, other, wait ? &spec : NULL);
    if (wait) *wait = to_val(seen(from_val(spec)));
    return ready;
}

int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
            const struct timespec *restrict wait, const sigset_t *restrict mask) {
    prepare();
    CONVERTED(wait, real(from_spec(*wait)), wait);
    return libc_pselect(count, in, out, other, wait, mask);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    prepare();
    CONVERTED(until, real_at(CLOCK_REALTIME, from_spec(*until)), until);
    return libc_sem_timedwait(semaphore, until);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t id, const struct timespec *restrict until) {
    prepare();
    CONVERTED(until, real_at(id, from_spec(*until)), until);
    return libc_sem_clockwait(semaphore, id, until);
}

/* glibc keeps the clock of a condition variable in the second bit of this field. */
static clockid_t clock_of(pthread_cond_t *condition) {
    return condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    prepare();
    CONVERTED(until, real_at(clock_of(condition), from_spec(*until)), until);
    return libc_pthread_cond_timedwait(condition, mutex, until);
}

int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t id,
                           const struct timespec *restrict until) {
    prepare();
    CONVERTED(until, real_at(id, from_spec(*until)), until);
    return libc_pthread_cond_clockwait(condition, mutex, id, until);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    prepare();
    CONVERTED(until, real_at(CLOCK_REALTIME, from_spec(*until)), until);
    return libc_pthread_mutex_timedlock(mutex, until);
}

int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict got, const struct timespec *restrict wait) {
    prepare();
    CONVERTED(wait, real(from_spec(*wait)), wait);
    return libc_sigtimedwait(set, got, wait);
}

/* Timers. Those of processor time are scaled like those of wall time. */

static void timer_seen(struct itimerval *timer) {
    timer->it_value = to_val(seen(from_val(timer->it_value)));
    timer->it_interval = to_val(seen(from_val(timer->it_interval)));
}

int setitimer(__itimer_which_t which, const struct itimerval *restrict new, struct itimerval *restrict old) {
    prepare();
    struct itimerval scaled;
    if (new) {
        scaled.it_value = to_val(real(from_val(new->it_value)) + 999);
        scaled.it_interval = to_val(real(from_val(new->it_interval)) + 999);
        if (!from_val(new->it_value)) scaled.it_value = new->it_value;
        if (!from_val(new->it_interval)) scaled.it_interval = new->it_interval;
    }
    int failed = libc_setitimer(which, new ? &scaled : NULL, old);
    if (!failed && old) timer_seen(old);
    return failed;
}

int getitimer(__itimer_which_t which, struct itimerval *timer) {
    prepare();
    int failed = libc_getitimer(which, timer);
    if (!failed) timer_seen(timer);
    return failed;
}

unsigned alarm(unsigned seconds) {
    struct itimerval new = {.it_value = {seconds, 0}}, old = {0};
    setitimer(ITIMER_REAL, &new, &old);
    return old.it_value.tv_sec + (old.it_value.tv_usec > 0);
}

/* Only relative timers, which are all that the suite could use: the clock of an absolute one is known to the kernel. */
int timerfd_settime(int file, int flags, const struct itimerspec *new, struct itimerspec *old) {
    prepare();
    struct itimerspec scaled = {to_spec(real(from_spec(new->it_interval))), to_spec(real(from_spec(new->it_value)))};
    if (flags & TFD_TIMER_ABSTIME) return errno = ENOTSUP, -1;
    int failed = libc_timerfd_settime(file, flags, &scaled, old);
    if (!failed && old) {
        old->it_value = to_spec(seen(from_spec(old->it_value)));
        old->it_interval = to_spec(seen(from_spec(old->it_interval)));
    }
    return failed;
}

int timerfd_gettime(int file, struct itimerspec *timer) {
    prepare();
    int failed = libc_timerfd_gettime(file, timer);
    if (!failed) {
        timer->it_value = to_spec(seen(from_spec(timer->it_value)));
        timer->it_interval = to_spec(seen(from_spec(timer->it_interval)));
    }
    return failed;
}

/* The limit of processor time, which the kernel keeps in whole real seconds. */

static void limit_seen(struct rlimit *limit) {
    if (limit->rlim_cur != RLIM_INFINITY) limit->rlim_cur = seen(limit->rlim_cur);
    if (limit->rlim_max != RLIM_INFINITY) limit->rlim_max = seen(limit->rlim_max);
}

static struct rlimit limit_real(struct rlimit limit) {
    if (limit.rlim_cur != RLIM_INFINITY) limit.rlim_cur = real(limit.rlim_cur);
    if (limit.rlim_max != RLIM_INFINITY) limit.rlim_max = real(limit.rlim_max);
    return limit;
}

int getrlimit(__rlimit_resource_t which, struct rlimit *limit) {
    prepare();
    int failed = libc_getrlimit(which, limit);
    if (!failed && which == RLIMIT_CPU) limit_seen(limit);
    return failed;
}

int setrlimit(__rlimit_resource_t which, const struct rlimit *limit) {
    prepare();
    struct rlimit scaled = which == RLIMIT_CPU ? limit_real(*limit) : *limit;
    return libc_setrlimit(which, &scaled);
}

int prlimit(pid_t pid, __rlimit_resource_t which, const struct rlimit *new, struct rlimit *old) {
    prepare();
    struct rlimit scaled;
    if (new) scaled = which == RLIMIT_CPU ? limit_real(*new) : *new;
    int failed = libc_prlimit(pid, which, new ? &scaled : NULL, old);
    if (!failed && old && which == RLIMIT_CPU) limit_seen(old);
    return failed;
}

/* How long a process ran and waited for a processor, in nanoseconds: /proc/PID/schedstat. */

int open(const char *path, int flags, ...) {
    prepare();
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    int file = libc_open(path, flags, mode);
    const char *end = file < 0 || strncmp(path, "/proc/", 6) ? NULL : strrchr(path, '/');
    if (!end || strcmp(end, "/schedstat")) return file;
    char text[128] = "";
    long long ran, waited, slices;
    ssize_t length = read(file, text, sizeof text - 1);
    if (length <= 0 || sscanf(text, "%lld %lld %lld", &ran, &waited, &slices) != 3) return file;
    int copy = memfd_create("schedstat", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    if (copy < 0) return lseek(file, 0, SEEK_SET), file;
    dprintf(copy, "%lld %lld %lld\n", seen(ran), seen(waited), slices);
    lseek(copy, 0, SEEK_SET);
    close(file);
    return copy;
}

/* glibc's names for files above 2 GiB, which on 64-bit systems are the same functions. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int getrlimit64(__rlimit_resource_t which, struct rlimit64 *limit) { return getrlimit(which, (struct rlimit *)limit); }
int setrlimit64(__rlimit_resource_t which, const struct rlimit64 *limit) {
    return setrlimit(which, (const struct rlimit *)limit);
}
int prlimit64(pid_t pid, __rlimit_resource_t which, const struct rlimit64 *new, struct rlimit64 *old) {
    return prlimit(pid, which, (const struct rlimit *)new, (struct rlimit *)old);
}

/* Every program that is started preloads this library, whatever environment it is given. After vfork, only the stack
   may be written. */

#define PRELOAD "LD_PRELOAD="
static size_t size_of(char *const *environment) {
    size_t count = 0;
    while (environment && environment[count]) count++;
    return count + 2;
}

static char **with_preload(char *const *environment, char **room) {
    size_t count = 0;
    room[0] = PRELOAD LIBRARY; /* unless the environment names another library, as a run within this run does */
    for (; environment && *environment; environment++)
        if (strncmp(*environment, PRELOAD, strlen(PRELOAD))) room[++count] = *environment;
        else room[0] = *environment;
    room[count + 1] = NULL;
    return room;
}

int execve(const char *path, char *const arguments[], char *const environment[]) {
    prepare();
    char *room[size_of(environment)];
    return libc_execve(path, arguments, with_preload(environment, room));
}

int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }

int execvpe(const char *file, char *const arguments[], char *const environment[]) {
    prepare();
    char *room[size_of(environment)];
    return libc_execvpe(file, arguments, with_preload(environment, room));
}

int execvp(const char *file, char *const arguments[]) { return execvpe(file, arguments, environ); }

int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
                const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                char *const environment[restrict]) {
    prepare();
    char *room[size_of(environment)];
    return libc_posix_spawn(pid, path, actions, attributes, arguments, with_preload(environment, room));
}

int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
                 const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                 char *const environment[restrict]) {
    prepare();
    char *room[size_of(environment)];
    return libc_posix_spawnp(pid, file, actions, attributes, arguments, with_preload(environment, room));
}
