import type { Clock } from '../../shared/process/clock.ts';
import type { EndpointsConfigured } from '../calls/input.ts';
import type { RecordOptions } from '../cdr/cdr-source.ts';
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts';
import type { AmiFailure } from './failure.ts';
import { readGuestContext } from './guest-context.ts';
import { createCounters } from './link-log.ts';
import { ConnectionEnded } from './pending-requests.ts';
import { readRecordOptions } from './record-options.ts';
import { readContexts, readDevices } from './snapshot.ts';

/** What call records are judged by. */
export type PbxConfiguration = Pick<EndpointsConfigured, 'contexts' | 'guestContext'> & {
  readonly records: RecordOptions;
};

/** A big FreePBX takes seconds to list its endpoints. */
const limits = { connectDeadlineMs: 5_000, answerDeadlineMs: 15_000 };

/** Logs in, reads it, and logs off. Changes nothing. */
export async function readPbxConfiguration(
  options: Omit<ConnectionOptions, keyof typeof limits>,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<
  | { readonly ok: true; readonly configuration: PbxConfiguration }
  | { readonly ok: false; readonly failure: AmiFailure }
> {
  const nothing = (): void => {};
  const opened = await openConnection(
    { ...options, ...limits },
    { onCallEvent: nothing, onEnd: nothing, onTooLong: nothing },
    { clock, counters: createCounters(), signal },
  );
  if (!opened.ok) return opened;
  const { connection } = opened;
  try {
    const configuration = await read(connection);
    connection.close();
    return { ok: true, configuration };
  } catch (error) {
    if (error instanceof ConnectionEnded) return { ok: false, failure: error.failure };
    throw error;
  }
}

async function read(connection: Connection): Promise<PbxConfiguration> {
  const [settings, options, contexts, guestContext] = await Promise.all([
    connection.request({ action: 'CoreSettings' }),
    readRecordOptions(connection),
    readDevices(connection).then((devices) => readContexts(connection, devices)),
    readGuestContext(connection),
  ]);
  const systemname = settings.fields.get('SystemName') ?? '';
  return { contexts, guestContext, records: { ...options, systemname } };
}
