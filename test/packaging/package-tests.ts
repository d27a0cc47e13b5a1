import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type Machine, run, type Said } from '../tools/packaging/machine.ts';
import { type Packages, versions } from '../tools/packaging/packages.ts';

const install = ['dpkg', '-i'] as const;

const units = ['pbx-bridge.service', 'pbx-bridge@berlin.service', 'pbx-bridge-service.service'];

/** What the package does to a machine on which nothing runs, as while an image is built. */
export async function packageTests(t: TestContext, packages: Packages, machine: Machine): Promise<void> {
  copyFileSync(packages.now, machine.at('now.deb'));
  copyFileSync(packages.next, machine.at('next.deb'));
  const before = await files(machine);

  await t.test(
    'installs, asks nothing, says what is to be done, and makes nothing that the world can read',
    async () => {
      const { output } = await succeeds(machine.chroot(...install, '/now.deb'));
      assert.match(output, /next, on a PBX: +pbx-bridge setup /);
      for (const folder of [
        '/etc/pbx-bridge',
        '/var/lib/pbx-bridge',
        '/etc/pbx-bridge-service',
        '/var/lib/pbx-bridge-service',
      ]) {
        const readable = await machine.chroot('find', folder, '-perm', '/o=rwx');
        assert.equal(readable.output, '', 'readable by everybody');
      }
      const mode = (statSync(machine.at('etc/pbx-bridge/bridge.env')).mode & 0o777).toString(8);
      assert.equal(mode, '640');
      assert.match(readFileSync(machine.at('etc/passwd'), 'utf8'), /^pbx-bridge:.*nologin$/m);
      const documents = ['README.md', 'config/operating.md', 'src/service/README.md'];
      const [picture = 'none'] =
        /(?<=\]\()test\/pictures\/[^)]+/.exec(readFileSync('README.md', 'utf8')) ?? [];
      for (const document of [...documents, picture])
        assert.ok(existsSync(machine.at(`usr/share/doc/pbx-bridge/${document}`)), document);
      const written = await machine.chroot(
        'find',
        '/usr/lib/pbx-bridge',
        '/usr/bin/pbx-bridge',
        '-perm',
        '/go=w',
      );
      assert.equal(written.output, '', 'writable by others');
    },
  );

  await t.test(
    'the program runs, with its own runtime, as its own user, and waits for its settings',
    async () => {
      assert.equal(
        (await succeeds(machine.chroot('sh', '-c', 'cd /root; pbx-bridge --version'))).output,
        `${versions.now}\n`,
      );
      const { code, output } = await machine.chroot('pbx-bridge', 'run');
      assert.equal(code, 78);
      assert.match(
        output,
        /not configured: run pbx-bridge setup, or fill in the empty settings in \/etc\/pbx-bridge\/bridge\.env/,
      );
      const nobody = await machine.chroot('setpriv', '--reuid=nobody', '--clear-groups', 'pbx-bridge', 'run');
      assert.equal(nobody.code, 78);
      assert.match(nobody.output, /^ENV_FILE: got .*which cannot be read \(EACCES\)/);
    },
  );

  await t.test(
    'the service cannot read what is the bridge’s, nor the bridge what is the service’s',
    async () => {
      const canRead = async (user: string, path: string) => {
        const as = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'] as const;
        return (await machine.chroot(...as, 'test', '-r', path)).code === 0;
      };
      const [bridge, service] = ['pbx-bridge', 'pbx-bridge-service'] as const;
      await succeeds(machine.chroot('touch', `/var/lib/${service}/service-secret`));
      for (const [path, owner, other] of [
        ['/etc/pbx-bridge/bridge.env', bridge, service],
        ['/var/lib/pbx-bridge', bridge, service],
        ['/etc/pbx-bridge-service/service.env', service, bridge],
        ['/var/lib/pbx-bridge-service/service-secret', service, bridge],
      ] as const) {
        assert.equal(await canRead(owner, path), true, `${owner} ${path}`);
        assert.equal(await canRead(other, path), false, `${other} ${path}`);
      }
      await succeeds(machine.chroot('rm', `/var/lib/${service}/service-secret`));
    },
  );

  await t.test('check sees what the program will not be able to open', async () => {
    const check = `d=$(mktemp -d); chown pbx-bridge "$d"; touch "$d/outbox.db"
      STATE_DIR=$d AMI_USERNAME=a AMI_SECRET=b API_BASE_URL=http://127.0.0.1:9/api/v1 API_TOKEN=c pbx-bridge check
      rm -r "$d"`;
    const { output } = await machine.chroot('sh', '-c', check);
    assert.match(output, /^FAIL {2}state directory .*: user pbx-bridge may not write to outbox\.db in it$/m);
  });

  await t.test(
    'a bug report of root has the log, and is written where the bridge’s user may write',
    async () => {
      const report = await succeeds(machine.chroot('sh', '-c', 'cd /root && pbx-bridge bugreport'));
      const [file = ''] = /\/tmp\/pbx-bridge-bugreport-\S+\.txt/.exec(report.output) ?? [];
      const kept = await succeeds(machine.chroot('stat', '-c', '%U %a', file));
      assert.equal(kept.output, 'pbx-bridge 600\n');
      const wrapper = 'sed \'s/^exec.*/echo "$@"/\' /usr/bin/pbx-bridge | sh -s -- service bugreport';
      assert.match(
        (await succeeds(machine.chroot('sh', '-c', wrapper))).output,
        /^setpriv --reuid=pbx-bridge-service --regid=pbx-bridge-service --groups=[\d,]+,\d+ -- /,
      );
      await succeeds(machine.chroot('rm', file));
    },
  );

  await t.test('man shows the pages, and bash completes commands and options', async () => {
    for (const [page, text] of [
      ['man1/pbx-bridge.1', /pbx-bridge explain 0301234567/],
      ['man1/pbx-bridge-service.1', /service integration list/],
      ['man5/pbx-bridge.env.5', /SERVICE_METRICS_LISTEN/],
    ] as const) {
      const shown = await succeeds(run('man', ['--warnings', '-l', machine.at(`usr/share/man/${page}.gz`)]));
      assert.match(shown.output, text);
      assert.doesNotMatch(shown.output, /warning/);
    }
    const complete = async (...words: string[]) => {
      const script = `. /usr/share/bash-completion/completions/pbx-bridge
        COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
        _pbx_bridge; echo "\${COMPREPLY[@]}"`;
      return (await succeeds(machine.chroot('bash', '-c', script))).output.trim();
    };
    assert.equal(await complete('pbx-bridge', 'ser'), 'service');
    assert.equal(await complete('pbx-bridge', 'service', 'token', '--ke'), '--keep-old');
  });

  await t.test('the units are right, and safe to 1.2 of systemd-analyze security', async () => {
    const verified = await succeeds(machine.chroot('systemd-analyze', 'verify', '--man=no', ...units));
    assert.equal(verified.output, '');
    for (const unit of units) {
      const file = `/lib/systemd/system/${unit.replace('@berlin', '@')}`;
      await succeeds(machine.chroot('systemd-analyze', 'security', '--offline=yes', '--threshold=12', file));
    }
  });

  await t.test(
    'an upgrade, a downgrade, and a removal leave settings, state and what was disabled',
    async () => {
      await succeeds(machine.chroot('sh', '-c', 'echo "# mine" >> /etc/pbx-bridge/bridge.env'));
      await succeeds(
        machine.chroot(
          'sh',
          '-c',
          'mkdir /var/lib/pbx-bridge/bridge; touch /var/lib/pbx-bridge/bridge/queue',
        ),
      );
      await succeeds(machine.chroot('systemctl', 'disable', 'pbx-bridge.service'));
      const steps = [
        [...install, '/next.deb'],
        [...install, '/now.deb'],
        ['dpkg', '--remove', 'pbx-bridge'],
        [...install, '/next.deb'],
      ] as const;
      for (const [command, ...args] of steps) {
        await succeeds(machine.chroot(command, ...args));
        assert.match(readFileSync(machine.at('etc/pbx-bridge/bridge.env'), 'utf8'), /^# mine$/m);
        assert.ok(statSync(machine.at('var/lib/pbx-bridge/bridge/queue')).isFile());
      }
      assert.equal((await succeeds(machine.chroot('pbx-bridge', '--version'))).output, `${versions.next}\n`);
      assert.equal((await machine.chroot('systemctl', 'is-enabled', 'pbx-bridge')).output, 'disabled\n');
    },
  );

  await t.test('a purge leaves nothing', async () => {
    await succeeds(machine.chroot('dpkg', '--purge', 'pbx-bridge'));
    assert.doesNotMatch(readFileSync(machine.at('etc/passwd'), 'utf8'), /pbx-bridge/);
    const after = await files(machine);
    assert.deepEqual(
      after.filter((name) => !before.includes(name)),
      [],
    );
    assert.deepEqual(
      before.filter((name) => !after.includes(name)),
      [],
    );
  });
}

async function succeeds(said: Promise<Said>): Promise<Said> {
  const { code, output } = await said;
  assert.equal(code, 0, output);
  return { code, output };
}

/** Every file of the machine but what dpkg and the user database keep for themselves. */
export async function files(machine: Machine): Promise<string[]> {
  const { output } = await machine.chroot('find', '/', '-xdev');
  const ofTheirOwn =
    /^\/(var\/lib\/dpkg|var\/log|var\/cache(?!\/pbx-bridge)|tmp|proc|dev|run|sys)\/|^\/etc\/\w+-$|^\/etc\/\.pwd\.lock$/;
  return output.split('\n').filter((name) => !ofTheirOwn.test(name));
}
