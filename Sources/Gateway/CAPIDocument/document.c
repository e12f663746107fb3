#include "CAPIDocument.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../../docs/openapi.yaml"
};

static const unsigned char style[] = {
#embed "../../../docs/docs.css"
};

const unsigned char *api_document_bytes(void) { return document; }

size_t api_document_length(void) { return sizeof document; }

const unsigned char *api_document_style_bytes(void) { return style; }

size_t api_document_style_length(void) { return sizeof style; }
