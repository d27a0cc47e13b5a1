import assert from 'node:assert/strict';
import { test } from 'node:test';
import { managerUsers } from '../tools/lab/config.ts';
import { startFarEnd } from '../tools/lab/far-end.ts';
import { labImpossible, versions } from '../tools/lab/install.ts';
import { office } from '../tools/lab/offices.ts';
import type { Row } from '../tools/lab/row.ts';
import { playRow } from '../tools/lab/stage.ts';
import { runCommand } from '../tools/program/operator.ts';
import { openLab } from './lab.ts';
import { matrix } from './rows/all.ts';

const skip = labImpossible() ?? false;
const rows: [row: string, says: RegExp][] = [
  ['voicemail', /^Ended in: VoiceMail\(/m],
  ['queue-given-up', /^Ended in: Queue\(/m],
  ['blind-transfer', / 1002 takes over, and talks with the caller$/m],
  ['blind-transfer-to-mobile', / \+491\*+11 takes over, and talks with the caller$/m],
];

/** What explain says of calls on a real Asterisk, which says of a place in its dialplan what it does there. */
for (const version of versions)
  test(`explain, beside a real Asterisk ${version}`, { skip }, async (t) => {
    const lab = await openLab(version);
    const farEnd = await startFarEnd({ amiPort: lab.pbx.ports.ami });
    t.after(async () => {
      await farEnd.stop();
      await lab.stop();
    });
    const { name, secret } = managerUsers.bridge;
    const env = {
      AMI_PORT: `${lab.pbx.ports.ami}`,
      AMI_USERNAME: name,
      AMI_SECRET: secret,
      STATE_DIR: farEnd.state,
      PBX_ID: 'lab',
    };
    for (const [name, says] of rows)
      await t.test(name, async () => {
        const index = matrix.findIndex((row) => row.name === name);
        const { inbound } = await playRow({ row: matrix[index] as Row, index, office: office(1), ...lab });
        const uniqueid = inbound[0]?.uniqueid ?? '';
        const isOver = () => farEnd.receivedOf(uniqueid)?.reported.at(-1)?.status === 'completed';
        await farEnd.fakeApi.waitFor(isOver, 30_000);
        await farEnd.endBridge();
        const { text } = await runCommand(['explain', uniqueid], env);
        await farEnd.startBridge();
        assert.match(text.replace(/\n +(?=\S)/g, ' '), says);
      });
  });
