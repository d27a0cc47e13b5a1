import type { Clock } from '../../shared/process/clock.ts';
import type { ApplicationAsked, VariableAsked } from '../calls/effect.ts';
import type { Input } from '../calls/input.ts';
import type { DialplanPart } from '../calls/place.ts';
import type { Connection } from './connection.ts';
import { readExtension } from './dialplan-line.ts';
import { type ChannelStatus, presentationVariableList, priorityVariable, toStatus } from './events.ts';
import type { AmiCounters } from './link-log.ts';
import { readSnapshot, readVariable } from './snapshot.ts';
import { isSafeValue } from './wire/manager.ts';

/** Questions about a channel. None is answered if the link is down or goes down. */
export type Questions = {
  /** Whether the number of the caller on this channel may be shown; the answer is a `presentation` input. */
  presentation(uniqueid: string, channel: string): void;
  /**
   * What the dialplan does at a place, and the lines of other extensions; the answer is an `application` input. Needs only
   * `write = reporting`.
   */
  application(question: ApplicationAsked): void;
  /** A variable of a channel; the answer is a `variable` input. */
  variable(question: VariableAsked): void;
  /** Whether the dialplan has asked for the caller's priority; the answer is only in the frames, for a recording. */
  priority(channel: string): void;
  /** All channels and bridges, to find events that never came; the answer is a `channels-listed` input, if it is complete. */
  channels(): void;
};

/** Applications that end a call. */
const ending = /^(?:Hangup|Busy|Congestion)$/i;

/** Asks over this connection. `onAnswer` is called with each answer. */
export function createQuestions(
  connection: Connection,
  { clock, counters }: { readonly clock: Clock; readonly counters: AmiCounters },
  onAnswer: (input: Input) => void,
  onError: (error: unknown) => void,
): Questions {
  const handOn = (answer: Promise<Input | undefined>): void => {
    answer.then((input) => input && onAnswer(input)).catch(onError);
  };
  return {
    presentation: (uniqueid, channel) => handOn(askPresentation(connection, clock, uniqueid, channel)),
    application: (question) => handOn(askApplication(connection, clock, question)),
    variable: (question) => handOn(askVariable(connection, clock, question)),
    priority: (channel) => handOn(askPriority(connection, channel)),
    channels: () => handOn(askChannels(connection, clock, counters)),
  };
}

async function askPresentation(
  connection: Connection,
  clock: Clock,
  uniqueid: string,
  channel: string,
): Promise<Input> {
  // A name with a line break cannot be sent, so it cannot be asked about.
  const status = isSafeValue(channel) ? await readStatus(connection, uniqueid, channel) : undefined;
  const { presentation = 'unknown', dnid, presented } = status ?? {};
  return { type: 'presentation', at: clock.now(), uniqueid, presentation, dnid, presented };
}

/** The channel's Status; undefined when it is gone, refused or not answered, or when another has got its name. */
async function readStatus(
  connection: Connection,
  uniqueid: string,
  channel: string,
): Promise<ChannelStatus | undefined> {
  const answer = await connection.list(
    {
      action: { action: 'Status', channel, variables: presentationVariableList },
      item: 'Status',
      last: 'StatusComplete',
      read: toStatus,
    },
    { needed: 'unless-others-come' },
  );
  return answer.ok ? answer.items.find((item) => item.uniqueid === uniqueid) : undefined;
}

async function askApplication(
  connection: Connection,
  clock: Clock,
  { uniqueid, place, others = [] }: ApplicationAsked,
): Promise<Input> {
  const read = async (part: DialplanPart) =>
    isSafeValue(`${part.context}${part.exten ?? ''}`) ? await readExtension(connection, part) : [];
  const [lines = [], ...more] = await Promise.all([
    place === undefined ? [] : read(place),
    ...others.map(read),
  ]);
  const found = lines.find(({ priority }) => priority === place?.priority);
  // If the line ends the call, what the caller heard is in the line before.
  const before = ending.test(found?.application ?? '')
    ? lines.find(({ priority }) => Number(priority) === Number(place?.priority) - 1)
    : undefined;
  const { application = '', data = '' } = before ?? found ?? {};
  return { type: 'application', at: clock.now(), uniqueid, application, data, others: more.flat() };
}

async function askPriority(connection: Connection, channel: string): Promise<undefined> {
  if (!isSafeValue(channel)) return;
  await connection.list(
    {
      action: { action: 'Status', channel, variables: priorityVariable },
      item: 'Status',
      last: 'StatusComplete',
      read: () => undefined,
    },
    { needed: 'unless-others-come' },
  );
}

async function askVariable(
  connection: Connection,
  clock: Clock,
  { uniqueid, channel, variable }: VariableAsked,
): Promise<Input> {
  const value = isSafeValue(channel) ? await readVariable(connection, variable, channel) : '';
  return { type: 'variable', at: clock.now(), uniqueid, variable, value };
}

async function askChannels(
  connection: Connection,
  clock: Clock,
  counters: AmiCounters,
): Promise<Input | undefined> {
  const askedAt = clock.now();
  const { tooLong, bad } = counters;
  const snapshot = await readSnapshot(connection, clock.now);
  // A channel that is not in it because it could not be read would end its call.
  if (snapshot.isPartial || counters.tooLong > tooLong || counters.bad > bad) return undefined;
  const { at, channels, bridges } = snapshot;
  return { type: 'channels-listed', at, askedAt, channels, bridges };
}
