import type { Clock } from '../../shared/process/clock.ts';
import type { Place } from '../calls/place.ts';
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts';
import { createCounters } from './link-log.ts';
import { ConnectionEnded } from './pending-requests.ts';
import { type Fields, fieldKey } from './wire/frame.ts';

const deadlineMs = 3_000;
const [priorityKey, applicationKey, dataKey] = [
  fieldKey('Priority'),
  fieldKey('Application'),
  fieldKey('AppData'),
];

/** What the dialplan does there now, such as `VoiceMail(101@default,u)`; undefined if the PBX does not say in time. */
export async function readDialplanLine(
  options: Omit<ConnectionOptions, 'connectDeadlineMs' | 'answerDeadlineMs'>,
  place: Place,
  clock: Clock,
): Promise<string | undefined> {
  const limits = { connectDeadlineMs: deadlineMs, answerDeadlineMs: deadlineMs };
  const nothing = (): void => {};
  const opened = await openConnection(
    { ...options, ...limits },
    { onCallEvent: nothing, onEnd: nothing, onTooLong: nothing },
    { clock, counters: createCounters() },
  );
  if (!opened.ok) return undefined;
  const { connection } = opened;
  try {
    const lines = await readExtension(connection, place);
    connection.close();
    const line = lines.find(({ priority }) => priority === place.priority);
    return line && `${line.application}(${line.data})`;
  } catch (error) {
    if (error instanceof ConnectionEnded) return undefined;
    throw error;
  }
}

type DialplanLine = { readonly priority: string; readonly application: string; readonly data: string };

/** The lines of the dialplan's extension; none if the PBX does not say. */
export async function readExtension(
  connection: Connection,
  { context, exten }: Pick<Place, 'context' | 'exten'>,
): Promise<readonly DialplanLine[]> {
  const list = await connection.list({
    action: { action: 'ShowDialPlan', context, extension: exten },
    item: 'ListDialplan',
    last: 'ShowDialPlanComplete',
    read: (fields: Fields): DialplanLine | undefined => {
      const priority = fields(priorityKey);
      const application = fields(applicationKey);
      return priority && application ? { priority, application, data: fields(dataKey) ?? '' } : undefined;
    },
  });
  return list.ok ? list.items : [];
}
