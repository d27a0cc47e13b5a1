import { file, line, live, port, secret, section, yesNo } from './variable.ts';

export const amiSection = section({
  title: 'The PBX: a manager user with read = call and write = reporting (manager.conf)',
  shape: {
    AMI_HOST: line('a host name or address')
      .prefault('127.0.0.1')
      .describe('Host of the Asterisk manager interface (AMI).'),
    AMI_PORT: port().prefault('5038').describe('Port of the manager interface; with TLS usually 5039.'),
    AMI_USERNAME: line('the name of a manager user')
      .describe('Name of the manager user: its section in manager.conf.')
      .meta(live),
    AMI_SECRET: secret("the manager user's secret").describe('Secret of the manager user.').meta(live),
    AMI_TLS: yesNo().prefault('no').describe('Connect with TLS (tlsenable in manager.conf).'),
    AMI_TLS_CA: file('the path of a readable PEM file', /-----BEGIN CERTIFICATE-----/)
      .optional()
      .describe(
        "Certificate authority of Asterisk's certificate. Default: the authorities that the system trusts.",
      ),
    AMI_TLS_SERVERNAME: line('a host name')
      .optional()
      .describe("Host name in Asterisk's certificate. Default: AMI_HOST."),
  },
  address: ['AMI_HOST', 'AMI_PORT', 'AMI_TLS'],
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
