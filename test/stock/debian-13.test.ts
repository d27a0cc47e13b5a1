import { testReadmeIn } from './stock-debian.ts';

testReadmeIn({
  name: 'Debian 13 in German',
  suite: 'trixie',
  lang: 'de_DE.UTF-8',
  hosts: '::1\tlocalhost debian\n',
  tests: [
    // What listens, connects and prints.
    {
      command:
        'npm test -- src/cli integration/agi integration/bridge-calls integration/status-all service-pages service-stranger',
      network: 'with IPv6 addresses only',
    },
  ],
});
