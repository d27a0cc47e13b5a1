import { isUnfinished } from './agi-lines.ts';
import { type AgiRequest, readRequest } from './agi-request.ts';

/**
 * One FastAGI session without its socket: bytes in, actions out. Asterisk sends its lines and an empty one, then
 * takes commands one at a time: it reads them through a buffer that it does not check again, so a second command
 * sent along with the first is never read (res_agi.c, run_agi).
 */
export type Session =
  /** Receiving Asterisk's lines. */
  | { readonly phase: 'request'; readonly text: string }
  /** The answer is being looked up. */
  | { readonly phase: 'asked'; readonly text: string; readonly received: number }
  /** A command has been sent, and its reply has not come. */
  | {
      readonly phase: 'answer';
      readonly text: string;
      readonly received: number;
      /** Commands still to be sent. */
      readonly left: readonly string[];
      /** Within the lines that follow a `520-`. */
      readonly inUsage: boolean;
      /** True if the command is a question, and the answer is still being looked up. */
      readonly isQuestion: boolean;
    }
  | { readonly phase: 'over' };

export type SessionInput =
  | { readonly type: 'bytes'; readonly bytes: Buffer }
  /** A command whose reply is needed for the answer, without its line end. */
  | { readonly type: 'question'; readonly command: string }
  /** The commands that answer the request, without line ends. */
  | { readonly type: 'answer'; readonly commands: readonly string[] };

export type SessionAction =
  | { readonly type: 'ask'; readonly request: AgiRequest }
  | { readonly type: 'write'; readonly text: string }
  /** Asterisk's reply to the question. */
  | { readonly type: 'reply'; readonly text: string }
  /** Asterisk refused a command; the session goes on with the next. */
  | { readonly type: 'refused'; readonly reply: string }
  | { readonly type: 'close'; readonly why: CloseReason };

type CloseReason =
  | 'done'
  | 'hung-up' // the caller has hung up
  | 'not-agi' // the client is not Asterisk
  | 'too-long'; // more bytes or lines than Asterisk sends

export type Step = { readonly session: Session; readonly actions: readonly SessionAction[] };

type Asked = Extract<Session, { phase: 'asked' }>;
type Answer = Extract<Session, { phase: 'answer' }>;

/** Asterisk's own lines have 1 KB in total; up to 128 arguments may follow. */
export const sessionLimits = { requestBytes: 16 * 1024, requestLines: 256, replyBytes: 16 * 1024 } as const;

export const newSession: Session = { phase: 'request', text: '' };

/** The next state of a session, and its actions. Pure; a session that is over ignores every input. */
export function step(session: Session, input: SessionInput): Step {
  if (input.type === 'question')
    return session.phase === 'asked' ? begin(session, [input.command], true) : stay(session);
  if (input.type === 'answer') {
    if (session.phase === 'asked') return begin(session, input.commands);
    // The reply to the question is late: the commands follow it.
    if (session.phase === 'answer' && session.isQuestion)
      return stay({ ...session, left: input.commands, isQuestion: false });
    return stay(session);
  }
  const text = textOf(input.bytes);
  switch (session.phase) {
    case 'request':
      return readOn(session.text, input.bytes.toString('latin1'));
    case 'asked':
    case 'answer': {
      const received = session.received + text.length;
      if (received > sessionLimits.replyBytes) return close('too-long');
      const heard = { ...session, text: session.text + text, received };
      return heard.phase === 'asked' ? waitOn(heard) : readReplies(heard, []);
    }
    case 'over':
      return stay(session);
  }
}

/** Decodes Latin-1, so that no split can break a character: all that is read here is ASCII. Drops carriage returns. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  return text.includes('\r') ? text.replaceAll('\r', '') : text;
}

function readOn(received: string, more: string): Step {
  // A carriage return within a line is part of a value.
  const text = (received + more).replaceAll(/(?<!\r)\r+\n/g, '\n');
  if (!text.startsWith('agi_'.slice(0, text.length))) return close('not-agi');
  // Each blank line may be the end, and costs a reading of all lines before it.
  if (hasMoreLines(text, sessionLimits.requestLines + 2)) return close('too-long');
  let end = more.includes('\n') ? text.indexOf('\n\n') : -1;
  while (end >= 0 && (isUnfinished(text.slice(0, end)) || hasRequestLine(text.slice(end))))
    end = text.indexOf('\n\n', end + 1);
  if ((end < 0 ? text.length : end) > sessionLimits.requestBytes) return close('too-long');
  if (end < 0) return stay({ phase: 'request', text });
  const lines = text.slice(0, end);
  const { session, actions } = waitOn({ phase: 'asked', text: text.slice(end + 2), received: 0 });
  return actions.length > 0
    ? { session, actions }
    : { session, actions: [{ type: 'ask', request: readRequest(lines) }] };
}

function hasMoreLines(text: string, most: number): boolean {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= most; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines > most;
}

/** True if the request goes on here: a blank line before it is in a value. */
function hasRequestLine(text: string): boolean {
  return /\nagi_\w+:/.test(`\n${text}`);
}

/** Before a command is sent, Asterisk sends nothing unless the caller hangs up. */
function waitOn(session: Asked, actions: readonly SessionAction[] = []): Step {
  // What was asked was in a value of a request that only now comes to its end.
  if (hasRequestLine(session.text)) return close('not-agi', actions);
  return session.text.startsWith(HANGUP) ? close('hung-up', actions) : stay(session, actions);
}

function begin({ text, received }: Asked, commands: readonly string[], isQuestion = false): Step {
  return sendNext({ phase: 'answer', text, received, left: commands, inUsage: false, isQuestion }, []);
}

function sendNext(session: Answer, actions: SessionAction[]): Step {
  const [command, ...left] = session.left;
  if (command === undefined) return close('done', actions);
  actions.push({ type: 'write', text: `${command}\n` });
  return stay({ ...session, left }, actions);
}

/**
 * Asterisk sends `HANGUP` between any two lines; up to version 11 out of band and without a line end, so that the
 * next reply follows at once. The answer is not needed then.
 */
const HANGUP = 'HANGUP';

function readReplies(from: Answer, actions: SessionAction[]): Step {
  let session = from;
  for (;;) {
    if (session.text.startsWith(HANGUP)) return close('hung-up', actions);
    const end = session.text.indexOf('\n');
    if (end < 0) return stay(session, actions);
    const line = session.text.slice(0, end);
    session = { ...session, text: session.text.slice(end + 1) };

    const reply = session.inUsage ? usageReply(line) : replyOf(line);
    if (reply === 'none') continue;
    if (reply !== 'done' && !session.inUsage) actions.push({ type: 'refused', reply: line });
    if (reply === 'dead') return close('hung-up', actions);
    if (reply === 'usage') {
      session = { ...session, inUsage: true };
      continue;
    }
    if (session.isQuestion) {
      actions.push({ type: 'reply', text: line });
      return waitOn({ phase: 'asked', text: session.text, received: session.received }, actions);
    }
    const next = sendNext({ ...session, inUsage: false }, actions);
    if (next.session.phase !== 'answer') return next;
    session = next.session;
  }
}

type Reply = 'none' | 'done' | 'refused' | 'usage' | 'dead';

function replyOf(line: string): Reply {
  if (line.startsWith('200')) return 'done';
  if (line.startsWith('520-')) return 'usage';
  if (line.startsWith('511')) return 'dead';
  // A 1xx line precedes the actual reply, and a line without a code is not a reply.
  return /^[02-9]\d\d(?!\d)/.test(line) ? 'refused' : 'none';
}

/** The usage ends with this line; the line before it may have no line end. */
function usageReply(line: string): Reply {
  return line.endsWith('520 End of proper usage.') ? 'refused' : 'none';
}

function stay(session: Session, actions: readonly SessionAction[] = []): Step {
  return { session, actions };
}

function close(why: CloseReason, before: readonly SessionAction[] = []): Step {
  return { session: { phase: 'over' }, actions: [...before, { type: 'close', why }] };
}
