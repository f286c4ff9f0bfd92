#include <stddef.h>

// In C because Swift takes most of a minute to compile an array of as many bytes.

/// The bytes of openapi.yaml.
const unsigned char *openapi_yaml(void);

/// How many there are.
size_t openapi_yaml_size(void);
