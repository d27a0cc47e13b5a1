/** Characters of a note. */
export const MAX_NOTE_LENGTH = 1000;

/** How often an open stream of calls sends something. */
export const HEARTBEAT_MS = 4_000;

/** A screen that hears nothing for this time, ms, has lost its connection: within 10 s it says so. */
export const MAX_SILENCE_MS = 9_000;
