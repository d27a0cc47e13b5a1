import assert from 'node:assert/strict';
import { limits } from '../../src/shared/api/contract/decisions.ts';
import { event, raw } from '../tools/service/harness.ts';
import { bearer, screenEvents } from '../tools/service/stream.ts';
import { accepted, freshId, refused, row, says } from './service-document-row.ts';

/** Parts 1 to 4.1 and 6: call events, what they are made of and what they do. */
export const eventRows = [
  row(
    '2, 4.1',
    'id, direction, status, and from of an inbound call are required.',
    'invalid-input',
    async ({ id, a, post, history }) => {
      for (const field of ['id', 'direction', 'status', 'from']) {
        const answer = await post(a.token, event({ id, [field]: undefined, marker: id }));
        refused(answer, field);
        const [entry] = await history(a.token, `?search=request&search_term=${id}&sort=-created_at`);
        assert.deepEqual([entry?.status, entry?.response], [422, answer.json]);
      }
    },
  ),
  row('2, 4.1', 'caller_id is not required.', '', async ({ send }) =>
    send({ id: freshId(), caller_id: undefined }),
  ),
  row('2', 'Each field is a string.', 'invalid-input', async ({ refuse }) => {
    for (const field of ['id', 'direction', 'status', 'from', 'caller_id']) {
      await refuse({ id: freshId(), [field]: 7 }, field);
    }
  }),
  row('2', 'An event counts whatever an addition to it is.', 'call-extras', async ({ send, shown }) => {
    for (const extras of [
      7,
      'text',
      [],
      { number_called: 7 },
      { at: 'noon' },
      { missed: { where: 'cellar', after: 1 } },
      { missed: { after: -1 } },
      { line: 'a\u0000b' },
      { number_called: '0'.repeat(10_000) },
    ]) {
      const id = freshId();
      await send({ id, extras });
      assert.equal((await shown(id))?.status, 'ringing', JSON.stringify(extras));
    }
  }),
  row(
    '2',
    'The same id value is reused for every event of one call.',
    'call-reference',
    async ({ id, a, post, send, shown }) => {
      await send({ id });
      accepted(await post(a.secondToken, event({ id, status: 'answered' })));
      assert.equal((await shown(id))?.status, 'answered');
      const upper = id.toUpperCase();
      assert.equal(await shown(upper), undefined);
      refused(await post(a.token, event({ id: 'x'.repeat(limits.referenceLength + 1) })), 'id');
    },
  ),
  row(
    '2',
    'Allowed values of direction other than inbound: not shown.',
    'direction-values',
    async ({ refuse }) => refuse({ direction: 'outbound' }, 'direction'),
  ),
  row('2', 'Complete list of allowed status values: not shown.', 'status-values', async ({ refuse }) => {
    for (const status of ['busy', 'RINGING', 'missed']) await refuse({ status }, 'status');
  }),
  row('2', 'from is in phone-number format.', 'number-format', async ({ send, refuse, shown }) => {
    for (const from of ['+4930901820', '030 / 90-18 20', '(030) 901820', '0049 30 901820']) {
      const id = freshId();
      await send({ id, from });
      const call = await shown(id);
      assert.deepEqual([call?.from, call?.number], [from, '+4930901820']);
    }
    const star = freshId();
    await send({ id: star, from: '*21#' });
    assert.equal((await shown(star))?.number, '21');
    for (const from of ['anonymous', '+', '<sip:x@y>']) await refuse({ from }, 'from');
  }),
  row('2', 'Other fields of a call: not shown.', 'unknown-fields', async ({ a, post, history }) => {
    const body = event({ id: freshId(), queue: 'sales', nested: { deep: [1] } });
    accepted(await post(a.token, body));
    const [entry] = await history(a.token, `?search=request&search_term=${body.id}`);
    assert.deepEqual(JSON.parse(entry?.request ?? ''), body);
  }),
  row(
    '2, 4.1',
    'Blank values: not shown.',
    'blank-is-missing',
    async ({ id, a, ask, send, refuse, shown }) => {
      await send({ id, caller_id: null });
      assert.equal((await shown(id))?.caller_id, null);
      for (const other of [` ${id}`, `${id}\u00a0`]) {
        await send({ id: other });
        assert.ok(await shown(other), 'ids are compared exactly');
      }
      accepted(await ask(`/voice/call?id=${id}&direction=inbound&status=answered&from=110&caller_id=`, a));
      await refuse({ id: '  ' }, 'id');
      await refuse({ from: '' }, 'from');
    },
  ),
  row('2, 8', 'result is 48 random characters, exactly; it identifies nothing.', '', async ({ a, post }) => {
    const body = event({ id: freshId() });
    const results = new Set<string>();
    for (let n = 0; n < 20; n += 1) {
      const { result } = (await post(a.token, body)).json as { result: string };
      assert.match(result, /^[A-Za-z0-9]{48}$/);
      results.add(result);
    }
    assert.equal(results.size, 20, 'the same event again gives another one');
  }),
  row(
    '2, 4.3',
    'Each entry holds the payload as received, the response given, the status, and the duration; created_at.',
    'history-entry',
    async ({ id, a, ask, history }) => {
      const body = `{ "id":"${id}",\n "direction":"inbound","status":"ringing","from":"110"}`;
      const answer = await ask('/voice/call', { token: a.token, method: 'POST', body });
      await ask(`/voice/call?id=${id}&direction=inbound&status=answered&from=%2B4930901820&x=%20`, a);
      const [posted, got] = await history(a.token, `?search=request&search_term=${id}&sort=created_at`);
      assert.deepEqual(
        { ...posted, id: 0, created_at: '', duration: 0 },
        {
          id: 0,
          created_at: '',
          method: 'POST',
          path: '/api/v1/voice/call',
          request: body,
          request_encoding: 'utf-8',
          status: 200,
          duration: 0,
          response: answer.json,
        },
      );
      assert.ok(Math.abs(Date.parse(posted?.created_at ?? '') - Date.now()) < 60_000);
      assert.ok((posted?.duration ?? 0) > 0);
      assert.ok((got?.id ?? 0) > (posted?.id ?? 0));
      assert.equal(got?.request, `id=${id}&direction=inbound&status=answered&from=%2B4930901820&x=%20`);
      await ask(`/voice/call?queue=${id}`, { token: a.token, method: 'POST', body: event({ id }) });
      const [both] = await history(a.token, `?search=request&search_term=${id}&sort=-created_at`);
      assert.deepEqual(
        [both?.path, both?.request],
        [`/api/v1/voice/call?queue=${id}`, JSON.stringify(event({ id }))],
      );
      await ask('/voice/call', { token: a.token, method: 'POST', body: Buffer.from([0xff, 0xfe]) });
      const page = (await ask('/voice?sort=-created_at&limit=1', a)).json as { data: { request: string }[] };
      assert.deepEqual(page.data[0], {
        ...page.data[0],
        request: '//4=',
        request_encoding: 'base64',
        status: 400,
      });
    },
  ),
  row(
    '3.1, 3.2, 7',
    'A call only moves forward; an event out of order is accepted with 200 and discarded, the call unchanged.',
    '',
    async ({ id, send, shown }) => {
      await send({ id, status: 'answered', caller_id: '1001' });
      const call = await shown(id);
      await send({ id, status: 'ringing', caller_id: '1002', from: '110' });
      assert.deepEqual(await shown(id), call);
      await send({ id, status: 'completed' });
      await send({ id, status: 'answered' });
      assert.equal(await shown(id), undefined);
    },
  ),
  row('3.1', 'The same event twice: not shown.', 'duplicate-event', async ({ id, send, shown }) => {
    await send({ id });
    const call = await shown(id);
    await send({ id, from: '110' });
    assert.deepEqual(await shown(id), call);
  }),
  row(
    '3.4',
    'The first event for an unknown id creates the call, whatever its status; a later one advances it.',
    '',
    async ({ id, send, shown }) => {
      for (const status of ['ringing', 'answered']) {
        await send({ id: `${id} ${status}`, status });
        assert.equal((await shown(`${id} ${status}`))?.status, status);
      }
      await send({ id, status: 'completed' });
      await send({ id, status: 'ringing' });
      assert.equal(await shown(id), undefined);
    },
  ),
  row('2, 3', 'Fields that later events bring: not shown.', 'late-fields', async ({ id, send, shown }) => {
    await send({ id, from: '110', caller_id: '1' });
    await send({ id, status: 'answered', from: '112', caller_id: '2' });
    const call = await shown(id);
    assert.deepEqual([call?.from, call?.caller_id], ['110', '2']);
  }),
  row(
    '4.1',
    'GET /voice/call takes the same fields in the query string.',
    '',
    async ({ id, a, ask, shown }) => {
      const query = new URLSearchParams(event({ id, caller_id: '1001' }));
      accepted(await ask(`/voice/call?${query}`, a));
      assert.equal((await shown(id))?.caller_id, '1001');
      refused(await ask('/voice/call', a), 'id', 'direction', 'status');
    },
  ),
  row('4.1, 4.2', 'A plus in a query string: not shown.', 'plus-in-query', async ({ id, a, ask, shown }) => {
    accepted(await ask(`/voice/call?id=${id}&direction=inbound&status=ringing&from=+4930901820`, a));
    const answered = `id=${id}&direction=inbound&status=answered&from=+4930901820&caller_id=+31612345678`;
    accepted(await ask(`/voice/call?${answered}`, a));
    const call = await shown(id);
    assert.deepEqual([call?.from, call?.caller_id], ['+4930901820', '+31612345678']);
  }),
  row(
    '4.1',
    'GET /voice/call is for systems that can only request a URL, whatever they put into it.',
    'raw-url',
    async ({ a, history, url, said, shown }) => {
      const get = (path: string, http = '1.0') =>
        raw(url, `GET ${path} HTTP/${http}\r\nHost: x\r\nAuthorization: Bearer ${a.token}\r\n\r\n`);
      for (const [sent, read] of [
        ['Jan Piet', 'Jan Piet'],
        [Buffer.from('René').toString('latin1'), 'René'],
        ['Ren\xe9', 'René'],
        ['Ren%E9', 'René'],
        ['Ren%E9 M\xfcller', 'René Müller'],
        ['100% <b>"x"', '100% <b>"x"'],
      ] as const) {
        const id = freshId();
        const query = `id=${id}&direction=inbound&status=answered&from=+49 30 901820&caller_id=${sent}`;
        assert.match(
          await get(`/api/v1/voice/call?${query}`, '1.1'),
          /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"result":/,
        );
        const call = await shown(id);
        assert.deepEqual([call?.from, call?.caller_id], ['+49 30 901820', read]);
        assert.equal((await history(a.token, `?search=request&search_term=${id}`)).length, 1);
      }
      assert.match(
        await get('/api/v1/voice/priority?number=+49 30 901820'),
        /\{"priority":10,"segment":"VIP","name":"Alpha's customer",[^{]*\}$/,
      );
      const stranger = await raw(url, 'GET /api/v1/voice/call?id=a b HTTP/1.1\r\nHost: x\r\n\r\n');
      assert.match(stranger, /^HTTP\/1\.1 302 Found\r\n/);
      said.length = 0;
      for (const path of ['/api/v1/voice?search_term=a b', '/api/v1/voice/call?id=a\0b', '/a b'])
        assert.match(await get(path), /^HTTP\/1\.1 400 [\s\S]*\{"message":"The request line is not valid/);
      assert.deepEqual(said, ['service.unreadable'], 'at most once a minute');
    },
  ),
  row('4.1', 'A field given twice: not shown.', 'repeated-key', async ({ a, ask, shown }) => {
    const [one, two, three] = [freshId(), freshId(), freshId()];
    accepted(await ask(`/voice/call?id=${one}&id=${two}&direction=inbound&status=ringing&from=110`, a));
    const body = `{"id":"${one}","id":"${three}","direction":"inbound","status":"ringing","from":"110"}`;
    accepted(await ask('/voice/call', { token: a.token, method: 'POST', body }));
    assert.equal(await shown(one), undefined);
    assert.ok(await shown(two));
    assert.ok(await shown(three));
  }),
  row('4.1', 'The body is a JSON object.', 'broken-json', async ({ a, ask }) => {
    const texts = ['{"id":', '[]', '"x"', 'null', '7', `${JSON.stringify(event())}x`, '['.repeat(20_000)];
    for (const body of [...texts, Buffer.from('{"id":"\xff"}', 'latin1'), Buffer.from('{}', 'utf16le')])
      says(await ask('/voice/call', { token: a.token, method: 'POST', body }), 400);
    const marked = `\ufeff${JSON.stringify(event({ id: freshId() }))}`;
    accepted(await ask('/voice/call', { token: a.token, method: 'POST', body: marked }));
  }),
  row(
    '4.1',
    'Header Content-Type: application/json.',
    'content-type',
    async ({ id, a, post, ask, page, shown }) => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'nonsense',
      ]) {
        const answer = await ask('/voice/call', {
          token: a.token,
          method: 'POST',
          body: JSON.stringify(event({ id: freshId() })),
          headers: { 'content-type': type },
        });
        says(answer, 415);
        const [entry] = (await page(a.token, '?sort=-created_at&limit=1')).data;
        assert.deepEqual([entry?.status, JSON.parse(entry?.request ?? '{}').direction], [415, 'inbound']);
      }
      const type = 'application/json; charset=utf-8';
      accepted(await post(a.token, event({ id: freshId() }), { 'content-type': type }));
      const latin = { 'content-type': 'application/json; charset="ISO-8859-1"' };
      const body = Buffer.from(JSON.stringify(event({ id, caller_id: 'René' })), 'latin1');
      accepted(await ask('/voice/call', { token: a.token, method: 'POST', body, headers: latin }));
      assert.equal((await shown(id))?.caller_id, 'René');
      says(await post(a.token, event(), { 'content-type': 'application/json; charset=nonsense' }), 415);
    },
  ),
  row('8', 'Largest body: not shown.', 'body-size', async ({ a, ask, page }) => {
    const body = JSON.stringify(event({ id: freshId(), filler: 'x'.repeat(limits.bodyBytes) }));
    says(await ask('/voice/call', { token: a.token, method: 'POST', body }), 413);
    const { data } = await page(a.token, '?sort=-created_at&limit=1');
    const [entry] = data;
    assert.deepEqual([entry?.status, entry?.request], [413, body.slice(0, limits.bodyBytes)]);
  }),
  row(
    '6',
    'An accepted call event drives the activity record; when a call is missed: not shown.',
    'missed-call',
    async ({ a, url, send }) => {
      const stream = screenEvents(url, bearer(a.token));
      await stream.next();
      const ids = [freshId(), freshId(), freshId(), freshId()] as const;
      const steps: [string, object[]][] = [
        [ids[0], [{ status: 'ringing' }, { status: 'completed' }]],
        [ids[1], [{ status: 'ringing' }, { status: 'answered' }, { status: 'completed' }]],
        [ids[2], [{ status: 'ringing' }, { status: 'completed', caller_id: '1001' }]],
        [ids[3], [{ status: 'completed' }]],
      ];
      for (const [id, events] of steps) for (const fields of events) await send({ id, ...fields });
      const missed = new Map<string, boolean | null>();
      for await (const heard of stream) {
        if (heard.event === 'call') missed.set(heard.call.id, heard.call.missed);
        if (ids.every((id) => typeof missed.get(id) === 'boolean')) break;
      }
      assert.deepEqual(
        ids.map((id) => missed.get(id)),
        [true, false, false, true],
      );
    },
  ),
];
