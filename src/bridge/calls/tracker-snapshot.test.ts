import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { journalText } from '../../cli/explain/journal-text.ts';
import type { EndedUnseen, Input, SnapshotChannel } from './input.ts';
import { readOpenCall } from './open-call.ts';
import { readReportRule } from './report-rules.ts';
import {
  answered,
  answeredBy,
  at,
  becomes,
  caller,
  completed,
  created,
  dialled,
  enters,
  gone,
  hangsUp,
  heard,
  missed,
  parking,
  phone,
  play,
  ringing,
  row,
  type Setup,
  snapshot,
  talk,
  testReports,
  tick,
} from './tracker.fixture.ts';

const silent = { ...caller, callerNumber: '' };

describe('a call that is gone after (re)connecting, when its record is to say how it ended', () => {
  const ended = (more: Partial<EndedUnseen> = {}): Input => ({
    type: 'ended-unseen',
    at,
    uniqueid: '1.1',
    ...more,
  });
  const number = { from: ringing.from, how: 'national' };
  const [recordedMissed, recordedAnswered] = [ended(), ended({ callerId: '1001' })];
  const numberAndMissed = ended({ number });
  const otherNumber = ended({ number: { ...number, from: '+31209999999' } });
  const withheld = ended({ number: { reason: 'no-number', why: 'withheld' } });
  const held = { hasGapFiller: true };
  // biome-ignore format: one case a line
  testReports([
    ['its end is not reported by then', [caller, gone], [ringing]],
    ['it was missed', [caller, gone, recordedMissed], [ringing, 'vanished', missed]],
    ['somebody answered it', [caller, gone, recordedAnswered], [ringing, 'vanished', answered, completed]],
    ['an end is reported once', [caller, gone, recordedMissed, recordedAnswered], [ringing, 'vanished', missed]],
    ['its number was still awaited', [silent, gone, numberAndMissed], [ringing, missed]],
    ['the same, and the wait is over', [silent, { ...gone, at: 10_000 }, tick(9_000), numberAndMissed], [ringing, missed]],
    ['the same, and its hang-up comes after the snapshot', [silent, gone, hangsUp(caller), numberAndMissed], [ringing, missed]],
    ['its hang-up comes after the snapshot', [caller, gone, hangsUp(caller), recordedMissed], [ringing, 'vanished', missed]],
    ['the same, and somebody answered it before that',
      [caller, gone, hangsUp(caller), recordedAnswered], [ringing, 'vanished', answered, completed]],
    ['the same, and who answered was observed', [caller, talk, gone, hangsUp(caller)], [ringing, answered, completed]],
    ['its number was awaited, and there is no record', [silent, gone, recordedMissed], ['no-number']],
    ['its record has another number than it was reported with', [caller, gone, otherNumber], [ringing, 'vanished', missed]],
    ['the PBX dials for it, though its channel is gone', [silent, gone, phone, numberAndMissed], [ringing, missed]],
    ['a call that nobody knows', [recordedAnswered], []],
    ['a number that its record says is withheld is not one that is missing',
      [silent, gone, withheld], ['no-number'], { settings: { missingNumber: '+31999999999' } }],
  ], held);
  test('a call stays ignored, and is judged by the number called that was seen, whatever its record lacks', () => {
    const reportRules = (text: string) =>
      text.split(', ').map((one) => readReportRule(one) ?? assert.fail(one));
    const called = { ...silent, exten: '0207000001' };
    const judged = (rules: string, inputs: Input[]) =>
      play(inputs, { ...held, settings: { reportRules: reportRules(rules), missingNumber: '+31000' } })
        .reported;
    const late = { ...gone, at: 10_000 };
    assert.deepEqual(judged('ignore called +31207*', [called, tick(1_000), late, numberAndMissed]), [
      'ignored',
    ]);
    const own = 'report called +31207*, ignore *';
    assert.deepEqual(judged(own, [called, gone, numberAndMissed]), [ringing, missed]);
    assert.deepEqual(
      judged(own, [{ ...called, exten: '' }, gone, ended({ number, facts: { called: '0207000001' } })]),
      [ringing, missed],
    );
    assert.deepEqual(
      judged(own, [{ ...called, exten: '' }, gone, ended({ number, facts: { called: '0208000001' } })]),
      ['ignored'],
    );
    const channel = ended({ number, facts: { channel: caller.channel } });
    assert.deepEqual(judged('ignore channel PJSIP/trunk-*', [called, gone, channel]), ['ignored']);
  });
  test('the journal says who answered by the record, of whom no channel is there', () => {
    const texts = (heard: Input[]) =>
      play(heard, held).effects.flatMap((it) =>
        it.type === 'journal' && it.entry.kind === 'reported' ? [journalText(it.entry)] : [],
      );
    assert.deepEqual(texts([silent, gone, ended({ number, callerId: '1001' })]), [
      'ringing, from +31201234567',
      'answered by 1001',
      'completed, was answered by 1001',
    ]);
    assert.equal(texts([caller, gone, ended({ callerId: '' })]).at(-1), 'completed, was answered by ?');
  });
});

describe('after (re)connecting', () => {
  const trunkRow = row('1.1', 'PJSIP/trunk-00000001');
  const talking = { ...trunkRow, bridge: 'b' };
  const person = row('1.2', 'PJSIP/1001-00000002', { bridge: 'b' });
  const inbound = (more: Partial<SnapshotChannel> = {}) =>
    snapshot([{ ...trunkRow, context: 'from-trunk-isp', ...more }]);
  const entersUnseen = { ...enters('b', caller), channel: caller.channel };
  const inBridge = snapshot([talking, person]);
  const inNoBridge = snapshot([trunkRow, { ...person, bridge: '' }]);
  const parked = snapshot(
    [trunkRow, person].map((each) => ({ ...each, bridge: 'p' })),
    [parking],
  );
  const behindLocal = snapshot([
    { ...trunkRow, bridge: 'x' },
    row('1.3', 'Local/s@ring-0001;1', { bridge: 'x' }),
    row('1.4', 'Local/s@ring-0001;2', { bridge: 'y' }),
    { ...person, bridge: 'y' },
  ]);
  const withAnother = snapshot([talking, row('1.3', 'PJSIP/1002-00000003', { bridge: 'b' })]);
  const inboundInBridge = snapshot([{ ...talking, context: 'from-trunk-isp' }, person]);
  // biome-ignore format: one case a line
  testReports([
    ['a call that is gone is completed', [caller, gone], [ringing, 'vanished', missed]],
    ['one that was only Down is not decided, but for its record', [{ ...caller, state: 0 }, gone], []],
    ['a call that goes on is not reported again', [caller, snapshot([trunkRow]), hangsUp(caller)], [ringing, missed]],
    ['an answered call that is gone is completed', [caller, talk, gone], [ringing, answered, 'vanished', completed]],
    ['a call answered in the meantime is answered', [caller, inBridge], [ringing, answered]],
    ['a call that is in no bridge is not, though a phone is in none either', [caller, inNoBridge], [ringing]],
    ['a call parked in the meantime is not', [caller, parked], [ringing]],
    ['answered through a Local pair in the meantime', [caller, behindLocal], [ringing, answered]],
    ['answered in the gap, and its end says by whom', [caller, inBridge, hangsUp(caller)], [ringing, answered, completed]],
    ['picked up while it talks: its end names no answerer, another bridge may have reported one',
      [inboundInBridge, hangsUp(caller)], ['picked-up', ringing, answered, missed]],
    ['picked up in a queue, answered afterwards: the same', [inbound(), talk, hangsUp(caller)], ['picked-up', ringing, answered, missed]],
    ['picked up while it rings, answered afterwards: by the first answerer',
      [inbound({ state: 4 }), talk, hangsUp(caller)], ['picked-up', ringing, answered, completed]],
    ['answered before the gap, by whomever it talks to after it',
      [caller, talk, withAnother, hangsUp(caller)], [ringing, answered, completed]],
    ['an unknown call, its context already elsewhere, on no known trunk', [snapshot([trunkRow])], []],
    ['an unknown call in an inbound context is picked up', [inbound()], ['picked-up', ringing]],
    ['a trunk leg that Asterisk dialled is not picked up', [inbound({ application: 'AppDial' })], []],
    ['one that was only Down rings, and its beginning is observed', [inbound({ state: 0 }), becomes(caller, 'ring')], [ringing]],
    ['a trunk leg of another call is not picked up', [inbound({ linkedid: '0.9' })], [], { dnid: '' }],
    ['events that the snapshot had overtaken change nothing', [inbound(), caller, becomes(caller, 'up')], ['picked-up', ringing]],
    ['a Newchannel that comes after the snapshot reports the context', [snapshot([{ ...trunkRow, state: 4 }]), caller], [ringing]],
    ['the same after one in which somebody has answered: the end names who',
      [inBridge, caller, enters('b', caller), hangsUp(caller)], [ringing, answered, completed]],
    ['a leg that we saw being dialled (Originate) is not picked up',
      [{ ...caller, state: 0 }, dialled(caller, '0612345678@trunk'), becomes(caller, 'ringing'), becomes(caller, 'up'), inbound()], []],
    ['a caller whose Newchannel was lost, though its BridgeEnter was heard', [entersUnseen, inbound()], ['picked-up', ringing]],
    ['a leg of another call is not picked up', [{ ...caller, state: 0, linkedid: '0.9' }, inbound()], []],
  ]);

  test('how it went, in words: whether anybody answered is not known of a call that ended unheard', () => {
    const outcome = (inputs: Input[]) =>
      play(inputs).effects.flatMap((effect) => (effect.type === 'report' ? (effect.outcome ?? []) : []));
    assert.deepEqual(outcome([caller, hangsUp(caller)]), ['missed: ended after 0 s']);
    assert.deepEqual(outcome([caller, { ...hangsUp(caller), cause: 26 }]), ['was answered elsewhere']);
    assert.deepEqual(outcome([caller, gone]), ['no answer was observed']);
    assert.deepEqual(outcome([caller, inBridge, hangsUp(caller)]), ['was answered by 1001']);
  });

  test('a channel that was not reported before a restart is not picked up, unless its call is open', () => {
    const saved = { calls: [], trunks: [], unreported: ['1.1'] };
    assert.deepEqual(play([inbound()], { saved }).reported, []);
    const others = { ...saved, unreported: [] };
    assert.deepEqual(play([inbound()], { saved: others }).reported, ['picked-up', ringing]);
    const open = { ...saved, calls: [...play([caller]).state.calls.values()] };
    assert.deepEqual(play([inbound(), hangsUp(caller)], { saved: open }).reported, [missed]);
  });

  test('what a wrong INBOUND_CHANNELS took for a trunk is none any more when it is corrected', () => {
    const call = created('1.1', 'PJSIP/1001-00000001', 4);
    const everything = { inboundChannels: ['PJSIP/*'] };
    const wrong = play([{ ...call, callerNumber: '0201234567' }, hangsUp(call)], { settings: everything });
    assert.deepEqual(wrong.reported, [ringing, missed]);
    const saved = { calls: [], trunks: [...wrong.state.trunks.values()] };
    const later = [snapshot([row('1.1', 'PJSIP/1001-00000003')])];
    const corrected = { inboundChannels: ['PJSIP/trunk-*'] };
    assert.deepEqual(play(later, { settings: corrected, saved }).reported, []);
    assert.deepEqual(play(later, { settings: everything, saved }).reported, ['picked-up', ringing]);
  });

  const saved = { calls: [], trunks: [heard('PJSIP/trunk')] };
  const analogue = { settings: { inboundContexts: ['from-analog'] }, dnid: '' };
  const ours = { context: 'from-trunk-isp', callerNumber: '0205550000', bridge: 'b' };
  // biome-ignore format: one case a line
  testReports([
    ['an unknown call on an endpoint that inbound calls come in on is picked up, also after a restart',
      [snapshot([trunkRow])], ['picked-up', ringing], { saved }],
    ['not one that an application dialled', [snapshot([{ ...trunkRow, application: 'AppDial2' }])], [], { saved }],
    ['an analogue line has no number that was dialled, and is picked up all the same',
      [snapshot([row('1.1', 'DAHDI/1-1', { context: 'from-analog' })])], ['picked-up', ringing], analogue],
    ["a mobile found after a restart is reported by the trunk's name rather than by our own number",
      [snapshot([{ ...trunkRow, ...ours, callerNumber: '0201234567', exten: '0205550000' }, row('1.2', 'PJSIP/trunk-00000002', { ...ours, application: 'AppDial' })])],
      ['picked-up', ringing, answeredBy('trunk')]],
  ]);

  test('a call that the PBX made itself over a trunk is not picked up: nobody dialled a number to reach it', () => {
    const { reported, state } = play([inbound(), inbound(), hangsUp(caller)], { dnid: '' });
    assert.deepEqual(reported, ['picked-up', 'not-inbound']);
    assert.deepEqual([state.calls.size, state.channels.size, state.waitingForNumber.size], [0, 0, 0]);
    assert.deepEqual(play([inbound()]).reported, ['picked-up', ringing]);
    assert.deepEqual(play([caller], { dnid: '' }).reported, [ringing], 'its Newchannel was heard');
  });

  describe('on a line that may have no dialled number', () => {
    // chan_sip has none for calls to its extension `s`, IAX2 for those without that element.
    for (const endpoint of [
      'SIP/provider',
      'IAX2/provider',
      'Dongle/gsm0',
      'Mobile/gsm',
      'OOH323/provider',
    ]) {
      const known: Setup = { saved: { calls: [], trunks: [heard(endpoint)] }, dnid: '' };
      const found = (more: Partial<SnapshotChannel>) => snapshot([row('1.1', `${endpoint}-00000001`, more)]);
      // biome-ignore format: one case a line
      testReports([
        [`${endpoint} rings`, [found({ state: 4 }), talk, hangsUp(caller)], ['picked-up', ringing, answered, completed]],
        [`${endpoint} is in a menu`, [found({ application: 'BackGround' })], ['picked-up', ringing]],
        [`${endpoint} was dialled`, [found({ application: 'AppDial2' })], []],
      ], known);
    }
  });

  test('a saved call is read back, and what another version wrote is none', () => {
    const [call] = play([caller]).state.calls.values();
    assert.deepEqual(readOpenCall(JSON.stringify(call)), call);
    for (const text of ['', '{}', JSON.stringify({ ...call, number: 'x' })])
      assert.equal(readOpenCall(text), undefined);
  });

  test('a number awaited across a restart is waited for on', () => {
    const saved = { calls: [...play([silent]).state.calls.values()], trunks: [] };
    const found = snapshot([{ ...trunkRow, callerNumber: '' }]);
    const { reported } = play([found, tick(1_000)], { settings: { withheldNumber: '00' }, saved });
    assert.deepEqual(reported, [{ ...ringing, from: '00' }]);
  });
});
