// What a child process does before its program starts, which Swift's own view of the C library leaves out.
#include <spawn.h>

extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
