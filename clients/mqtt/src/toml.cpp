// SPDX-License-Identifier: Apache-2.0
// Debian has no TOML library for C, and toml++ is the one for C++ that is kept well: this file is all of it that is seen here.
#include "toml.h"

#include <cstring>
#include <exception>
#include <sstream>
#include <string>
#include <toml++/toml.h>

namespace {

void note_lines(const toml::node &node, const std::string &path, json_t *lines) {
    json_object_set_new(lines, path.c_str(), json_integer(node.source().begin.line));
    auto table = node.as_table();
    if (!table) return;
    for (auto &&[key, value] : *table) note_lines(value, (path.empty() ? path : path + ".") + std::string(key.str()), lines);
}

}  // namespace

json_t *toml_read(const char *file, json_t **lines, char **error) {
    *lines = json_object();
    try {
        toml::table table = toml::parse_file(file);
        note_lines(table, "", *lines);
        // What JSON does not have, dates and the like, becomes a text, which is no valid value of any key.
        std::ostringstream text;
        text << toml::json_formatter{table};
        json_error_t problem;
        json_t *object = json_loads(text.str().c_str(), JSON_ALLOW_NUL, &problem);
        if (object) return object;
        *error = strdup((std::string(file) + ": " + problem.text).c_str());
    } catch (const toml::parse_error &problem) {
        std::ostringstream text;
        text << file << ":" << problem.source().begin.line << ": " << problem.description();
        *error = strdup(text.str().c_str());
    } catch (const std::exception &problem) {
        *error = strdup((std::string(file) + ": " + problem.what()).c_str());
    }
    json_decref(*lines);
    *lines = nullptr;
    return nullptr;
}
