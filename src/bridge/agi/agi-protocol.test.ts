import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { table } from '../../../test/table.ts';
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

/** What comes, by name; `answer` is the moment at which the answer is there. */
const come: Record<string, string | null> = {
  ...{ request, ok, usage, question, answer: null, nothing: '' },
  ...{ withReturns: request.replaceAll('\n', '\r\n'), unended: request.slice(0, -1) },
  ...{ withComment: '200 result=1 (a 510 b)\n', provisional: '100 result=0 Trying...\n', half: '200 resu' },
  noReplies: '\nagi_x: 1\n2000\n',
  '510': '510 Invalid or unknown command\n',
  '511': '511 Command Not Permitted on a dead channel\n',
  '520': '520 Invalid command syntax.\n',
  usageWithEnd: `${usage}520 End of proper usage.\n`,
  usageWithoutBreak: `${usage}more520 End of proper usage.\n`,
  replyB: '200 result=1 (b)\n',
  ...{ hangup: 'HANGUP\n', hangupAtOnce: 'HANGUP200 result=1\n', http: 'GET / HTTP/1.1\r\n', tls: '\u0016' },
  tooLong: 'agi_x: '.padEnd(sessionLimits.requestBytes + 1, 'x'),
  ends: '\n\n',
  tooManyLines: `${'agi_x: 1\n'.repeat(sessionLimits.requestLines + 1)}\n`,
  endlessLines: `agi_request: x\nagi_channel: ${'\n'.repeat(sessionLimits.requestLines + 2)}`,
  manyLines: `${'agi_x: 1\n'.repeat(sessionLimits.requestLines)}\n`,
  long: 'x'.repeat(sessionLimits.replyBytes / 4),
  talk: 'x\n'.repeat(sessionLimits.replyBytes / 8),
};
/** What is done, by name. */
const done: Record<string, string> = {
  ...{ '1': first, '2': second, question: `${question}\n` },
  ...{ replyB: 'reply 200 result=1 (b)', replyEnd: 'reply 520 End of proper usage.' },
};

/** What comes in one piece is joined by `+`. */
const rows = table<[name: string, inputs: string, does: string]>(`
  as it should be                              | request answer ok ok                     | ask 1 2 close:done
  with carriage returns                        | withReturns answer ok ok                 | ask 1 2 close:done
  nothing is asked before the empty line       | unended                                  |
  nothing is written before the answer         | request ok                               | ask
  an answer that nobody asked for              | answer                                   |
  a second answer                              | request answer answer ok ok              | ask 1 2 close:done
  the next command waits for the reply         | request answer half                      | ask 1
  a comment with the reply                     | request answer withComment ok            | ask 1 2 close:done
  a provisional reply                          | request answer provisional ok ok         | ask 1 2 close:done
  lines that are no replies                    | request answer noReplies ok ok           | ask 1 2 close:done
  510                                          | request answer 510 ok                    | ask 1 refused:510 2 close:done
  511: the channel is dead                     | request answer 511                       | ask 1 refused:511 close:hung-up
  520 in one line                              | request answer 520 ok                    | ask 1 refused:520 2 close:done
  520 with its usage                           | request answer usageWithEnd ok           | ask 1 refused:520 2 close:done
  520 whose usage has no last line end         | request answer usageWithoutBreak ok      | ask 1 refused:520 2 close:done
  a question before the answer                 | request question replyB answer ok ok     | ask question replyB 1 2 close:done
  the commands wait for the reply to a question | request question answer replyB ok ok    | ask question 1 2 close:done
  a question that is refused, with its usage   | request question usageWithEnd answer ok ok | ask question refused:520 replyEnd 1 2 close:done
  a question that comes with the answer        | request answer question ok ok            | ask 1 2 close:done
  hung up before the reply to a question       | request question hangup answer           | ask question close:hung-up
  hung up with the reply to a question         | request question replyB+hangup answer    | ask question replyB close:hung-up
  520 without an end                           | request answer usage ok ok               | ask 1 refused:520
  hung up while asked                          | request hangup answer                    | ask close:hung-up
  hung up with the request                     | request+hangup                           | close:hung-up
  hung up before the reply                     | request answer hangup ok                 | ask 1 close:hung-up
  hung up out of band: no line end             | request answer hangupAtOnce              | ask 1 close:hung-up
  hung up in the middle of the usage           | request answer usage+hangup              | ask 1 refused:520 close:hung-up
  hung up after the first reply                | request answer ok+hangup                 | ask 1 2 close:hung-up
  not an Asterisk                              | http                                     | close:not-agi
  not an Asterisk, known from its first byte   | tls                                      | close:not-agi
  nothing at all                               | nothing nothing                          |
  nothing after the end                        | request answer ok ok hangup request answer | ask 1 2 close:done
  a request that does not end                  | tooLong                                  | close:too-long
  a request that ends too late                 | tooLong+ends                             | close:too-long
  too many lines                               | tooManyLines                             | close:too-long
  too many lines in a value, without an end   | endlessLines                            | close:too-long
  as many lines as can be                      | manyLines                                | ask
  a reply that does not end                    | request answer long long long long long  | ask 1 close:too-long
  talk while asked                             | request talk talk talk talk talk         | ask close:too-long
`);
for (const [name, inputs, does] of rows)
  test(`a session: ${name}`, () => {
    const pieces = inputs.split(' ').map((piece) => {
      const parts = piece.split('+').map((word) => (word in come ? come[word] : assert.fail(word)));
      return parts[0] === null ? null : parts.join('');
    });
    const expected = does.split(' ').filter(Boolean);
    assert.deepEqual(
      play(...pieces).actions.map(brief),
      expected.map((word) => done[word] ?? word.replace(':', ' ')),
    );
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
