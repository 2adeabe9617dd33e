// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a file of TOML as JSON. `lines` has the line of each value by its keys, with dots between them.
/// Returns NULL, and says why in `error`, if it can't be read.
json_t *toml_read(const char *file, json_t **lines, char **error);

#ifdef __cplusplus
}
#endif
