// SPDX-License-Identifier: Apache-2.0
// Whether what was typed opens the lock: by a file with the hash of a PIN, or by PAM.
#include "lock.h"

#include <crypt.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <security/pam_appl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pin_file, *pam_service = "flowbus-lock";

// The hash is the first line of a file that nobody else may read or write. Returns what is wrong; NULL for nothing.
static char *read_hash(char *hash, size_t size)
{
    struct stat is;
    int file = open(pin_file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); // A fifo must not keep the lock waiting.
    ssize_t length = file < 0 || fstat(file, &is) ? -1 : read(file, hash, size - 1);
    int error = errno;
    if (file >= 0) close(file);
    if (length < 0) return g_strdup_printf("the file of the PIN '%s' can't be read: %s", pin_file, g_strerror(error));
    if (is.st_mode & 077 || (is.st_uid && is.st_uid != geteuid()))
        return g_strdup_printf("the file of the PIN '%s' has the mode %04o and the owner %u; it has to have the mode 0600, and to be yours or root's",
            pin_file, is.st_mode & 07777, is.st_uid);
    hash[length] = 0;
    hash[strcspn(hash, "\r\n")] = 0;
    if (crypt_checksalt(hash) == CRYPT_SALT_OK) return NULL; // A method that is too weak is not.
    return g_strdup_printf("the file of the PIN '%s' does not begin with a strong hash of crypt(5); `mkpasswd -m yescrypt` prints one", pin_file);
}

static gboolean is_pin(const char *text, char **said)
{
    char hash[CRYPT_OUTPUT_SIZE];
    struct crypt_data data = {0};
    const char *made = (*said = read_hash(hash, sizeof hash)) ? NULL : crypt_r(text, hash, &data);
    gboolean is_right = made && *made != '*' && !strcmp(made, hash);
    explicit_bzero(hash, sizeof hash);
    explicit_bzero(&data, sizeof data);
    return is_right;
}

struct conversation {
    const char *text; // NULL when it was given.
    char *said;
};

// PAM asks once for what was typed, and can tell things. Whatever else it asks gets no answer.
static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
    struct conversation *it = data;
    if (!(*responses = calloc((size_t)count, sizeof **responses))) return PAM_BUF_ERR;
    for (int at = 0; at < count; at++) {
        if (messages[at]->msg_style == PAM_PROMPT_ECHO_OFF && it->text) {
            (*responses)[at].resp = strdup(it->text); // PAM wipes it.
            it->text = NULL;
        } else if (messages[at]->msg_style == PAM_ERROR_MSG || messages[at]->msg_style == PAM_TEXT_INFO) {
            g_free(it->said);
            it->said = g_strdup(messages[at]->msg);
        }
    }
    return PAM_SUCCESS;
}

static gboolean is_password(const char *text, char **said)
{
    struct conversation it = {.text = text};
    struct pam_conv conversation = {converse, &it};
    const struct passwd *user = getpwuid(getuid());
    pam_handle_t *pam = NULL;
    int status = user ? pam_start(pam_service, user->pw_name, &conversation, &pam) : PAM_USER_UNKNOWN;
    if (status == PAM_SUCCESS) status = pam_authenticate(pam, PAM_DISALLOW_NULL_AUTHTOK);
    if (status == PAM_SUCCESS) status = pam_acct_mgmt(pam, PAM_DISALLOW_NULL_AUTHTOK);
    // A password that is right and too old opens, too: it is changed elsewhere.
    gboolean is_right = status == PAM_SUCCESS || status == PAM_NEW_AUTHTOK_REQD;
    if (!is_right && status != PAM_AUTH_ERR && !it.said)
        it.said = g_strdup_printf("PAM, service '%s': %s", pam_service, pam_strerror(pam, status));
    if (pam) pam_end(pam, status);
    *said = it.said;
    return is_right;
}

gboolean secret_is_right(const char *text, char **said)
{
    return pin_file ? is_pin(text, said) : is_password(text, said);
}
