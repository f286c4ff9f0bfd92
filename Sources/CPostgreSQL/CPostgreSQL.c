#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

// RETURNED TYPE, NAME WITHOUT "PQ", PARAMETERS, ARGUMENTS
#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(CPQOption *, conninfoParse, (const char *text, char **problem), (text, problem))                          \
    FUNCTION(void, conninfoFree, (CPQOption * options), (options))                                                     \
    FUNCTION(void, freemem, (void *memory), (memory))                                                                  \
    FUNCTION(                                                                                                          \
        PGconn *, connectdbParams, (const char *const *keywords, const char *const *values, int expand),               \
        (keywords, values, expand))                                                                                    \
    FUNCTION(void, finish, (PGconn * connection), (connection))                                                        \
    FUNCTION(int, status, (const PGconn *connection), (connection))                                                    \
    FUNCTION(char *, errorMessage, (const PGconn *connection), (connection))                                           \
    FUNCTION(int, serverVersion, (const PGconn *connection), (connection))                                             \
    FUNCTION(int, backendPID, (const PGconn *connection), (connection))                                                \
    FUNCTION(PGresult *, exec, (PGconn * connection, const char *sql), (connection, sql))                              \
    FUNCTION(                                                                                                          \
        PGresult *, execParams,                                                                                        \
        (PGconn * connection, const char *sql, int count, const uint32_t *types, const char *const *values,            \
         const int *lengths, const int *formats, int resultFormat),                                                    \
        (connection, sql, count, types, values, lengths, formats, resultFormat))                                       \
    FUNCTION(int, resultStatus, (const PGresult *result), (result))                                                    \
    FUNCTION(char *, resultErrorField, (const PGresult *result, int field), (result, field))                           \
    FUNCTION(int, ntuples, (const PGresult *result), (result))                                                         \
    FUNCTION(int, nfields, (const PGresult *result), (result))                                                         \
    FUNCTION(char *, cmdTuples, (PGresult * result), (result))                                                         \
    FUNCTION(char *, cmdStatus, (PGresult * result), (result))                                                         \
    FUNCTION(uint32_t, ftype, (const PGresult *result, int column), (result, column))                                  \
    FUNCTION(int, getisnull, (const PGresult *result, int row, int column), (result, row, column))                     \
    FUNCTION(int, getlength, (const PGresult *result, int row, int column), (result, row, column))                     \
    FUNCTION(char *, getvalue, (const PGresult *result, int row, int column), (result, row, column))                   \
    FUNCTION(void, clear, (PGresult * result), (result))                                                               \
    FUNCTION(PGcancel *, getCancel, (PGconn * connection), (connection))                                               \
    FUNCTION(int, cancel, (PGcancel * cancel, char *problem, int size), (cancel, problem, size))                       \
    FUNCTION(void, freeCancel, (PGcancel * cancel), (cancel))

#define POINTER(TYPE, NAME, PARAMETERS, ARGUMENTS) static TYPE(*loaded_##NAME) PARAMETERS;
FUNCTIONS(POINTER)

typedef void (*NoticeReceiver)(void *, const PGresult *);
static NoticeReceiver (*loaded_setNoticeReceiver)(PGconn *, NoticeReceiver, void *);

#define CALL(TYPE, NAME, PARAMETERS, ARGUMENTS)                                                                        \
    TYPE cpq_##NAME PARAMETERS { return loaded_##NAME ARGUMENTS; }
FUNCTIONS(CALL)

void cpq_setNoticeReceiver(PGconn *connection, NoticeReceiver receive, void *context) {
    loaded_setNoticeReceiver(connection, receive, context);
}

static const char *failure;

static void *find(void *library, const char *name) {
    void *function = dlsym(library, name);
    if (function == NULL && failure == NULL) {
        failure = name;
    }
    return function;
}

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        failure = reason == NULL ? "libpq.so.5" : reason;
        return;
    }
#define FIND(TYPE, NAME, PARAMETERS, ARGUMENTS) *(void **)&loaded_##NAME = find(library, "PQ" #NAME);
    FUNCTIONS(FIND)
    *(void **)&loaded_setNoticeReceiver = find(library, "PQsetNoticeReceiver");
}

const char *cpq_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}
