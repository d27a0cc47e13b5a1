import type { Clock } from '../process/clock.ts';
import { type ConnectionOptions, openConnection } from './connection.ts';
import { createCounters } from './counters.ts';
import { ConnectionEnded } from './pending-requests.ts';
import { type Fields, fieldKey } from './wire/frame.ts';

/** A place in the dialplan. */
export type Place = { readonly context: string; readonly exten: string; readonly priority: string };

const deadlineMs = 3_000;
const [priorityKey, applicationKey, dataKey] = [
  fieldKey('Priority'),
  fieldKey('Application'),
  fieldKey('AppData'),
];

/** What the dialplan does there now, such as `VoiceMail(101@default,u)`; undefined if the PBX does not say in time. */
export async function readDialplanLine(
  options: Omit<ConnectionOptions, 'connectDeadlineMs' | 'answerDeadlineMs'>,
  { context, exten, priority }: Place,
  clock: Clock,
): Promise<string | undefined> {
  const limits = { connectDeadlineMs: deadlineMs, answerDeadlineMs: deadlineMs };
  const nothing = (): void => {};
  const opened = await openConnection(
    { ...options, ...limits },
    { onCallEvent: nothing, onEnd: nothing, onLost: nothing },
    { clock, counters: createCounters() },
  );
  if (!opened.ok) return undefined;
  const { connection } = opened;
  try {
    const list = await connection.list({
      action: { action: 'ShowDialPlan', context, extension: exten },
      ...{ item: 'ListDialplan', last: 'ShowDialPlanComplete' },
      read: (fields: Fields) =>
        fields(priorityKey) === priority ? `${fields(applicationKey)}(${fields(dataKey) ?? ''})` : undefined,
    });
    connection.close();
    return list.ok ? list.items[0] : undefined;
  } catch (error) {
    if (error instanceof ConnectionEnded) return undefined;
    throw error;
  }
}
