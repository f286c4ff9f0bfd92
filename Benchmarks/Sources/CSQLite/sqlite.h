// The system's SQLite, with which stores are made beforehand.
#pragma once
#include <sqlite3.h>
