import { within } from '../../shared/process/within.ts';
import { type RecordOptions, usualRecords } from '../cdr/cdr-source.ts';
import type { Connection } from './connection.ts';
import { readGuestContext } from './guest-context.ts';
import { readRecordOptions } from './record-options.ts';
import { readContexts, readDevices } from './snapshot.ts';

/** What a PBX says of itself, as far as it does. */
export type PbxFacts = {
  /** Asterisk's; '' when unknown. */
  readonly version: string;
  readonly records: RecordOptions;
};

/** How long the first snapshot waits for what the bridge can do without, ms: events are held back until then. */
const OPTIONAL_WAIT_MS = 2_000;

type FactHandlers = {
  onFacts(facts: PbxFacts): void;
  /** The context in which calls of each endpoint begin; not called if there is none. */
  onContexts(contexts: readonly [endpoint: string, context: string][], guestContext: string): void;
  onError(error: unknown): void;
};

/** Asks the PBX what it is. Resolves when all is answered, or after a wait; handlers are called later, too. */
export async function askFacts(connection: Connection, { onFacts, onContexts, onError }: FactHandlers) {
  let facts: PbxFacts = { version: '', records: usualRecords };
  let answersPing = false;
  const learn = (version: Partial<PbxFacts>, records: Partial<RecordOptions> = {}): void => {
    facts = { ...facts, ...version, records: { ...facts.records, ...records } };
    onFacts(facts);
  };
  const asked = [
    connection.request({ action: 'Ping' }).then(({ response }) => {
      answersPing = response === 'Success';
    }),
    connection.request({ action: 'CoreSettings' }).then(({ fields }) => {
      // Debian's is followed by what it is made of: `22.10.1+dfsg+~cs6.17.60671434-1`.
      const version = (fields.get('AsteriskVersion') ?? '').replace(/[+~].*/, '');
      learn({ version }, { systemname: fields.get('SystemName') ?? '' });
    }),
    readRecordOptions(connection).then((records) => learn({}, records)),
    Promise.all([
      readDevices(connection).then((devices) => readContexts(connection, devices)),
      readGuestContext(connection),
    ]).then(([contexts, guestContext]) => {
      if (contexts.length > 0) onContexts(contexts, guestContext);
    }),
  ];
  for (const question of asked) question.catch(onError);
  await within(OPTIONAL_WAIT_MS, Promise.all(asked));
  return { facts: () => facts, answersPing: () => answersPing };
}
