import { testReadmeIn } from './stock-debian.ts';

testReadmeIn({
  name: 'Debian 12 as its installer leaves it',
  suite: 'bookworm',
  lang: 'C',
  // localhost has two addresses, and glibc gives the IPv4 one twice.
  hosts: `127.0.0.1\tlocalhost
127.0.1.1\tdebian

# The following lines are desirable for IPv6 capable hosts
::1     localhost ip6-localhost ip6-loopback
ff02::1 ip6-allnodes
ff02::2 ip6-allrouters
`,
  tests: [
    // And what else listens, connects and reads settings.
    {
      command: 'npm test && npm run test:all -- ami-tls refused-starts integration/reload service-process',
      network: 'without IPv6',
    },
  ],
});
