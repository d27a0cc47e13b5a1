import { answererName } from '../accounts/extensions.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { displayText } from '../kit/display-text.ts';
import { icon } from '../kit/icon.ts';
import { duration } from '../rules/duration.ts';
import { LONG_WAIT_MS, waitText } from '../rules/span.ts';
import { type Html, html } from '../words/html.ts';
import { type CallBack, isDue } from './call-backs.ts';

/** How long somebody has waited, in words that client/calls-now.ts lets grow. */
export function waitOf({ since, times }: CallBack, { now, formats, words }: UserRequest): Html {
  const waited = now - since;
  return html`<b class=${waited >= LONG_WAIT_MS && 'long-wait'} data-waits=${since}>${waitText(waited, formats.locale)}</b> <span class="small quiet">${times > 1 && `${formats.number(times)}× `}${words.callBack.since(formats.moment(since, now))}</span>`;
}

/** Who calls back, since when, and when next. */
export function takenText(one: CallBack, { user, now, formats, words }: UserRequest): Html {
  const { taken } = one;
  if (taken === null) return null;
  const who = taken.user === user.name ? html`<b>${words.common.you}</b>` : displayText(taken.user, 40);
  return html`${who} <span class="quiet">${words.callBack.since(formats.moment(taken.at, now))}</span>`;
}

/** When the colleague wants to be reminded, or tries again; it stands out once that is due. */
export function dueText(one: CallBack, { user, now, formats, words }: UserRequest): Html {
  if (one.due === null) return null;
  const text = words.callBack.nextTry(formats.moment(one.due, now));
  return isDue(one, user.name, now) ? html`<b class="is-due">${icon('clock')}${text}</b>` : text;
}

/** That somebody has called, and did not reach the person. */
export function triedText({ tried, taken }: CallBack, request: UserRequest): Html {
  if (tried === null) return null;
  const { words, formats, now } = request;
  const [isUser, name] = [tried.saidBy === 'user', tried.by];
  // Who calls back is named already.
  const by = name && !(isUser && name === taken?.user) && triedBy(name, isUser, request);
  return html`${words.callBack.tried(by, tried.times)}, ${formats.moment(tried.at, now)}`;
}

/** Who tried: a user who said so, or the extension that a bridge has seen. */
export const triedBy = (by: string, isUser: boolean, request: UserRequest): Html =>
  isUser ? displayText(by, 40) : extensionText(by, request);

/** How somebody was closed. */
export function closedText({ closed }: CallBack, request: UserRequest): Html {
  if (closed === null) return null;
  const { callBack } = request.words;
  if (closed.how === 'done') return callBack.calledBack(displayText(closed.user, 40));
  const by = closed.by && extensionText(closed.by, request);
  return closed.how === 'talked'
    ? callBack.talked(by, duration(closed.seconds * 1_000))
    : callBack.reached(by);
}

export const extensionText = (extension: string, { extensions }: UserRequest): Html =>
  displayText(answererName(extensions, extension), 60);
