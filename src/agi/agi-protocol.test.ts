import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  newSession,
  type Session,
  type SessionAction,
  type SessionInput,
  sessionLimits,
  step,
} from './agi-protocol.ts';
import { requestText } from './agi-request.fixture.ts';

const commands = ['SET VARIABLE A 1', 'SET VARIABLE B 2'];

const question = 'GET FULL VARIABLE A';

/**
 * Feeds a session, `null` being the moment at which the answer is there, and `question` that at which something is asked.
 * Gives all that it did.
 */
function play(...inputs: (string | null)[]): { actions: SessionAction[]; session: Session } {
  let session = newSession;
  const actions: SessionAction[] = [];
  for (const input of inputs) {
    const next = step(session, inputOf(input));
    session = next.session;
    actions.push(...next.actions);
  }
  return { actions, session };
}

function inputOf(input: string | null): SessionInput {
  if (input === null) return { type: 'answer', commands };
  if (input === question) return { type: 'question', command: question };
  return { type: 'bytes', bytes: Buffer.from(input, 'latin1') };
}

/** Actions in short: `ask`, the command written, `refused 510`, `close done`. */
function brief(action: SessionAction): string {
  switch (action.type) {
    case 'ask':
      return 'ask';
    case 'write':
      return action.text;
    case 'reply':
      return `reply ${action.text}`;
    case 'refused':
      return `refused ${action.reply.slice(0, 3)}`;
    case 'close':
      return `close ${action.why}`;
  }
}

const request = requestText();
const [first, second] = commands.map((command) => `${command}\n`) as [string, string];
const ok = '200 result=1\n';
const usage = '520-Invalid command syntax.  Proper usage follows:\nUsage: SET VARIABLE\n 200 of them\n';

describe('a session', () => {
  const rows: [string, (string | null)[], string[]][] = [
    ['as it should be', [request, null, ok, ok], ['ask', first, second, 'close done']],
    [
      'with carriage returns',
      [request.replaceAll('\n', '\r\n'), null, ok, ok],
      ['ask', first, second, 'close done'],
    ],
    ['nothing is asked before the empty line', [request.slice(0, -1)], []],
    ['nothing is written before the answer', [request, '200 result=1\n'], ['ask']],
    ['an answer that nobody asked for', [null], []],
    ['a second answer', [request, null, null, ok, ok], ['ask', first, second, 'close done']],
    ['the next command waits for the reply', [request, null, '200 resu'], ['ask', first]],
    [
      'a comment with the reply',
      [request, null, '200 result=1 (a 510 b)\n', ok],
      ['ask', first, second, 'close done'],
    ],
    [
      'a provisional reply',
      [request, null, '100 result=0 Trying...\n', ok, ok],
      ['ask', first, second, 'close done'],
    ],
    [
      'lines that are no replies',
      [request, null, '\nagi_x: 1\n2000\n', ok, ok],
      ['ask', first, second, 'close done'],
    ],
    [
      '510',
      [request, null, '510 Invalid or unknown command\n', ok],
      ['ask', first, 'refused 510', second, 'close done'],
    ],
    [
      '511: the channel is dead',
      [request, null, '511 Command Not Permitted on a dead channel\n'],
      ['ask', first, 'refused 511', 'close hung-up'],
    ],
    [
      '520 in one line',
      [request, null, '520 Invalid command syntax.\n', ok],
      ['ask', first, 'refused 520', second, 'close done'],
    ],
    [
      '520 with its usage',
      [request, null, `${usage}520 End of proper usage.\n`, ok],
      ['ask', first, 'refused 520', second, 'close done'],
    ],
    [
      '520 whose usage has no last line end',
      [request, null, `${usage}more520 End of proper usage.\n`, ok],
      ['ask', first, 'refused 520', second, 'close done'],
    ],
    [
      'a question before the answer',
      [request, question, '200 result=1 (b)\n', null, ok, ok],
      ['ask', `${question}\n`, 'reply 200 result=1 (b)', first, second, 'close done'],
    ],
    [
      'a question whose reply comes after the answer: the commands wait for it',
      [request, question, null, '200 result=1 (b)\n', ok, ok],
      ['ask', `${question}\n`, first, second, 'close done'],
    ],
    [
      'a question that is refused, with its usage',
      [request, question, `${usage}520 End of proper usage.\n`, null, ok, ok],
      [
        ...['ask', `${question}\n`, 'refused 520', 'reply 520 End of proper usage.'],
        ...[first, second, 'close done'],
      ],
    ],
    [
      'a question that comes with the answer',
      [request, null, question, ok, ok],
      ['ask', first, second, 'close done'],
    ],
    [
      'hung up before the reply to a question',
      [request, question, 'HANGUP\n', null],
      ['ask', `${question}\n`, 'close hung-up'],
    ],
    [
      'hung up with the reply to a question',
      [request, question, '200 result=1 (b)\nHANGUP\n', null],
      ['ask', `${question}\n`, 'reply 200 result=1 (b)', 'close hung-up'],
    ],
    ['520 without an end', [request, null, usage, ok, ok], ['ask', first, 'refused 520']],
    ['hung up while asked', [request, 'HANGUP\n', null], ['ask', 'close hung-up']],
    ['hung up with the request', [`${request}HANGUP\n`], ['close hung-up']],
    ['hung up before the reply', [request, null, 'HANGUP\n', ok], ['ask', first, 'close hung-up']],
    [
      'hung up out of band: no line end',
      [request, null, 'HANGUP200 result=1\n'],
      ['ask', first, 'close hung-up'],
    ],
    [
      'hung up in the middle of the usage',
      [request, null, `${usage}HANGUP\n`],
      ['ask', first, 'refused 520', 'close hung-up'],
    ],
    [
      'hung up after the first reply',
      [request, null, `${ok}HANGUP\n`],
      ['ask', first, second, 'close hung-up'],
    ],
    ['not an Asterisk', ['GET / HTTP/1.1\r\n'], ['close not-agi']],
    ['not an Asterisk, known from its first byte', ['\u0016'], ['close not-agi']],
    ['nothing at all', ['', ''], []],
    [
      'nothing after the end',
      [request, null, ok, ok, 'HANGUP\n', request, null],
      ['ask', first, second, 'close done'],
    ],
    [
      'a request that does not end',
      ['agi_x: '.padEnd(sessionLimits.requestBytes + 1, 'x')],
      ['close too-long'],
    ],
    [
      'a request that ends too late',
      [`${'agi_x: '.padEnd(sessionLimits.requestBytes + 1, 'x')}\n\n`],
      ['close too-long'],
    ],
    ['too many lines', [`${'agi_x: 1\n'.repeat(sessionLimits.requestLines + 1)}\n`], ['close too-long']],
    ['as many lines as can be', [`${'agi_x: 1\n'.repeat(sessionLimits.requestLines)}\n`], ['ask']],
    [
      'a reply that does not end',
      [request, null, ...Array(5).fill('x'.repeat(sessionLimits.replyBytes / 4))],
      ['ask', first, 'close too-long'],
    ],
    [
      'talk while asked',
      [request, ...Array(5).fill('x\n'.repeat(sessionLimits.replyBytes / 8))],
      ['ask', 'close too-long'],
    ],
  ];
  for (const [name, inputs, expected] of rows)
    test(name, () => assert.deepEqual(play(...inputs).actions.map(brief), expected));
});

test('the bytes may be split anywhere', () => {
  const said = [request, `100 x\n${ok}`, `${usage}520 End of proper usage.\n`];
  const whole = play(said[0] ?? '', null, said[1] ?? '', said[2] ?? '').actions;
  assert.equal(whole.map(brief).join(), `ask,${first},${second},refused 520,close done`);
  const cuts = fc.array(fc.nat({ max: request.length }), { maxLength: 8 });
  fc.assert(
    fc.property(cuts, cuts, cuts, (...all) => {
      const [a, b, c] = said.map((text, i) => pieces(text, all[i] ?? [])) as [string[], string[], string[]];
      assert.deepEqual(play(...a, null, ...b, ...c).actions, whole);
    }),
    { numRuns: 500 },
  );
});

function pieces(text: string, cuts: readonly number[]): string[] {
  const at = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}

test('100,000 mutated sessions: only the commands are written, and memory stays bounded', () => {
  const mutation = fc.record({
    at: fc.nat({ max: 2_000 }),
    remove: fc.oneof(fc.constant(0), fc.nat({ max: 40 })),
    insert: fc.oneof(
      fc.constantFrom('\n', '\n\n', '\r\n', 'HANGUP', 'HANGUP\n', '520-', '520 End of proper usage.\n', '\0'),
      fc.constantFrom('200', '511 x\n', 'agi_arg_1: ', ':', 'SET VARIABLE X 1\n', 'x'.repeat(5_000)),
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
  });
  const whole = `${request}${ok}${usage}520 End of proper usage.\n${ok}`;
  const allowed = new Set([first, second]);
  let sessions = 0;
  let ended = 0;
  fc.assert(
    fc.property(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat({ max: 3_000 }), { maxLength: 3 }),
      fc.nat({ max: 3 }),
      (mutations, cuts, answerAfter) => {
        const text = mutations.reduce(
          (before, { at, remove, insert }) => before.slice(0, at) + insert + before.slice(at + remove),
          whole,
        );
        const inputs: (string | null)[] = pieces(text, cuts);
        inputs.splice(answerAfter, 0, null);
        const { actions, session } = play(...inputs, null);
        sessions += 1;
        for (const action of actions)
          if (action.type === 'write') assert.ok(allowed.has(action.text), JSON.stringify(action.text));
        assert.ok(actions.filter(({ type }) => type === 'write').length <= commands.length);
        assert.ok(actions.filter(({ type }) => type === 'close').length <= 1);
        if (session.phase === 'over') ended += 1;
        else assert.ok(session.text.length <= sessionLimits.requestBytes + sessionLimits.replyBytes);
      },
    ),
    { numRuns: 100_000, seed: 4573 },
  );
  assert.equal(sessions, 100_000);
  assert.ok(ended > 1_000, `only ${ended} sessions came to an end: the mutations are too wild to test much`);
});
