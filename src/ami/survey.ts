import type { Input } from '../calls/input.ts';
import type { Clock } from './clock.ts';
import { type Connection, openConnection } from './connection.ts';
import { createCounters } from './counters.ts';
import { toInput } from './events.ts';
import type { AmiFailure } from './failure.ts';
import type { AmiLinkOptions } from './link.ts';
import { ConnectionEnded } from './pledges.ts';
import { readSnapshot } from './snapshot.ts';
import type { AmiObject } from './wire/ami-object.ts';
import { frameFields, recordable } from './wire/frame.ts';

/** What one look at a PBX has shown. `undefined`: Asterisk would not say. */
export type Survey = {
  readonly version: string | undefined;
  /** Asterisk's clock less ours, ms. */
  readonly clockAheadMs: number | undefined;
  /** Write classes that the manager user has beyond what the bridge needs, with an action of each. */
  readonly extraRights: readonly { readonly right: string; readonly action: string }[] | undefined;
  /** Contexts of the dialplan. */
  readonly contexts: readonly string[] | undefined;
  /** Phones and trunks by name, such as `PJSIP/1001`. */
  readonly devices: readonly string[] | undefined;
  readonly channelsBefore: readonly string[];
  readonly channelsAfter: readonly string[];
  /** Call events that came while it looked. */
  readonly heard: readonly Input[];
};

export type SurveyResult =
  | { readonly ok: true; readonly survey: Survey }
  | { readonly ok: false; readonly failure: AmiFailure };

const deadlineMs = 5_000;
/** A big FreePBX has 30,000 lines of dialplan. */
const listDeadlineMs = 15_000;
const mostItems = 200_000;

/**
 * Logs in, looks at what the PBX has and what its user may do, listens for `listenMs`, and leaves. It only asks.
 * @see https://docs.asterisk.org/Latest_API/API_Documentation/AMI_Actions/ for the classes of ShowDialPlan,
 * DeviceStateList (both `reporting`) and ListCommands (none), and Ping's Timestamp.
 */
export async function surveyPbx(
  options: AmiLinkOptions,
  listenMs: number,
  {
    clock,
    onInput = () => {},
    signal,
  }: { clock: Clock; onInput?: (input: Input) => void; signal?: AbortSignal },
): Promise<SurveyResult> {
  const heard: Input[] = [];
  const taps = new Set<(fields: Map<string, string>) => void>();
  let onEnd: (failure: AmiFailure) => void = () => {};
  const ended = new Promise<AmiFailure>((resolve) => {
    onEnd = resolve;
  });
  const opened = await openConnection(
    { ...options, connectDeadlineMs: deadlineMs, answerDeadlineMs: deadlineMs },
    {
      onEvent(event: AmiObject, at: number) {
        const input = toInput(event, at);
        if (input === undefined) return;
        heard.push(input);
        onInput(input);
      },
      onEnd,
      onLost: () => {},
      onFrame(frame) {
        if (taps.size === 0) return;
        const fields = frameFields(recordable(frame));
        for (const tap of taps) tap(fields);
      },
    },
    { clock, counters: createCounters(), signal },
  );
  if (!opened.ok) return opened;
  const { connection } = opened;
  try {
    const survey = await Promise.race([look(), ended.then(failWith)]);
    connection.close();
    return { ok: true, survey };
  } catch (error) {
    if (error instanceof ConnectionEnded) return { ok: false, failure: error.failure };
    throw error;
  }

  async function look(): Promise<Survey> {
    const before = await readSnapshot(connection, clock.now);
    const { asteriskversion } = await connection.request({ action: 'CoreSettings' });
    const asked = clock.now();
    const pong = await connection.request({ action: 'Ping' });
    const commands = await connection.request({ action: 'ListCommands' });
    const contexts = await listOf('ShowDialPlan', 'ListDialplan', 'ShowDialPlanComplete', 'Context');
    const devices = await listOf('DeviceStateList', 'DeviceStateChange', 'DeviceStateListComplete', 'Device');
    await pause(listenMs);
    const after = await readSnapshot(connection, clock.now);
    const idsOf = ({ channels }: typeof before) => channels.map(({ uniqueid }) => uniqueid);
    return {
      version: asteriskversion?.replace(/[+~].*/, ''),
      clockAheadMs: clockAhead(pong.timestamp, (asked + clock.now()) / 2),
      extraRights: extraRights(commands),
      contexts,
      devices,
      channelsBefore: idsOf(before),
      channelsAfter: idsOf(after),
      heard,
    };
  }

  /** The values of `key` in a list of events that the library would not hand on; undefined if it is refused. */
  async function listOf(
    action: string,
    item: string,
    last: string,
    key: string,
  ): Promise<string[] | undefined> {
    const values = new Set<string>();
    const done = Promise.withResolvers<void>();
    const tap = (fields: Map<string, string>): void => {
      if (fields.get('Event') === item && values.size < mostItems) values.add(fields.get(key) ?? '');
      if (fields.get('Event') === last) done.resolve();
    };
    taps.add(tap);
    let cancel = (): void => {};
    try {
      const { response } = await connection.request({ action });
      if (response !== 'Success') return undefined;
      cancel = clock.setTimer(() => done.resolve(), listDeadlineMs);
      await done.promise;
      return [...values].filter((value) => value !== '').sort();
    } finally {
      cancel();
      taps.delete(tap);
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.setTimer(resolve, ms);
      signal?.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
  }
}

function failWith(failure: AmiFailure): never {
  throw new ConnectionEnded(failure);
}

/** Ping's answer has Asterisk's time, `1763600000.123456`. */
function clockAhead(timestamp: string | undefined, now: number): number | undefined {
  const theirs = Number(timestamp) * 1000;
  return theirs > 1e12 ? Math.round(theirs - now) : undefined;
}

/** Rights with which a stolen secret could do harm: an action that only their holder may use tells of each. */
const harmful = [
  ['originate', 'Originate'],
  ['command', 'Command'],
  ['config', 'UpdateConfig'],
  ['system', 'DBPut'],
  ['call', 'Redirect'],
  ['agent', 'QueueAdd'],
  ['user', 'UserEvent'],
] as const;

/** ListCommands names what its user may do; Asterisk 16 and 22 leave the rest out. */
function extraRights(commands: Awaited<ReturnType<Connection['request']>>): Survey['extraRights'] {
  if (commands.response !== 'Success') return undefined;
  return harmful
    .filter(([, action]) => commands[action.toLowerCase()] !== undefined)
    .map(([right, action]) => ({ right, action }));
}
