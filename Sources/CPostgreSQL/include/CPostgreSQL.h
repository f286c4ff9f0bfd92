// The functions of libpq that we call, found at run time: a program that never opens a PostgreSQL store needs neither
// libpq nor the twenty libraries it brings along.
//
// The types and values are those of libpq.so.5, whose interface has been stable since PostgreSQL 8.2; the newest function
// here is of PostgreSQL 9.3.
#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

#include <stdint.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;

// PQconninfoOption.
typedef struct {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} CPQOption;

enum {
    CPQ_CONNECTION_OK = 0,
    CPQ_COMMAND_OK = 1,
    CPQ_TUPLES_OK = 2,
    CPQ_FORMAT_BINARY = 1,
};

// PG_DIAG_*.
enum {
    CPQ_DIAG_SEVERITY = 'V', // never translated; since PostgreSQL 9.6
    CPQ_DIAG_SQLSTATE = 'C',
    CPQ_DIAG_MESSAGE = 'M',
};

// Loads libpq.so.5 once.
//
// Returns null, or what is missing, in the words of the dynamic linker.
const char *cpq_load(void);

// Each is libpq's function of that name; none may be called before cpq_load returned null.
CPQOption *cpq_conninfoParse(const char *text, char **problem);
void cpq_conninfoFree(CPQOption *options);
void cpq_freemem(void *memory);
PGconn *cpq_connectdbParams(const char *const *keywords, const char *const *values, int expand);
void cpq_finish(PGconn *connection);
int cpq_status(const PGconn *connection);
char *cpq_errorMessage(const PGconn *connection);
int cpq_serverVersion(const PGconn *connection);
int cpq_backendPID(const PGconn *connection);
PGresult *cpq_exec(PGconn *connection, const char *sql);
PGresult *cpq_execParams(
    PGconn *connection, const char *sql, int count, const uint32_t *types, const char *const *values,
    const int *lengths, const int *formats, int resultFormat);
int cpq_resultStatus(const PGresult *result);
char *cpq_resultErrorField(const PGresult *result, int field);
int cpq_ntuples(const PGresult *result);
int cpq_nfields(const PGresult *result);
char *cpq_cmdTuples(PGresult *result);
char *cpq_cmdStatus(PGresult *result);
uint32_t cpq_ftype(const PGresult *result, int column);
int cpq_getisnull(const PGresult *result, int row, int column);
int cpq_getlength(const PGresult *result, int row, int column);
char *cpq_getvalue(const PGresult *result, int row, int column);
void cpq_clear(PGresult *result);
PGcancel *cpq_getCancel(PGconn *connection);
int cpq_cancel(PGcancel *cancel, char *problem, int size);
void cpq_freeCancel(PGcancel *cancel);
void cpq_setNoticeReceiver(PGconn *connection, void (*receive)(void *, const PGresult *), void *context);

#endif
