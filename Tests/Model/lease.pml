/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: the swift-request-authorization authors
 *
 * The lease in a record of a database. The numbers are the steps of Documentation/Design/Fleet.md. Hosts refresh one token.
 * A call is asked, made and answered. In between, other hosts act and time passes, as if this host were stopped. A host may be
 * killed and start anew, and an answer may be lost.
 *
 * .ci/check-model runs it with HOSTS; TICKS, the time that passes; RENEWALS of each lease, KILLS and LOSSES of answers, at most;
 * and once with each BREAK of a rule, which it must find.
 */
#define L 3             /* a lease; ENDED is 1.05 of it in whole ticks */
#define ENDED 4
#define D 1             /* the deadline of a token request */
#define watchesFromTheAsk (BREAK == 1)
#define countsFromTheAnswer (BREAK == 2)
#define announcesWithoutLease (BREAK == 3)
#define ignoresFailedIntents (BREAK == 4)
#define savesEqualOverEqual (BREAK == 5)
#define savesWithoutCompare (BREAK == 6)

/* `intent` is the generation that it is for and one. `holder` is the id of a lease. 0 is none. */
typedef Record { byte generation, token, intent, holder, beat }
#define copy(a, b) a.generation = b.generation; a.token = b.token; a.intent = b.intent; a.holder = b.holder; a.beat = b.beat
#define same(a, b) (a.generation == b.generation && a.token == b.token && a.intent == b.intent && a.holder == b.holder \
    && a.beat == b.beat)

mtype = { idle, asking, reading, leasing, announcing, ready, sent, saving };
mtype:beat = { none, asked, renewed, lost };
typedef Host {
    mtype phase = idle; mtype:beat renewal = none; byte refreshes = 1, renewals = RENEWALS, leases;
    byte generation, token, fresh; bool isNew;  /* what it uses, the new token, and whether it has read nothing yet */
    Record seen, next; bool isMade, isDone; byte askedAt, beatAskedAt;      /* the call under way: what replaces what */
    byte watched, watchedBeat, since;           /* the lease of another host */
    byte lease, leasedAt, announcedAt; bool isOver, hasIntent               /* its own */
}
Host h[HOSTS];
Record db;
byte now, kills, losses, issued, access, k, versions[9];    /* the token of each generation */

#define my h[_pid]
#define holds (my.lease && db.holder == my.lease)
#define counts(n) (h[n].lease && !h[n].isOver && h[n].leasedAt + L > now)
#define countedFrom(time) (countsFromTheAnswer -> now : time)
#define loses losses < LOSSES -> losses++

inline write(new) {
    assert(new.intent == db.intent || new.intent == 0 || new.intent == new.generation + 1);     /* never a stale intent */
    assert(new.generation >= db.generation);                                /* never an older token over a newer one */
    assert(versions[new.generation] == 0 || versions[new.generation] == new.token);     /* one version, one token */
    versions[new.generation] = new.token;
    copy(db, new)
}

inline checkAccess() {      /* Time only ends access, so it is checked when a lease begins to count. */
    for (k : 0 .. HOSTS - 1) { access = access + (counts(k) -> 1 : 0) }
    assert(access <= 1);
    access = 0; k = 0
}

inline stopWatching() { my.watched = 0; my.watchedBeat = 0; my.since = 0 }

inline forget() {
    my.phase = idle; my.renewal = none; my.isNew = false; my.isMade = false; my.isDone = false; my.askedAt = 0;
    my.beatAskedAt = 0; my.lease = 0; my.leasedAt = 0; my.announcedAt = 0; my.isOver = false; my.hasIntent = false; my.fresh = 0;
    my.seen.generation = 0; my.seen.token = 0; my.seen.intent = 0; my.seen.holder = 0; my.seen.beat = 0; copy(my.next, my.seen)
}

inline finish() {           /* 8, and the end of a refresh: the host uses what is stored (3) */
    if :: holds -> db.holder = 0 :: else fi;
    forget();
    /* What the host does not use any more makes no other state. */
    my.refreshes--; my.generation = 0; my.token = 0; my.renewals = 0; my.leases = 0; stopWatching()
}

active [HOSTS] proctype Run() {
    do
    :: d_step { my.phase == idle && my.refreshes && watchesFromTheAsk -> my.phase = asking; my.askedAt = now }
    :: d_step { my.phase == asking || my.phase == idle && my.refreshes && !watchesFromTheAsk ->
        copy(my.seen, db); my.phase = reading }
    :: d_step { my.phase == reading ->                                                                      /* 1 */
        if
        :: my.seen.holder == 0 -> stopWatching()
        :: my.seen.holder && (my.seen.holder != my.watched || my.seen.beat != my.watchedBeat) ->
            my.watched = my.seen.holder; my.watchedBeat = my.seen.beat; my.since = (watchesFromTheAsk -> my.askedAt : now)
        :: else
        fi;
        if :: my.isNew -> my.generation = my.seen.generation; my.token = my.seen.token; my.isNew = false :: else fi;
        if
        :: my.seen.generation > my.generation -> finish()                                                   /* 3 */
        :: my.seen.generation <= my.generation && (my.seen.holder == 0 || now - my.since >= ENDED) ->       /* 2 */
            my.leases++; my.askedAt = now; my.phase = leasing; copy(my.next, my.seen);
            my.next.holder = my.leases * HOSTS + _pid; my.next.beat++
        :: else -> forget()
        fi }
    :: d_step { my.phase == leasing && !my.isMade ->    /* for the second time if the answer was lost */
        if :: same(db, my.seen) -> write(my.next); my.isDone = true :: else -> my.isDone = same(db, my.next) fi;
        my.isMade = true }
    :: d_step { (my.phase == leasing || my.phase == announcing) && my.isMade && my.isDone && loses; my.isMade = false }
    :: d_step { my.phase == leasing && my.isMade ->
        if
        :: my.isDone -> my.lease = my.next.holder; my.leasedAt = countedFrom(my.askedAt); my.askedAt = now;
            my.phase = announcing; stopWatching(); checkAccess()
        :: else -> my.phase = idle; my.askedAt = 0
        fi;
        my.isMade = false; my.isDone = false }
    :: d_step { my.phase == announcing && !my.isMade ->                 /* 5: decided anew if the record has changed */
        my.isDone = (announcesWithoutLease -> holds || db.holder == 0 :
            holds && db.generation == my.generation && db.token == my.token);
        if :: my.isDone -> copy(my.next, db); my.next.intent = my.generation + 1; write(my.next) :: else fi;
        my.isMade = true }
    :: d_step { my.phase == announcing && my.isMade ->
        my.hasIntent = my.isDone; my.announcedAt = countedFrom(my.askedAt); my.phase = ready;
        my.isMade = false; my.isDone = false; my.askedAt = 0;
        if :: !my.hasIntent && !ignoresFailedIntents -> finish() :: else fi }
    :: d_step { my.phase == ready ->                                                                        /* 6 */
        if
        :: (!counts(_pid) || my.leasedAt + L - now < D + 1 || (now - my.announcedAt) * 2 >= L) && !ignoresFailedIntents -> finish()
        :: else -> assert(my.hasIntent); my.phase = sent            /* never sent without an intent */
        fi }
    :: d_step { my.phase == sent -> issued++; my.fresh = issued; my.phase = saving }
    :: d_step { my.phase == sent && loses; issued++; finish() }
    :: d_step { my.phase == saving ->                                   /* 7: decided anew if the record has changed */
        copy(my.next, db);
        if
        :: db.generation <= my.generation || savesWithoutCompare -> my.next.generation = my.generation + 1  /* 7a */
        :: db.generation == my.generation + 1 && holds && !savesWithoutCompare -> my.next.generation++      /* 7b */
        :: else
        fi;
        if
        :: my.next.generation != db.generation || savesWithoutCompare || savesEqualOverEqual ->
            my.next.token = my.fresh; my.next.intent = (db.intent == my.generation + 1 -> 0 : db.intent); write(my.next)
        :: else                                                                                             /* 7c */
        fi;
        finish() }
    :: d_step { my.phase == sent && my.renewals && my.renewal == none ->                                    /* 4 */
        my.renewals--; my.renewal = asked; my.beatAskedAt = now }
    :: d_step { my.renewal == asked ->
        if :: holds && !my.isOver -> db.beat++; my.renewal = renewed :: else -> my.renewal = lost fi }
    :: d_step { my.renewal == renewed -> my.leasedAt = countedFrom(my.beatAskedAt); my.renewal = none; checkAccess() }
    :: d_step { my.renewal == lost -> my.isOver = true; my.renewal = none }
    :: d_step { my.refreshes && kills < KILLS ->                        /* it is killed, and starts anew */
        kills++; forget(); stopWatching(); my.generation = 0; my.token = 0; my.isNew = true }
    :: my.refreshes == 0 -> break
    od
}

active proctype Time() { do :: now < TICKS -> now++ :: now == TICKS -> break od }
