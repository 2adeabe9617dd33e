// ask-peer ROLE LEDGER     ROLE: asker, asker-by-rule, picker
//
// The asker asks for a number, twice, and then ends; once more it is started, and looks that nothing is left. The picker
// saves twice, and answers. Both write what they do into the ledger, from which a test sees whether each answer came
// exactly once. Each can be killed at any moment: the next process goes on.
//
//   ROLE PID present SCREEN INSTANCE REASON COUNT TOKENS     it was called: what it had saved, and the answers
//   ROLE PID save|saved INSTANCE COUNT                       before and after SaveState
//   asker PID asked TOKEN VERDICT                            after the step
//   asker PID answer TOKEN OUTCOME NUMBER                    an answer came, not for the first time perhaps
//   asker PID effect TOKEN NUMBER                            what is done once for each answer
//   asker PID without TOKEN OUTCOME                          the same for other outcomes
//   asker PID ack|acked TOKEN                                before and after AcknowledgeAnswer
//   asker PID done, asker PID over                           the end, and what the process after it found
//   picker PID give|gave INSTANCE NUMBER                     before and after Finish
//   ROLE PID again MEMBER ERROR                              flowbusd died before it answered, so the call is repeated
//   ROLE PID refused MEMBER ERROR, ROLE PID failed WHAT      errors that are allowed, and those that are not
#include "peer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const unsigned rounds = 2;

// The asker's screen; its instance is 0 where there is none.
static struct present form;
// The answers that came.
static struct answer answers[32];
static unsigned known;

// MARK: The asker

// Everything is answered.
static void end(void)
{
    if (!noted("done")) {
        note("done");
        exit(0);
    }
    note("over");
    announce();
}

// Emits the step that shows the picker; false if it is not shown.
static bool emit(bool asks, const char *token)
{
    sd_bus_message *reply = NULL;
    const char *verdict = "";
    const char *error =
        asks ? call(
                   &reply, form.path, "Stepper", "EmitStepWithOptions", "sa{sv}a{sv}", "pick", 0, 2, "ask", "b", true,
                   "token", "s", token)
             : call(
                   &reply, form.path, "Stepper", "EmitStepWithOptions", "sa{sv}a{sv}", "pick", 0, 1, "token", "s",
                   token);
    if (!error) sd_bus_message_read(reply, "ts", NULL, &verdict);
    note("asked %s %s", token, error ? error : verdict);
    bool is_shown = !error && !strcmp(verdict, "navigated");
    sd_bus_message_unref(reply);
    return is_shown;
}

// Whether this token's answer had its effect, in this process or one before it.
static bool had_effect(const char *token)
{
    char line[128];
    snprintf(line, sizeof line, "effect %s ", token);
    if (noted(line)) return true;
    snprintf(line, sizeof line, "without %s ", token);
    return noted(line);
}

static void take_answer(const struct answer *answer)
{
    note("answer %s %s %" PRId64, answer->token, answer->outcome, answer->number);
    if (known < sizeof answers / sizeof *answers) answers[known++] = *answer;
}

static void apply_answer(const char *token)
{
    for (unsigned index = 0; index < known; index++) {
        const struct answer *answer = &answers[index];
        if (strcmp(answer->token, token)) continue;
        if (!strcmp(answer->outcome, "result")) note("effect %s %" PRId64, token, answer->number);
        else note("without %s %s", token, answer->outcome);
        return;
    }
}

static bool acknowledge(const char *token)
{
    note("ack %s", token);
    const char *error = call(NULL, form.path, "Presentable", "AcknowledgeAnswer", "s", token);
    // One that is unknown was acknowledged by a call that had no answer.
    if (error && strcmp(error, "InvalidArguments")) return false;
    note("acked %s", token);
    return true;
}

static void act_as_asker(const struct present *present)
{
    if (present) form = *present;
    if (!form.instance || !show(&form)) return;
    while (true) {
        if (noted("effect ") >= rounds && (!*form.token || had_effect(form.token))) {
            if (*form.token && !acknowledge(form.token)) return;
            *form.token = 0;
            return end();
        }
        if (!*form.token) {
            snprintf(
                form.token, sizeof form.token, "%" PRIu64 "-%u", form.instance, noted("effect ") + noted("without ") + 1);
            if (!save(&form, ++form.count, form.token)) return;
        }
        if (!had_effect(form.token)) apply_answer(form.token);
        if (!had_effect(form.token)) break;
        if (!acknowledge(form.token)) return;
        *form.token = 0;
    }
    // Whatever dies, flowbusd has the answer for whom it has answered this call; a new process can't know whether it was.
    static char asked[sizeof form.token];
    if (!strcmp(asked, form.token)) return;
    if (emit(true, form.token)) snprintf(asked, sizeof asked, "%s", form.token);
}

// MARK: The asker by a rule

static void act_as_asker_by_rule(const struct present *present)
{
    if (present && !strcmp(present->name, "receipt")) {
        char line[64];
        snprintf(line, sizeof line, "effect %" PRId64 " ", present->number);
        if (!noted(line)) note("%s%" PRId64, line, present->number);
        call(NULL, present->path, "Presentable", "Dismiss", "");
        return;
    }
    if (present) form = *present;
    if (!form.instance || !show(&form)) return;
    if (noted("effect ") >= rounds) return end();
    static unsigned emitted;
    char token[64];
    snprintf(token, sizeof token, "%d-%u", (int)getpid(), ++emitted);
    if (save(&form, ++form.count, token)) emit(false, token);
}

// MARK: The picker

static void act_as_picker(const struct present *present)
{
    if (!present || !show(present)) return;
    for (int64_t count = present->count + 1; count <= 2; count++)
        if (!save(present, count, "")) return;
    // Another one in each process.
    int64_t number = (int64_t)present->instance * 10000000 + getpid();
    note("give %" PRIu64 " %" PRId64, present->instance, number);
    if (!call(NULL, present->path, "Presentable", "Finish", "a{sv}", 1, "number", "x", number))
        note("gave %" PRIu64 " %" PRId64, present->instance, number);
}

int main(int count, char **values)
{
    if (count != 3) return 64;
    if (!strcmp(values[1], "picker")) {
        act = act_as_picker;
        begin("picker", "com.example.Picker", values[2]);
    } else {
        act = strcmp(values[1], "asker") ? act_as_asker_by_rule : act_as_asker;
        take = take_answer;
        begin("asker", "com.example.Asker", values[2]);
    }
    serve();
}
