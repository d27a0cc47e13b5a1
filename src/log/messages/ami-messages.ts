import type { Message } from './message.ts';

/** Log messages of the link to the PBX. */
export const amiMessages = {
  'ami.connected': {
    level: 'info',
    text: 'connected to Asterisk {version} at {address}; {channels} channels there now',
    means: 'The link to the PBX is up, the login worked and the channels in progress were read.',
  },
  'ami.unreachable': {
    level: 'error',
    text: 'no connection to Asterisk at {address}: {reason}; trying again for as long as it takes',
    means: 'Nothing accepts connections there. Calls that begin and end meanwhile are not seen.',
    todo: 'Is Asterisk running? Do AMI_HOST and AMI_PORT name it? Is the manager switched on (manager.conf: enabled=yes, bindaddr)? Is a firewall between?',
  },
  'ami.tls-refused': {
    level: 'error',
    text: 'no safe connection to Asterisk at {address}: {reason}; trying again for as long as it takes',
    means: 'The certificate that was shown there did not pass, so neither user nor secret were sent.',
    todo: 'Compare the certificate of the manager (manager.conf: tlscertfile) with the name in AMI_HOST and the authority in AMI_TLS_CA; a failed handshake is mostly a port without TLS.',
  },
  'ami.not-asterisk': {
    level: 'error',
    text: 'no Asterisk manager at {address}: {reason}; trying again for as long as it takes',
    means: 'Something accepted the connection but did not greet as an Asterisk does.',
    todo: 'Does AMI_PORT name the manager (5038, or 5039 with TLS) rather than SIP or HTTP? A port with TLS needs AMI_TLS.',
  },
  'ami.login-refused': {
    level: 'error',
    text: 'not let in by Asterisk at {address}: {reason}; trying again for as long as it takes',
    means: 'User, secret or our address do not fit. Asterisk gives the same answer to all three.',
    todo: 'Compare AMI_USERNAME and AMI_SECRET with manager.conf, and its permit and deny lines with the address of this machine.',
  },
  'ami.no-reporting-class': {
    level: 'error',
    text: 'Asterisk at {address} does not show its channels: {reason}; trying again for as long as it takes',
    means:
      'Without write class "reporting" the manager user may not run CoreShowChannels, which every start begins with.',
    todo: 'Add write = reporting to the user in manager.conf, then: manager reload.',
  },
  'ami.no-call-class': {
    level: 'error',
    text: 'Asterisk at {address} tells nothing of its calls: {reason}; trying again for as long as it takes',
    means:
      'Channels came and went, but no event told of them: read class "call" is missing, or an eventfilter hides them.',
    todo: 'Add read = call to the user in manager.conf, look at its eventfilter lines, then: manager reload.',
  },
  'ami.silent': {
    level: 'warn',
    text: 'Asterisk at {address} has gone silent: {reason}; connecting again',
    means:
      'The connection stands, but nothing is answered: the network dropped it without a word, Asterisk hangs, or this machine is far behind with reading what comes. Each new attempt waits twice as long for its answers, up to a minute.',
  },
  'ami.lost': {
    level: 'warn',
    text: 'the connection to Asterisk at {address} has ended: {reason}; connecting again',
    means:
      'Asterisk stopped or restarted, or the network failed. Calls in progress are read again on return.',
  },
  'ami.still-down': {
    level: 'error',
    text: 'still no link to Asterisk at {address}, for {minutes} min now and after {attempts} attempts: {reason}',
    means: 'The same trouble as was logged before goes on.',
    todo: 'See the line that first told of it.',
  },
  'ami.frame-lost': {
    level: 'warn',
    text: 'an AMI message ({event}) was too long and is lost; if it was about a call, the channels are read again soon',
    means:
      'Asterisk sent a line of more than 16 KB or a message of more than 64 KB. Told once; the rest is counted.',
  },
  'ami.bad-event': {
    level: 'warn',
    text: 'an AMI event ({event}) lacks what it is about and is left out',
    means:
      'An event without a Uniqueid or the like cannot be told to belong to a call. Told once; the rest is counted.',
  },
  'ami.input-failed': {
    level: 'error',
    text: 'an AMI event ({input}) could not be worked on: {error}; going on with the next',
    means: 'A fault in this program. The call that the event belongs to may be told wrongly.',
    todo: 'Report it, with a recording of such a call if you can.',
  },
} as const satisfies Record<string, Message>;
