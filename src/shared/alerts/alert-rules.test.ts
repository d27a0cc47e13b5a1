import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideAlerts, type WatchedProblems } from './alert-rules.ts';
import type { Problem } from './problem.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 22, 9);
const link: Problem = { key: 'link', code: 'ami.lost', what: 'the link is down', remedy: 'Mend it.' };

/** Looks once a minute; gives `minute state times` of what is announced, as it would be after a restart at each look. */
function timeline(
  minutes: number,
  seen: (minute: number) => Partial<Problem> | 'unknown' | undefined,
  from: WatchedProblems = {},
): string[] {
  let watched = from;
  const said: string[] = [];
  for (let at = 0; at < minutes; at += 1) {
    const it = seen(at);
    const problems = it === undefined || it === 'unknown' ? [] : [{ ...link, ...it }];
    const unknown = it === 'unknown' ? ['link'] : [];
    const decided = decideAlerts(
      watched,
      { problems, unknown },
      { now: start + at * minute, afterMs: 5 * minute },
    );
    watched = JSON.parse(JSON.stringify(decided.watched)) as WatchedProblems;
    for (const { code, state, since, until, flaps, times } of decided.notices) {
      const span = `${(since - start) / minute}${until === undefined ? '' : `-${(until - start) / minute}`}`;
      const other = code === link.code ? '' : ` ${code}`;
      said.push(`${at} ${state} ${span}${flaps ? ` ${times} times` : ''}${other}`);
    }
  }
  assert.deepEqual(timelineRest(watched, minutes), [], 'nothing is remembered for ever');
  return said;
}

function timelineRest(watched: WatchedProblems, from: number): string[] {
  let rest = watched;
  for (let at = 0; at < 200; at += 1)
    rest = decideAlerts(rest, { problems: [] }, { now: start + (from + at) * minute, afterMs: 0 }).watched;
  return Object.keys(rest);
}

describe('alerts', () => {
  test('once when it has lasted, once when it is over', () =>
    assert.deepEqual(
      timeline(100, (at) => (at >= 10 && at < 50 ? {} : undefined)),
      ['15 began 10', '51 over 10-50'],
    ));
  test('what lasts less is not announced', () =>
    assert.deepEqual(
      timeline(100, (at) => (at >= 10 && at < 14 ? {} : undefined)),
      [],
    ));
  test('the beginning is known to the problem', () =>
    assert.deepEqual(
      timeline(100, (at) => (at < 50 ? { since: start - 7 * minute } : undefined)),
      ['0 began -7', '51 over -7-50'],
    ));
  test('what does not end by itself is announced at once', () =>
    assert.deepEqual(
      timeline(20, (at) => (at >= 3 ? { atOnce: true } : undefined)),
      ['3 began 3'],
    ));
  test('a short absence is no end', () =>
    assert.deepEqual(
      timeline(60, (at) => (at < 50 && at !== 20 ? {} : undefined)),
      ['5 began 0', '51 over 0-50'],
    ));
  test('what is not known at the moment is neither over nor new', () =>
    assert.deepEqual(
      timeline(60, (at) => (at < 10 ? {} : at < 20 ? 'unknown' : at < 30 ? {} : 'unknown')),
      ['5 began 0'],
    ));
  test('what comes and goes is announced as such, once a day, and over after an hour of quiet', () =>
    assert.deepEqual(
      timeline(60 * 50, (at) => (at < 60 * 48 && at % 10 < 2 ? {} : undefined)),
      ['20 began 20 3 times', '1460 continues 20 147 times', '2932 over 20-2872 288 times'],
    ));
  test('a count that grows is announced again, once a day', () =>
    assert.deepEqual(
      timeline(60 * 24 * 3, (at) => ({ atOnce: true, amount: at < 60 ? 1 : at < 60 * 50 ? 2 : 3 })),
      ['0 began 0', '1440 continues 0', '3000 continues 0'],
    ));
  const refused = { code: 'ami.login-refused' } as const;
  test('another cause of the same problem is announced when it has lasted, with the end of the first', () =>
    assert.deepEqual(
      timeline(60, (at) => (at < 20 ? {} : at < 40 ? refused : undefined)),
      ['5 began 0', '25 over 0-20', '25 began 20 ami.login-refused', '41 over 20-40 ami.login-refused'],
    ));
  test('a cause that does not last changes nothing: what was announced is over', () =>
    assert.deepEqual(
      timeline(60, (at) => (at < 20 ? {} : at < 23 ? refused : at < 30 ? {} : at < 32 ? refused : undefined)),
      ['5 began 0', '33 over 0-32'],
    ));
  test('a cause that changes before anything was announced: the last one is', () =>
    assert.deepEqual(
      timeline(60, (at) => (at < 3 ? {} : at < 20 ? refused : undefined)),
      ['5 began 0 ami.login-refused', '21 over 0-20 ami.login-refused'],
    ));
  test('what was removed is over at once, once, and nothing of it is remembered', () => {
    const first = (problem: Problem) =>
      decideAlerts({}, { problems: [problem] }, { now: start, afterMs: minute }).watched;
    const gone = { problems: [], isGone: (key: string) => key === 'link' };
    const then = { now: start + 1, afterMs: minute };
    const { watched, notices } = decideAlerts(first({ ...link, atOnce: true }), gone, then);
    assert.deepEqual(watched, {});
    const over = { state: 'over', since: start, until: start + 1, times: 1, flaps: false };
    const { key: _, ...text } = link;
    assert.deepEqual(notices, [{ ...text, ...over }]);
    assert.deepEqual(decideAlerts(first(link), gone, then), { watched: {}, notices: [] });
    const other = { ...gone, isGone: () => false };
    assert.deepEqual(Object.keys(decideAlerts(first(link), other, then).watched), ['link']);
  });
  test('a clock that is set back delays nothing for ever', () => {
    const future = { since: start + 600 * minute, beginnings: [start + 600 * minute] };
    const known = { ...link, ...future, absentSince: start + 600 * minute };
    const alert = { sentAt: start + 600 * minute, times: 1, timesSent: 1, amountSent: 0, flaps: false };
    assert.deepEqual(
      timeline(3, () => undefined, { link: { ...known, alert } }).map((line) => line.slice(0, 6)),
      ['1 over'],
    );
  });
});
