// What Swift's Glibc module leaves out: epoll, and what is declared for _GNU_SOURCE alone.
#pragma once
#include <sched.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/types.h>

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
void *memmem(const void *haystack, size_t haystack_size, const void *needle, size_t needle_size);
