#include "CAPIDescription.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes[] = {
#embed "openapi.yaml"
};

const unsigned char *openapi_yaml(void) { return bytes; }

size_t openapi_yaml_size(void) { return sizeof bytes; }
