#include "CBuild.h"

const char *skan_build_commit(void) {
    return BUILD_COMMIT;
}
