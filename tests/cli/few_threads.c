/* Lets a process have MAX_THREADS threads beside its first. Limits of the system do not hold for root. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef void *(*function)(void *);
struct job {
    function run;
    void *argument;
};

static atomic_int count;

static void end(void *unused) {
    (void)unused;
    atomic_fetch_sub(&count, 1);
}

static void *run(void *pointer) {
    struct job job = *(struct job *)pointer;
    void *result;
    free(pointer);
    pthread_cleanup_push(end, NULL);
    result = job.run(job.argument);
    pthread_cleanup_pop(1);
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, function start, void *argument) {
    int (*create)(pthread_t *, const pthread_attr_t *, function, void *) = dlsym(RTLD_NEXT, "pthread_create");
    const char *most = getenv("MAX_THREADS");
    if (atomic_fetch_add(&count, 1) >= (most ? atoi(most) : 1 << 20)) {
        atomic_fetch_sub(&count, 1);
        return EAGAIN;
    }
    struct job *job = malloc(sizeof *job);
    job->run = start;
    job->argument = argument;
    int failed = create(thread, attributes, run, job);
    if (failed) {
        atomic_fetch_sub(&count, 1);
        free(job);
    }
    return failed;
}
