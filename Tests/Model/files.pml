/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: the swift-request-authorization authors
 *
 * Processes that share a token in a file, as Documentation/Design/Stores.md and Losses.md say. A process may be stopped between
 * any two steps, killed, or lose an answer. The machine may lose its power: then a renamed file may have its old content, and
 * data that was not made durable is damaged.
 *
 * .ci/check-model runs it with PROCESSES; REFRESHES that begin ahead of the expiry and FAULTS of all kinds, at most; with STRICT,
 * a server without a grace period; and once with each BREAK of a rule, which it must find.
 */
#define usesNoLock (BREAK == 1)
#define doesNotReadAgain (BREAK == 2)
#define writesNoIntent (BREAK == 3)
#define renamesBeforeSync (BREAK == 4)
#define publishesBeforeSync (BREAK == 5)
#define savesWithoutCompare (BREAK == 6)
#define announcesBeforeSync (BREAK == 7)
#define ENDED 99        /* a tombstone in place of a generation */

mtype = { idle, locking, reading, announcing, sending, writing, renaming, syncing, publishing, clearing, unlocking };
typedef Process {
    mtype phase = idle;
    byte token, fresh;                  /* the generation that it uses, and the new one */
    bool hasLooked, isDurable           /* whether it has read the file, and whether the data of its new file is durable */
}
Process p[PROCESSES];
byte lock, file, disk;                  /* the lock's holder and one; the file as processes see it, and after a loss of power */
bool isPending, isWhole = true;         /* whether a rename is not durable yet, and whether the data of that file is */
byte intent, diskIntent;                /* the generation that is being exchanged and one; 0 is none */
byte current, faults, begun, i;         /* the generation that the server expects */
bool isUsed, isRevoked, mayBeLost, isSignedOut;

#define my p[_pid]
#define fails faults < FAULTS -> faults++
#define isIdle(n) (p[n].phase == idle && p[n].hasLooked)
#define isAlive (file != ENDED && !isRevoked)
inline forget(n) { p[n].phase = idle; p[n].fresh = 0; p[n].hasLooked = false; p[n].isDurable = false }
inline unlock() { if :: lock == _pid + 1 -> lock = 0 :: else fi }
inline sync() { disk = file; isPending = false; isWhole = true }

/* With a grace period the server takes the spent token again, while its successor was not used. */
inline present(spent) {
    if
    :: spent == current && !isRevoked
    :: else ->
        assert(mayBeLost);                                  /* none is sent twice unless the answer was lost */
        assert(STRICT || !isUsed && spent + 1 == current);  /* with a grace period no session is lost */
        isRevoked = STRICT; current = current - !STRICT
    fi;
    if :: !isRevoked -> current++; isUsed = false; my.fresh = current :: else -> file = ENDED fi
}

active [PROCESSES] proctype Run() {
end: do
    :: d_step { my.phase == idle && isAlive && !my.hasLooked ->     /* an open intent is a reason to refresh at once */
        my.token = file; my.hasLooked = true; my.phase = (intent == file + 1 -> locking : idle) }
    :: d_step { isIdle(_pid) && isAlive && begun < REFRESHES -> begun++; my.phase = locking }
    :: d_step { my.phase == locking && (lock == 0 || usesNoLock) -> lock = _pid + 1; my.phase = reading }
    :: d_step { my.phase == reading ->                              /* a sibling was there before, or a sign-out */
        if :: file != my.token && !doesNotReadAgain -> my.token = file; my.phase = unlocking :: else -> my.phase = announcing fi }
    :: d_step { my.phase == announcing ->                           /* first the rename of a sibling that was killed */
        if :: !announcesBeforeSync -> sync() :: else fi;
        if :: !writesNoIntent -> intent = my.token + 1; diskIntent = intent :: else fi;
        my.phase = sending }
    :: d_step { my.phase == sending -> present(my.token); my.phase = (isRevoked -> unlocking : writing) }
    :: d_step { my.phase == writing && fails; mayBeLost = true; unlock(); forget(_pid) }    /* the answer was lost */
    :: d_step { my.phase == writing -> my.isDurable = !renamesBeforeSync; my.phase = renaming }
    :: d_step { my.phase == renaming ->
        if
        :: (file == ENDED || file >= my.fresh) && !savesWithoutCompare -> my.phase = unlocking
        :: else ->
            assert(file != ENDED);                          /* a sign-out stays one */
            assert(file < my.fresh);                        /* never an older token over a newer one */
            file = my.fresh; isPending = true; isWhole = my.isDurable; mayBeLost = false; my.phase = syncing
        fi }
    :: d_step { my.phase == syncing -> my.phase = publishing; if :: publishesBeforeSync -> isUsed = true :: else -> sync() fi }
    :: d_step { my.phase == publishing -> sync(); isUsed = true; my.phase = clearing }
    :: d_step { my.phase == clearing -> intent = 0; my.phase = unlocking }      /* durable at some later time */
    :: d_step { my.phase == unlocking -> unlock(); forget(_pid) }
    :: d_step { diskIntent != intent -> diskIntent = intent }
    :: d_step { !isSignedOut && isAlive -> isSignedOut = true; file = ENDED; sync() }       /* it does not wait for the lock */
    :: d_step { my.phase != idle && fails;                                      /* it is killed, and starts anew */
        if :: my.phase == writing || my.phase == renaming -> mayBeLost = true :: else fi;
        unlock(); forget(_pid) }
    od
}

active proctype World() {
end: do
    :: atomic { fails;                                                          /* a loss of power */
        for (i : 0 .. PROCESSES - 1) {
            if :: p[i].phase == writing || p[i].phase == renaming || isPending -> mayBeLost = true :: else fi;
            forget(i)
        }
        i = 0; lock = 0; intent = diskIntent;
        if
        :: isPending -> file = disk; sync()
        :: assert(isWhole); sync()                                              /* never a damaged file */
        fi }
    /* When the access token expires and the grace period is over, all have looked, and nobody is at work. */
    :: d_step { isIdle(0) && isIdle(1) && isIdle(PROCESSES - 1) -> assert(file == ENDED || file == current || STRICT && mayBeLost) }
    od
}
