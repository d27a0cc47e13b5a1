import { spaced } from '../../shared/phone-number/normalise-number.ts';
import type { Extensions } from '../accounts/account.ts';
import { numberCalledText } from '../accounts/extensions.ts';
import { waitedFor } from '../calls/call-meaning.ts';
import type { CallRecord } from '../calls/call-record.ts';
import type { Formats } from '../kit/formats.ts';
import { duration } from '../rules/duration.ts';
import { plainText } from '../rules/plain-text.ts';
import type { Words } from '../words/words.ts';
import type { MissedPerson } from './due-notices.ts';

/** What a text is written with. */
type Reader = {
  readonly words: Words;
  readonly formats: Formats;
  readonly extensions: Extensions;
  /** The account's name. */
  readonly office: string;
  /** Unix ms. */
  readonly now: number;
};

/** What a push message shows (client/entries/push-worker.ts). */
export type PushMessage = { readonly title: string; readonly body: string; readonly url: string };

/** People that a message names; it says how many others there are. */
const NAMED = { mail: 20, push: 3 } as const;
/** Characters of a note in a mail. */
const NOTE_CHARACTERS = 300;

/** Where missed people are called back, and where a user chooses what to hear of. */
const [callBackPage, settingsPage] = ['/call-back', '/notifications'];

/** A mail about missed calls. `origin`: the service's address as people reach it. */
export function missedMail(people: readonly MissedPerson[], origin: string, reader: Reader) {
  const { words, office } = reader;
  const text = words.notifications;
  const others = people.length - NAMED.mail;
  return {
    subject: `${plainText(office, 60)}: ${titleOf(people, words)}`,
    text: [
      ...people.slice(0, NAMED.mail).flatMap((person) => [...linesOf(person, reader), '']),
      ...(others > 0 ? [text.others(others), ''] : []),
      `${words.layout.callBack}: ${origin}${callBackPage}`,
      '',
      `${text.why} ${origin}${settingsPage}`,
      '',
    ].join('\n'),
  };
}

/** A push message about missed calls: short, since a lock screen shows it. */
export function missedPush(people: readonly MissedPerson[], reader: Reader): PushMessage {
  const { words, formats } = reader;
  const others = people.length - NAMED.push;
  const [first] = people;
  const body =
    people.length === 1 && first !== undefined
      ? [...called(first.call, reader), formats.time(endOf(first.call)), ...times(first, words)]
      : [
          ...people.slice(0, NAMED.push).map(({ call }) => nameOf(call)),
          ...(others > 0 ? [words.notifications.others(others)] : []),
        ];
  return {
    title: titleOf(people, words),
    body: body.join(people.length === 1 ? ' · ' : ', '),
    url: callBackPage,
  };
}

export const testMail = ({ words, office }: Pick<Reader, 'words' | 'office'>, origin: string) => ({
  subject: `${plainText(office, 60)}: ${words.notifications.testTitle}`,
  text: [words.notifications.testText, '', `${words.notifications.why} ${origin}${settingsPage}`, ''].join(
    '\n',
  ),
});

export const testPush = ({ words: { notifications } }: Pick<Reader, 'words'>): PushMessage => ({
  title: notifications.testTitle,
  body: notifications.testText,
  url: settingsPage,
});

/** `Missed call: Ann`, `3 missed calls`. */
function titleOf(people: readonly MissedPerson[], { notifications: text }: Words): string {
  const [first] = people;
  const calls = people.reduce((sum, one) => sum + one.times, 0);
  return people.length === 1 && first !== undefined
    ? text.missedFrom(nameOf(first.call))
    : text.missedCalls(calls);
}

/** One person in a mail: the name, and under it what is known. */
function linesOf(person: MissedPerson, reader: Reader): string[] {
  const { words, formats, now } = reader;
  const { call, note } = person;
  const waited = waitedFor({ ...call, missedAfter: call.extras.missed?.after ?? null });
  const at = endOf(call);
  const when = [
    `${formats.day(at, now)}, ${formats.time(at)}`,
    ...(waited === null ? [] : [words.notifications.waited(duration(waited))]),
    ...times(person, words),
  ];
  const facts: (readonly [label: string, text: string] | false | null)[] = [
    call.customer !== null && [words.calls.number, numberOf(call)],
    call.segment !== null && [words.calls.segment, plainText(call.segment, 60)],
    call.extras.numberCalled !== null && [words.calls.numberCalled, called(call, reader).join('')],
    [words.calls.missed, when.join(', ')],
    note !== null && [
      words.bar.note,
      `${plainText((note.text ?? '').replace(/\s+/g, ' '), NOTE_CHARACTERS)} (${plainText(note.user, 60)}, ${formats.day(note.at, now)})`,
    ],
  ];
  return [nameOf(call), ...facts.flatMap((fact) => (fact ? [`  ${fact[0]}: ${fact[1]}`] : []))];
}

const endOf = (call: CallRecord): number => call.completedAt ?? call.startedAt;

const numberOf = ({ number }: CallRecord): string => plainText(spaced(number), 40);

/** The customer's name, or the number of a stranger. */
const nameOf = (call: CallRecord): string =>
  call.customer === null ? numberOf(call) : plainText(call.customer.name, 60);

const called = ({ extras: { numberCalled } }: CallRecord, { extensions }: Reader): string[] =>
  numberCalled === null ? [] : [plainText(numberCalledText(extensions, numberCalled), 60)];

const times = ({ times: count }: MissedPerson, { notifications: text }: Words): string[] =>
  count > 1 ? [text.times(count)] : [];
