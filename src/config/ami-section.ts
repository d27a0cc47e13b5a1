import { section } from './section.ts';
import { file, line, port, secret, yesNo } from './variable.ts';

export const amiSection = section({
  title: 'The PBX: a manager user with read = call and write = reporting (manager.conf)',
  shape: {
    AMI_HOST: line('a host name or address')
      .prefault('127.0.0.1')
      .describe('Where Asterisk listens for managers.'),
    AMI_PORT: port().prefault('5038').describe('Its port; with TLS usually 5039.'),
    AMI_USERNAME: line('the name of a manager user').describe(
      'The manager user, its section in manager.conf.',
    ),
    AMI_SECRET: secret("the manager user's secret").describe('Its secret.'),
    AMI_TLS: yesNo().prefault('no').describe('Speak TLS to Asterisk (tlsenable in manager.conf).'),
    AMI_TLS_CA: file('the path of a PEM file that can be read', /-----BEGIN CERTIFICATE-----/)
      .optional()
      .describe(
        "The authority that signed Asterisk's certificate; without it, those that the system trusts.",
      ),
    AMI_TLS_SERVERNAME: line('a host name')
      .optional()
      .describe("The name that Asterisk's certificate must bear; without it, AMI_HOST."),
  },
  live: ['AMI_USERNAME', 'AMI_SECRET'],
  conflicts: (values) =>
    values.AMI_TLS
      ? []
      : (['AMI_TLS_CA', 'AMI_TLS_SERVERNAME'] as const)
          .filter((name) => values[name] !== undefined)
          .map((name) => `${name}: is set, but AMI_TLS is off; set AMI_TLS=yes or remove ${name}`),
  build: (values) => ({
    host: values.AMI_HOST,
    port: values.AMI_PORT,
    username: values.AMI_USERNAME,
    secret: values.AMI_SECRET,
    tls: values.AMI_TLS ? { ca: values.AMI_TLS_CA, serverName: values.AMI_TLS_SERVERNAME } : undefined,
  }),
});
