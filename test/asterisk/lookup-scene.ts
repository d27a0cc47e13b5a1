import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { connectAmi } from '../tools/lab/ami.ts';
import { start } from '../tools/lab/asterisk.ts';
import { type BoardChannel, createBoard } from '../tools/lab/board.ts';
import { managerUsers } from '../tools/lab/config.ts';
import type { Version } from '../tools/lab/install.ts';
import { callerPort, office, phonePort } from '../tools/lab/offices.ts';
import type { PortBlock } from '../tools/lab/ports.ts';
import { calls, phone } from '../tools/lab/sip-script.ts';
import { type SipEnd, startSipp, tellSipp } from '../tools/lab/sipp.ts';
import { type Program, runProgram, temporaryFolder } from '../tools/program/program.ts';

export type Caller = { readonly channel: BoardChannel; hangsUp(): void };

export type LookupScene = Awaited<ReturnType<typeof openLookupScene>>;

/** Where the bridge answers lookups. */
export const lookupPort = (ports: PortBlock) => ports.at(ports.room - 1);

/**
 * A real Asterisk with a dialplan that asks the real bridge, and the real service with customers in the segments gold (10) and
 * silver (5). `phones`: those of office 1 that answer. `did`: the number that customers call.
 */
export async function openLookupScene(
  t: TestContext,
  version: Version,
  {
    customers,
    did,
    phones,
    tech = 'PJSIP',
    settings = {},
    ...lab
  }: Parameters<typeof start>[1] & {
    readonly customers: string;
    readonly did: string;
    readonly phones: readonly number[];
    readonly tech?: 'PJSIP' | 'SIP';
    readonly settings?: Readonly<Record<string, string>>;
  },
) {
  const pbx = await start(version, lab);
  t.after(() => pbx.stop());
  const board = createBoard();
  const times = new Map<string, Map<string, number>>();
  const driver = await connectAmi({
    port: pbx.ports.ami,
    username: managerUsers.driver.name,
    secret: managerUsers.driver.secret,
    onEvent(frame) {
      const { Event: event, Uniqueid: uniqueid = '', Application: application = '' } = frame.fields;
      if (event === 'Newexten') {
        const reached = times.get(uniqueid) ?? new Map<string, number>();
        if (!reached.has(application)) times.set(uniqueid, reached.set(application, performance.now()));
      }
      board.apply(frame);
    },
  });
  t.after(() => driver.close());

  const folder = temporaryFolder(t);
  const run = (args: readonly string[], env: Record<string, string>): Program => {
    const program = runProgram(args, { env, cwd: folder });
    t.after(async () => void (await program.end('SIGKILL')));
    return program;
  };
  const serviceEnv = { SERVICE_LISTEN: '127.0.0.1:0', SERVICE_COUNTRY: 'DE' };
  const serviceCommand = async (...args: string[]) => {
    const command = run(['service', ...args], serviceEnv);
    assert.equal((await command.ended).code, 0, command.output());
    return command.output();
  };
  const service = run(['service'], serviceEnv);
  const [, url] = await service.says(/"url":"([^"]+)"/);
  await serviceCommand('segments', 'set', 'gold', '10');
  await serviceCommand('segments', 'set', 'silver', '5');
  writeFileSync(`${folder}/customers.csv`, customers);
  await serviceCommand('customers', 'import', 'customers.csv');
  const [, token = ''] = /API_TOKEN=(\S+)/.exec(await serviceCommand('token')) ?? [];

  const bridge = run(['run'], {
    AMI_PORT: String(pbx.ports.ami),
    AMI_USERNAME: managerUsers.bridge.name,
    AMI_SECRET: managerUsers.bridge.secret,
    API_BASE_URL: `${url}/api/v1`,
    API_TOKEN: token,
    DEFAULT_COUNTRY: 'DE',
    AGI_LISTEN: `127.0.0.1:${lookupPort(pbx.ports)}`,
    LOG_FORMAT: 'json',
    ...settings,
  });
  await bridge.says(/"code":"ami\.connected"/);

  const ends: SipEnd[] = [];
  t.after(() => Promise.all(ends.map((end) => end.close())));
  const mobile = 'none';
  for (const nth of phones)
    ends.push(
      await startSipp({ script: phone.answers(), port: phonePort(pbx.ports, office(1), nth), mobile }),
    );

  let placed = 0;
  const place = async (
    from: string,
    to: string,
    headers: readonly string[],
    isIt: (channel: BoardChannel) => boolean,
  ): Promise<Caller> => {
    const known = new Set(board.channels.keys());
    // chan_sip knows a trunk by its port: each office has four.
    const trunkPort = callerPort(pbx.ports, office(1 + (placed >> 2)), placed & 3);
    placed += 1;
    const port = tech === 'SIP' ? trunkPort : pbx.ports.at(20 + ends.length);
    const server = tech === 'SIP' ? pbx.ports.chanSip : pbx.ports.sip;
    const end = await startSipp({ script: calls({ to, from, headers }), port, calls: server, mobile });
    ends.push(end);
    const channel = await board.until(`the call from ${from}`, () =>
      [...board.channels.values()].find((each) => !known.has(each.uniqueid) && isIt(each)),
    );
    return { channel, hangsUp: () => tellSipp(end, 'hangUp') };
  };

  return {
    pbx,
    service: Object.assign(service, { url: url ?? '', folder, token, command: serviceCommand }),
    bridge,
    board,
    customerCalls: (from: string) => place(from, did, ['X-Trunk: yes'], ({ exten }) => exten === did),
    phoneDials: (from: string, to: string) =>
      place(from, to, [], ({ name }) => name.startsWith(`${tech}/${from}-`)),
    reaches: ({ channel }: Caller, application: string) =>
      board.until(`${channel.name} is in ${application}`, () => channel.application === application),
    isServed: ({ channel }: Caller, extension = office(1).extension(1)) =>
      board.until(`${channel.name} is served by ${extension}`, () =>
        board.connected(channel).some(({ name }) => name.startsWith(`${tech}/${extension}-`)),
      ),
    /** The applications that the call has reached so far. */
    reached: ({ channel }: Caller) => new Set(times.get(channel.uniqueid)?.keys()),
    isGone: ({ channel }: Caller) => board.until(`${channel.name} is gone`, () => channel.gone),
    async variable(name: string, { channel }: Caller) {
      const { fields } = await driver.action('GetVar', { Channel: channel.name, Variable: name });
      return fields.Value ?? '';
    },
    /** How long the dialplan was held: from the lookup to what came after it, ms. */
    held({ channel }: Caller): number {
      const reached = times.get(channel.uniqueid);
      return (reached?.get('Return') ?? Number.NaN) - (reached?.get('AGI') ?? Number.NaN);
    },
  };
}
