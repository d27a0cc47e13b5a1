import type { ScreenCall } from '../rules/screen-call.ts';
import { type Board, isOver, ownCall, withAbout } from './board.ts';
import { post } from './post.ts';
import type { Screen } from './screen.ts';

/** The user's own call stays this long after its end, ms; longer while its note is not saved. */
const WHILE_MS = 60_000;

type Own = { call: ScreenCall; text: string; state: string };

/** The note of an own call: the text so far and what became of it. */
export type Note = {
  readonly text: string;
  readonly state: string;
  type(text: string): void;
  save(): Promise<void>;
};

/**
 * The user's own calls with their notes. They are kept while pages change, and what is typed is kept until it is saved.
 * `draw` is called after a note was sent.
 */
export function createOwnCalls(screen: Screen, draw: () => void) {
  const key = `own ${screen.uid}`;
  // Another user's, who was signed in here before.
  for (const other of Object.keys(sessionStorage))
    if (other.startsWith('own ') && other !== key) sessionStorage.removeItem(other);
  const own = new Map<string, Own>(JSON.parse(sessionStorage.getItem(key) ?? '[]'));
  const keep = () => sessionStorage.setItem(key, JSON.stringify([...own]));

  const noteOf = (one: Own): Note => ({
    text: one.text,
    state: one.state,
    type(text) {
      Object.assign(one, { text, state: '' });
      keep();
    },
    async save() {
      const { text } = one;
      if (text.trim() === '') return;
      const why = await post(screen, '/call-back', { number: one.call.number, kind: 'note', text });
      if (why === undefined && one.text === text) one.text = '';
      one.state = why ?? screen.words.saved;
      draw();
      document.getElementById(`note-${one.call.id}`)?.focus();
    },
  });

  return {
    size: () => own.size,
    has: (id: string) => own.has(id),
    /** Takes what has become of the calls by `now`. */
    tidy(board: Board, now: number, live: boolean): void {
      const talking = ownCall([...board.values()], screen.extensions);
      if (talking && !own.has(talking.id)) own.set(talking.id, { call: talking, text: '', state: '' });
      for (const [id, one] of own) {
        const known = board.get(id);
        // A page that opens during a call does not hear what is known of the caller.
        if (known) one.call = withAbout(known, one.call);
        // Gone from the board without an end: it ended while this screen was away.
        else if (live && !isOver(one.call))
          one.call = { ...one.call, status: 'completed', completed_at: now };
        const isGone = isOver(one.call) && now - (one.call.completed_at ?? 0) > WHILE_MS;
        const isOnHold = one.call.status === 'answered' && talking !== undefined && talking.id !== id;
        // Somebody else has the caller now.
        const isHandedOn = talking?.id !== id && (one.call.talks?.length ?? 0) > 0;
        if (one.text === '' && (isGone || isOnHold || isHandedOn)) own.delete(id);
      }
      keep();
    },
    /** Those to show, the one that goes on first. Without a live stream only those with a note. */
    shown: (live: boolean) =>
      [...own.values()]
        .filter(({ text }) => live || text !== '')
        .sort((a, b) => Number(isOver(a.call)) - Number(isOver(b.call)))
        .map((one) => ({ call: one.call, note: noteOf(one) })),
  };
}
