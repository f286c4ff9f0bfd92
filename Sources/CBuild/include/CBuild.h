// The commit a release was made from; `unknown` in any other build.
const char *skan_build_commit(void);
