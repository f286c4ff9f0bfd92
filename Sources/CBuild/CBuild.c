#include "CBuild.h"

// In a section of its own, which `make release` overwrites: so the build is the same for every commit.
__attribute__((section("skan_commit"), used)) static const char commit[32] = "unknown";

const char *skan_build_commit(void) {
    return commit;
}
