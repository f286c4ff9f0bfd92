// The commit a build was made from; see Package.swift. A target of its own, so that little is compiled again when it changes.
const char *skan_build_commit(void);
