import assert from 'node:assert/strict';
import { askAgi, callFrom } from '../../src/bridge/agi/agi-client.fixture.ts';
import { type FarEnd, startFarEnd } from '../tools/lab/far-end.ts';
import { freepbxFastAgiPort } from '../tools/lab/freepbx-fastagi.ts';
import { office } from '../tools/lab/offices.ts';
import type { Row } from '../tools/lab/row.ts';
import { playRow } from '../tools/lab/stage.ts';
import { runCommand } from '../tools/program/operator.ts';
import { type Lab, openLab } from './lab.ts';
import { rowsOf } from './worlds.ts';

/**
 * A program of its own (`node freepbx-fastagi-scene.ts VERSION`) in a network of its own: prints the name of each step
 * that went well.
 */
type Scene = {
  readonly lab: Lab;
  readonly server: NonNullable<Lab['fastAgi']>;
  /** The ring group rings, and its second phone answers; gives what Asterisk logged of it. Throws if not. */
  groupRings(): Promise<string>;
  /** A call to the ring group that no phone takes part in; gives the same. */
  groupCalled(): Promise<string>;
  bridge(settings?: Readonly<Record<string, string>>): Promise<FarEnd>;
};

const oldPort = `127.0.0.1:${freepbxFastAgiPort}`;
const priorityPort = 9437;
/** What Asterisk logs when it dials a phone. */
const dialled = /Called (PJSIP|SIP)\//;

export const steps = {
  'the bridge is started before the server of FreePBX': async ({ server, bridge, groupRings }: Scene) => {
    await server.stop();
    const farEnd = await bridge();
    await farEnd.logged('agi.listening');
    await server.start();
    await groupRings();
    const { variables } = await askAgi(priorityPort, { lines: callFrom('+4940669690101') });
    assert.ok(variables.CALLER_PRIORITY_STATUS, 'the bridge answers lookups on its own port');
    await farEnd.stop();
    assert.equal(server.deaths(), 0);
  },
  'the bridge is started after it': async ({ server, bridge, groupRings }: Scene) => {
    const farEnd = await bridge();
    await farEnd.logged('agi.listening');
    await groupRings();
    await farEnd.stop();
    assert.equal(server.deaths(), 0);
  },
  'the bridge is started while it restarts': async ({ server, bridge, groupRings }: Scene) => {
    const [farEnd] = await Promise.all([bridge(), server.crash()]);
    await farEnd.logged('agi.listening');
    await groupRings();
    await server.crash();
    await groupRings();
    await farEnd.stop();
    assert.equal(server.deaths(), 2, 'those of this step');
  },
  'check names the server and leaves it alone': async ({ server, groupRings }: Scene) => {
    const deaths = server.deaths();
    const env = {
      API_BASE_URL: 'http://127.0.0.1:1/api/v1',
      API_TOKEN: 't',
      AMI_USERNAME: 'a',
      AMI_SECRET: 'b',
    };
    const { text } = await runCommand(['check'], { ...env, AGI_LISTEN: oldPort, STATE_DIR: '/nowhere' });
    const flat = text.replace(/\n +(?=\S)/g, ' ');
    assert.match(
      flat,
      /^FAIL +AGI_LISTEN 127\.0\.0\.1:4573: in use by FreePBX's own FastAGI server: .*Leave the other server running/m,
    );
    await groupRings();
    assert.equal(server.deaths(), deaths);
  },
  // The negative control, and what a bridge.env that names the old port gets.
  'a bridge set to its port works, and the dialplan goes on': async (scene: Scene) => {
    const { server, bridge, groupCalled } = scene;
    await server.stop();
    const farEnd = await bridge({ AGI_LISTEN: oldPort });
    await farEnd.logged('agi.listening');
    await assert.rejects(server.start(), /does not start on port 4573/);
    const { variables } = await askAgi(freepbxFastAgiPort, { lines: callFrom('+4940669690101') });
    assert.ok(variables.CALLER_PRIORITY_STATUS);
    const logged = await groupCalled();
    assert.match(logged, /Returned from dialparties with no extensions to call/);
    assert.doesNotMatch(logged, dialled);
    await farEnd.logged('agi.unknown-script');
    await farEnd.stop();
    await server.start();
    assert.match(await scene.groupRings(), dialled);
  },
} satisfies Record<string, (scene: Scene) => Promise<void>>;

async function play(version: string): Promise<void> {
  await using cleanUp = new AsyncDisposableStack();
  const world = version === '16' ? 'freepbx-16' : 'freepbx-22';
  const lab = await openLab(world, { fastAgiPort: freepbxFastAgiPort });
  cleanUp.defer(lab.stop);
  const [one] = rowsOf(world, 'ring-group-local');
  assert.ok(one && lab.fastAgi);
  const logOf = async (row: Row) => {
    const before = (await lab.pbx.log()).length;
    await playRow({ row, index: one.index, office: office(1), ...lab });
    return (await lab.pbx.log()).slice(before);
  };
  const scene: Scene = {
    lab,
    server: lab.fastAgi,
    groupRings: () => logOf(one.row),
    groupCalled: () =>
      logOf({ ...one.row, phones: {}, play: async (stage) => void (await stage.customerCalls()) }),
    async bridge(settings = {}) {
      const farEnd = await startFarEnd({
        amiPort: lab.pbx.ports.ami,
        // A deadline that a busy machine does not miss.
        settings: { AGI_LISTEN: '', AGI_DEADLINE_MS: '5000', ...settings },
      });
      cleanUp.defer(farEnd.stop);
      return farEnd;
    },
  };
  for (const [name, step] of Object.entries(steps)) {
    await step(scene);
    process.stdout.write(`${name}\n`);
  }
}

if (import.meta.main) await play(process.argv[2] ?? '22');
