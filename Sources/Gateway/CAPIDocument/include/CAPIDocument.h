// The description of the API and the style of the page made of it, as bytes inside the executable: it is one file that
// runs anywhere, so nothing may lie beside it.
#ifndef CAPIDOCUMENT_H
#define CAPIDOCUMENT_H

#include <stddef.h>

/// The file docs/openapi.yaml. Valid for as long as the process lives.
const unsigned char *api_document_bytes(void);
size_t api_document_length(void);

/// The file docs/docs.css.
const unsigned char *api_document_style_bytes(void);
size_t api_document_style_length(void);

#endif
