import type { Clock } from '../../shared/process/clock.ts';
import type { DialplanLine, DialplanPart, Place } from '../calls/place.ts';
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts';
import { createCounters } from './link-log.ts';
import { ConnectionEnded } from './pending-requests.ts';
import { type Fields, fieldKey } from './wire/frame.ts';

const deadlineMs = 3_000;
const [extensionKey, priorityKey, applicationKey, dataKey] = [
  fieldKey('Extension'),
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

/** A line; its extension as the dialplan writes it, which may be a pattern. */
type Line = DialplanLine & { readonly priority: string; readonly application: string };

/** The lines of the dialplan's extension, or of a whole context; none if the PBX does not say. */
export async function readExtension(
  connection: Connection,
  { context, exten }: DialplanPart,
): Promise<readonly Line[]> {
  const list = await connection.list({
    action: { action: 'ShowDialPlan', context, ...(exten !== undefined && { extension: exten }) },
    item: 'ListDialplan',
    last: 'ShowDialPlanComplete',
    read: (fields: Fields): Line | undefined => {
      const priority = fields(priorityKey);
      const application = fields(applicationKey);
      if (!priority || !application) return undefined;
      return { exten: fields(extensionKey) ?? '', priority, application, data: fields(dataKey) ?? '' };
    },
  });
  return list.ok ? list.items : [];
}
