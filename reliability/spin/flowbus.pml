/* Clients, the bus and flowbusd with its store, where any of them can die between any two steps.
 *
 * Each client emits one step with a token, and repeats it until it is answered; then it emits a step that changes nothing, and claims
 * a presentable that all clients want. flowbusd answers what changes the tree when its store has it (D-1). `check` verifies the
 * properties at the end, and that each mistake (a macro) breaks the one that it should.
 *
 * With TRACES there is one client, which repeats its token as a word of a recorded trace says, and the model is the judge of the word.
 *
 * Left out: guards, navigators and presenters; slices; --replace; a bus that dies; files that are damaged.
 */

#ifndef CRASHES
#define CRASHES 2        /* how often flowbusd dies */
#endif
#ifndef DEATHS
#define DEATHS 1         /* how many clients die */
#endif
#ifdef TRACES
#define CLIENTS 1
#else
#define CLIENTS 2
#endif
#define BLOCK 5          /* serials that are reserved at once (D-2); as many as all steps of a life need */

#define NONE 255         /* no outcome is known */
#define UNHANDLED 0      /* the outcome of a step for which no rule was found; others are serials */

mtype = { emit, nop, claim, gone, answer, noreply };

/* What flowbusd has on its store, and in its memory. */
typedef Content {
    byte outcome[CLIENTS];   /* by token */
    byte count[CLIENTS];     /* how often the step was taken; no part of flowbusd, but of what is to be shown */
    byte owner;              /* of the presentable: 1 + client, 0 for nobody */
    byte last;               /* the latest serial */
}
Content stored, memory;
byte reserved = 1;           /* serials below are used, or may be */
byte serial;

/* Effects that wait for the commit, in order; `ready` of them were committed and are sent one by one. */
chan gate = [6] of { mtype, byte, byte };
byte ready;
bool isServing, isConnected, isDirty;

/* What the bus delivers, and the calls to which it owes an answer. */
chan toService = [6] of { mtype, byte };
chan toClient[CLIENTS] = [6] of { mtype, byte };
byte unanswered[CLIENTS];

bool isAlive[CLIENTS] = true, hasEmitted[CLIENTS], holds[CLIENTS];
byte got[CLIENTS] = NONE, seenBy[20];
byte crashes = CRASHES, deaths = DEATHS;

#ifdef TRACES
/* The words, made by `check`; `want` and `value` are the next symbol of the one that is judged. */
c_decl { \#include "words.h" }
int word, position;
byte wantKind, wantValue;
bool isTaking;
#define CALL 1           /* flowbusd gets the call */
#define TAKEN 2          /* the step has navigated, with this serial */
#define REPLY 3          /* this answer waits for the commit */
#define ANSWER 4         /* the client got this answer */
#define CRASH 5
#define GONE 6           /* flowbusd learns that the client is gone */
#define LAST 7
#define see(KIND, VALUE) (wantKind == KIND && wantValue == (VALUE)); c_code { advance(&now.position, now.word, &now.wantKind, &now.wantValue); }
#define canSee(KIND) (wantKind == KIND)
#else
#define see(KIND, VALUE) skip
#define canSee(KIND) true
#endif

/* MARK: The bus */

inline call(kind, c) {
    toService!kind(c);
    unanswered[c]++
}

inline reply(c, value) {
    if
    :: isAlive[c] && unanswered[c] > 0 -> toClient[c]!answer(value); unanswered[c]--
    :: else
    fi
}

/* MARK: flowbusd */

/* Sends an effect when the commit has let it through. */
inline hold(c, value) {
#ifdef ANSWERS_BEFORE_COMMIT
    reply(c, value)
#else
    gate!answer(c, value)
#endif
}

inline commit() {
#ifdef COMMITS_TOKENS_APART
    /* What a step led to is in one transaction, its token in the next. */
    stored.count[0] = memory.count[0]; stored.count[CLIENTS - 1] = memory.count[CLIENTS - 1];
    stored.owner = memory.owner; stored.last = memory.last;
    if
    :: tokensAreDue = true
    :: copy_tokens()
    fi;
#else
    copy_tokens();
    stored.count[0] = memory.count[0]; stored.count[CLIENTS - 1] = memory.count[CLIENTS - 1];
    stored.owner = memory.owner; stored.last = memory.last;
#endif
    isDirty = false;
    ready = len(gate)
}

inline copy_tokens() {
    stored.outcome[0] = memory.outcome[0]; stored.outcome[CLIENTS - 1] = memory.outcome[CLIENTS - 1]
}

inline take(c) {
    begin_taking();
#ifdef ONE_TOKEN_FOR_ALL
    t = 0;
#else
    t = c;
#endif
    if
    :: memory.outcome[t] != NONE ->
#ifdef REPEATS_WITHOUT_COMMIT
        see(REPLY, memory.outcome[t]);
        reply(c, memory.outcome[t])
#else
        see(REPLY, memory.outcome[t]);
        hold(c, memory.outcome[t])
#endif
    :: else ->
        if
        ::  next_serial();
            see(TAKEN, serial);
            memory.count[c]++;
            memory.outcome[t] = serial;
            memory.last = serial
        /* A step that no rule takes. */
        ::  memory.outcome[t] = UNHANDLED
        fi;
        isDirty = true;
        see(REPLY, memory.outcome[t]);
        hold(c, memory.outcome[t])
    fi;
    end_taking()
}

/* What follows from a call is one event of a trace. */
inline begin_taking() {
    see(CALL, 0);
#ifdef TRACES
    isTaking = true
#else
    skip
#endif
}

inline end_taking() {
#ifdef TRACES
    isTaking = false
#else
    skip
#endif
}

inline next_serial() {
#ifdef TRACES
    wantKind == TAKEN; serial = wantValue
#else
    serial++
#endif
}

inline start() {
    isConnected = true;
    memory.outcome[0] = stored.outcome[0]; memory.outcome[CLIENTS - 1] = stored.outcome[CLIENTS - 1];
    memory.count[0] = stored.count[0]; memory.count[CLIENTS - 1] = stored.count[CLIENTS - 1];
    memory.owner = stored.owner; memory.last = stored.last;
#ifdef FORGETS_TOKENS
    memory.outcome[0] = NONE; memory.outcome[CLIENTS - 1] = NONE;
#endif
#ifdef FORGETS_OWNERS
    memory.owner = 0;
#endif
#ifdef RESERVES_NO_SERIALS
    serial = stored.last;
#else
    serial = reserved;
    reserved = reserved + BLOCK;
#endif
    isDirty = false
}

inline crash() {
    crashes--;
    see(CRASH, 0);
    isServing = false; isConnected = false; ready = 0;
    do
    :: nempty(toService) -> toService?kind, c
    :: nempty(gate) -> gate?kind, c, value
    :: empty(toService) && empty(gate) -> break
    od;
    /* The bus tells each caller. */
    for (c : 0 .. CLIENTS - 1) {
        do
        :: unanswered[c] > 0 -> toClient[c]!noreply(0); unanswered[c]--
        :: else -> break
        od
    }
    kind = 0; c = 0; value = 0; t = 0
}

bool tokensAreDue;

active proctype service() {
    byte c, t, value;
    mtype kind;
boot:
    atomic { start() };
    /* Owners that have left while nobody was told of it (D-3). Who leaves from now on, the bus reports. */
#ifndef CHECKS_NO_OWNERS
    atomic {
        if
        :: memory.owner != 0 && !isAlive[memory.owner - 1] -> memory.owner = 0; isDirty = true
        :: else
        fi
    };
#endif
    isServing = true;
    /* It may wait here for ever, which no client may. */
endServing:
    do
    :: atomic { canSee(CALL) && toService?[emit, _] -> toService?emit(c); take(c); c = 0; t = 0 }
#ifndef TRACES
    /* Nothing changes, so nothing is written (D-2). */
    :: atomic { toService?nop(c) -> serial++; reply(c, serial); c = 0 }
    :: atomic {
            toService?claim(c) ->
            if
            :: memory.owner == 0 || memory.owner == c + 1 -> memory.owner = c + 1; isDirty = true; hold(c, 1)
            :: else -> hold(c, 0)
            fi;
            c = 0
        }
#endif
    :: atomic {
            canSee(GONE) && toService?[gone, _] -> toService?gone(c);
            see(GONE, 0);
            if
            :: memory.owner == c + 1 -> memory.owner = 0; isDirty = true
            :: else
            fi;
            c = 0
        }
    :: atomic { isDirty || ready < len(gate) -> commit() }
    :: atomic { ready > 0 -> gate?kind, c, value; ready--; reply(c, value); c = 0; value = 0; kind = 0 }
#ifdef COMMITS_TOKENS_APART
    :: atomic { tokensAreDue -> copy_tokens(); tokensAreDue = false }
#endif
    :: atomic { canSee(CRASH) && crashes > 0 -> tokensAreDue = false; crash() }; goto boot
    od
}

/* MARK: Clients */

inline note(value, operation) {
    /* A serial is of one step (S-10). */
    assert(value == UNHANDLED || seenBy[value] == 0 || seenBy[value] == operation);
    if
    :: value != UNHANDLED -> seenBy[value] = operation
    :: else
    fi
}

#ifndef TRACES
proctype client(byte c) {
    byte value, open;
    bool isLost;
    {
        skip;
emitting:
        isLost = false;
        atomic { isServing -> call(emit, c); open = 1; hasEmitted[c] = true };
        /* It may repeat the call before it has an answer, and after it has one. */
        if
        :: atomic { isServing -> call(emit, c); open++ }
        :: skip
        fi;
        do
        :: atomic { open > 0 && toClient[c]?[answer, _] ->
                toClient[c]?answer(value); open--;
                /* The same outcome each time (S-9). */
                assert(got[c] == NONE || got[c] == value);
                got[c] = value; note(value, 1 + c); value = 0 }
        :: atomic { open > 0 && toClient[c]?[noreply, _] -> toClient[c]?noreply(_); open--; isLost = true }
        :: open == 0 && isLost -> goto emitting
        :: open == 0 && !isLost -> break
        od;
        atomic { isServing -> call(nop, c) };
        if
        :: atomic { toClient[c]?answer(value) -> note(value, 11 + c); value = 0 }
        :: toClient[c]?noreply(_)
        fi;
claiming:
        atomic { isServing -> call(claim, c) };
        if
        :: atomic { toClient[c]?answer(value) -> holds[c] = value == 1; value = 0 }
        :: toClient[c]?noreply(_) -> goto claiming
        fi
    } unless { !isAlive[c] }
}

active proctype death() {
    byte c;
    do
    :: deaths > 0 -> atomic {
            if :: c = 0 :: c = 1 fi;
            if
            :: isAlive[c] ->
                deaths--; isAlive[c] = false; holds[c] = false; unanswered[c] = 0;
                do
                :: nempty(toClient[c]) -> toClient[c]?_, _
                :: empty(toClient[c]) -> break
                od;
                if
                :: isConnected -> toService!gone(c)
                :: else
                fi
            :: else
            fi;
            c = 0
        }
    :: break
    od
}

#else
/* A client that repeats its token whenever it likes, sees answers as the word says, and dies when it likes. */
active proctype client() {
    byte value;
endClient:
    do
    :: atomic { !isTaking && isServing && isAlive[0] && unanswered[0] < 6 && nfull(toService) -> call(emit, 0) }
    :: atomic { !isTaking && isAlive[0] && toClient[0]?[answer, _] -> toClient[0]?answer(value);
            if :: wantKind == ANSWER && wantValue == value -> see(ANSWER, value) :: skip fi; value = 0 }
    :: toClient[0]?noreply(_)
    :: atomic { !isTaking && isAlive[0] && isConnected && canSee(GONE) -> isAlive[0] = false; unanswered[0] = 0; toService!gone(0) }
    od
}
#endif

init {
#ifdef TRACES
    atomic {
        do
        :: c_expr { now.word + 1 < WORDS } -> word++
        :: break
        od;
        stored.outcome[0] = NONE; memory.outcome[0] = NONE;
        c_code { now.position = -1; advance(&now.position, now.word, &now.wantKind, &now.wantValue); }
    };
    wantKind == LAST && !isTaking;
    c_code { found(now.word); }
#else
    atomic {
        stored.outcome[0] = NONE; stored.outcome[1] = NONE;
        run client(0); run client(1)
    }
#endif
}

/* MARK: What is to be shown */

#ifndef TRACES
#define isKept(C) (got[C] == NONE || got[C] == UNHANDLED || stored.count[C] == 1)
#define isOnce(C) (memory.count[C] <= 1 && stored.count[C] <= 1)
#define isOwner(C) (!holds[C] || stored.owner == C + 1)

/* A step with a token is taken once, however often it is repeated and whoever dies. */
ltl once { [] (isOnce(0) && isOnce(1)) }
/* What was answered is in the store (D-1). */
ltl kept { [] (isKept(0) && isKept(1)) }
/* Who was told that it owns the presentable owns it until it dies, over all restarts (D-3); so nobody else does. */
ltl owned { [] (isOwner(0) && isOwner(1)) }
/* All three at once. */
ltl safe { [] (isOnce(0) && isOnce(1) && isKept(0) && isKept(1) && isOwner(0) && isOwner(1)) }
/* Who emits and stays gets an answer (S-9), also where others go on for ever. */
ltl answered { [] (hasEmitted[0] -> <> (got[0] != NONE || !isAlive[0])) }

/* When nothing more can happen, nobody who is gone owns anything (S-30). That all others have got their answers is what SPIN calls a
 * valid end state: only flowbusd may wait for ever. */
active proctype rest() {
    timeout -> assert(memory.owner == 0 || isAlive[memory.owner - 1]);
    assert(memory.owner == stored.owner)
}
#endif
