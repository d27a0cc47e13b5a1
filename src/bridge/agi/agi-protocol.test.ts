import assert from 'node:assert/strict';
import { test } from 'node:test';
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
/** The answer is there; something is asked. */
const answer: SessionInput = { type: 'answer', commands };
const asked: SessionInput = { type: 'question', command: question };

/** Feeds a session, texts being what comes over the connection. Gives all that it did. */
function play(...inputs: (string | SessionInput)[]): { actions: SessionAction[]; session: Session } {
  let session = newSession;
  const actions: SessionAction[] = [];
  for (const input of inputs) {
    const bytes = Buffer.from(typeof input === 'string' ? input : '', 'latin1');
    const next = step(session, typeof input === 'string' ? { type: 'bytes', bytes } : input);
    session = next.session;
    actions.push(...next.actions);
  }
  return { actions, session };
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

const usageWithEnd = `${usage}520 End of proper usage.\n`;
const replyB = '200 result=1 (b)\n';
const hangup = 'HANGUP\n';
const tooLong = 'agi_x: '.padEnd(sessionLimits.requestBytes + 1, 'x');
const manyLines = `${'agi_x: 1\n'.repeat(sessionLimits.requestLines)}\n`;
const tooManyLines = `agi_x: 1\n${manyLines}`;
const endlessLines = `agi_request: x\nagi_channel: ${'\n'.repeat(sessionLimits.requestLines + 2)}`;
// Read again from each of them, they would take minutes.
const returns = '\r'.repeat(1_000_000);
const long = 'x'.repeat(sessionLimits.replyBytes / 4);
const talk = 'x\n'.repeat(sessionLimits.replyBytes / 8);

// biome-ignore format: one case a line
const cases: [name: string, inputs: (string | SessionInput)[], does: string[]][] = [
  ['as it should be', [request, answer, ok, ok], ['ask', first, second, 'close done']],
  ['with carriage returns', [request.replaceAll('\n', '\r\n'), answer, ok, ok], ['ask', first, second, 'close done']],
  ['with many carriage returns', [request.replaceAll('\n', `${returns}\n`), answer, ok, ok], ['ask', first, second, 'close done']],
  ['with many carriage returns in a value', [`agi_request: x${returns}`, '\n\n'], ['close too-long']],
  ['nothing is asked before the empty line', [request.slice(0, -1)], []],
  ['nothing is written before the answer', [request, ok], ['ask']],
  ['an unexpected answer', [answer], []],
  ['a second answer', [request, answer, answer, ok, ok], ['ask', first, second, 'close done']],
  ['the next command waits for the reply', [request, answer, '200 resu'], ['ask', first]],
  ['a comment with the reply', [request, answer, '200 result=1 (a 510 b)\n', ok], ['ask', first, second, 'close done']],
  ['a provisional reply', [request, answer, '100 result=0 Trying...\n', ok, ok], ['ask', first, second, 'close done']],
  ['lines that are no replies', [request, answer, '\nagi_x: 1\n2000\n', ok, ok], ['ask', first, second, 'close done']],
  ['510', [request, answer, '510 Invalid or unknown command\n', ok], ['ask', first, 'refused 510', second, 'close done']],
  ['511: the channel is dead',
    [request, answer, '511 Command Not Permitted on a dead channel\n'], ['ask', first, 'refused 511', 'close hung-up']],
  ['520 in one line', [request, answer, '520 Invalid command syntax.\n', ok], ['ask', first, 'refused 520', second, 'close done']],
  ['520 with its usage', [request, answer, usageWithEnd, ok], ['ask', first, 'refused 520', second, 'close done']],
  ['520 whose usage has no last line end',
    [request, answer, `${usage}more520 End of proper usage.\n`, ok], ['ask', first, 'refused 520', second, 'close done']],
  ['a question before the answer',
    [request, asked, replyB, answer, ok, ok], ['ask', `${question}\n`, 'reply 200 result=1 (b)', first, second, 'close done']],
  ['the commands wait for the reply to a question',
    [request, asked, answer, replyB, ok, ok], ['ask', `${question}\n`, first, second, 'close done']],
  ['a question that is refused, with its usage',
    [request, asked, usageWithEnd, answer, ok, ok], ['ask', `${question}\n`, 'refused 520', 'reply 520 End of proper usage.', first, second, 'close done']],
  ['a question that comes with the answer', [request, answer, asked, ok, ok], ['ask', first, second, 'close done']],
  ['hung up before the reply to a question', [request, asked, hangup, answer], ['ask', `${question}\n`, 'close hung-up']],
  ['hung up with the reply to a question',
    [request, asked, replyB + hangup, answer], ['ask', `${question}\n`, 'reply 200 result=1 (b)', 'close hung-up']],
  ['520 without an end', [request, answer, usage, ok, ok], ['ask', first, 'refused 520']],
  ['hung up while asked', [request, hangup, answer], ['ask', 'close hung-up']],
  ['hung up with the request', [request + hangup], ['close hung-up']],
  ['hung up before the reply', [request, answer, hangup, ok], ['ask', first, 'close hung-up']],
  ['hung up out of band: no line end', [request, answer, 'HANGUP200 result=1\n'], ['ask', first, 'close hung-up']],
  ['hung up in the middle of the usage', [request, answer, usage + hangup], ['ask', first, 'refused 520', 'close hung-up']],
  ['hung up after the first reply', [request, answer, ok + hangup], ['ask', first, second, 'close hung-up']],
  ['not an Asterisk', ['GET / HTTP/1.1\r\n'], ['close not-agi']],
  ['not an Asterisk, known from its first byte', ['\u0016'], ['close not-agi']],
  ['nothing at all', ['', ''], []],
  ['nothing after the end', [request, answer, ok, ok, hangup, request, answer], ['ask', first, second, 'close done']],
  ['a request that does not end', [tooLong], ['close too-long']],
  ['a request that ends too late', [`${tooLong}\n\n`], ['close too-long']],
  ['too many lines', [tooManyLines], ['close too-long']],
  ['too many lines in a value, without an end', [endlessLines], ['close too-long']],
  ['as many lines as can be', [manyLines], ['ask']],
  ['a reply that does not end', [request, answer, long, long, long, long, long], ['ask', first, 'close too-long']],
  ['talk while asked', [request, talk, talk, talk, talk, talk], ['ask', 'close too-long']],
];
for (const [name, inputs, does] of cases)
  test(`a session: ${name}`, () => assert.deepEqual(play(...inputs).actions.map(brief), does));

test('the bytes may be split anywhere', () => {
  const said = [request, `100 x\n${ok}`, usageWithEnd];
  const whole = play(said[0] ?? '', answer, said[1] ?? '', said[2] ?? '').actions;
  assert.equal(whole.map(brief).join(), `ask,${first},${second},refused 520,close done`);
  const cuts = fc.array(fc.nat({ max: request.length }), { maxLength: 8 });
  fc.assert(
    fc.property(cuts, cuts, cuts, (...all) => {
      const [a, b, c] = said.map((text, i) => pieces(text, all[i] ?? [])) as [string[], string[], string[]];
      assert.deepEqual(play(...a, answer, ...b, ...c).actions, whole);
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
  const whole = `${request}${ok}${usageWithEnd}${ok}`;
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
        const inputs: (string | SessionInput)[] = pieces(text, cuts);
        inputs.splice(answerAfter, 0, answer);
        const { actions, session } = play(...inputs, answer);
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
