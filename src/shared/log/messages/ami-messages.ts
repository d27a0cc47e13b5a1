import type { Message } from './program-messages.ts';

/** Log messages about the AMI connection to the PBX. */
export const amiMessages = {
  'ami.connected': {
    level: 'info',
    text: 'connected to Asterisk {version} at {address}; channels in progress: {channels}',
    means: 'The bridge has logged in and read the channels in progress.',
  },
  'ami.unreachable': {
    announced: true,
    level: 'error',
    text: 'cannot connect to Asterisk at {address}: {reason}; retrying',
    means: 'No connection could be made. Calls that begin and end in the meantime are not seen.',
    todo: 'Check that Asterisk is running, that AMI_HOST and AMI_PORT are correct, that the manager is enabled (manager.conf: enabled=yes, bindaddr), and that no firewall blocks the port.',
  },
  'ami.tls-refused': {
    announced: true,
    level: 'error',
    text: 'no TLS connection to Asterisk at {address}: {reason}; retrying',
    means: 'The certificate was not accepted. User name and secret were not sent.',
    todo: 'The certificate of the manager (manager.conf: tlscertfile) must match AMI_HOST and be signed by the authority in AMI_TLS_CA. A failed handshake usually means a port without TLS.',
  },
  'ami.not-asterisk': {
    announced: true,
    level: 'error',
    text: 'no Asterisk manager at {address}: {reason}; retrying',
    means: 'The connection was accepted, but the greeting is not that of Asterisk.',
    todo: 'Check that AMI_PORT is the port of the manager (5038, or 5039 with TLS), not of SIP or HTTP. A port with TLS needs AMI_TLS.',
  },
  'ami.login-refused': {
    announced: true,
    level: 'error',
    text: 'cannot log in to Asterisk at {address}: {reason}; retrying',
    means:
      'User name, secret or IP address do not match: Asterisk gives the same answer for all three. Or the user is logged in already, which allowmultiplelogin = no forbids.',
    todo: 'Compare AMI_USERNAME and AMI_SECRET with manager.conf, and its permit and deny lines with the address of this machine. If Asterisk says Login Already In Use, they are right: set allowmultiplelogin = yes in [general] of manager.conf, or use another manager user.',
  },
  'ami.no-reporting-class': {
    announced: true,
    level: 'error',
    text: 'Asterisk at {address} does not list its channels: {reason}; retrying',
    means:
      'Without write class "reporting" the manager user may not run CoreShowChannels, which the bridge needs at each start.',
    todo: 'Add write = reporting to the user in manager.conf, then run: manager reload.',
  },
  'ami.no-call-class': {
    announced: true,
    level: 'error',
    text: 'Asterisk at {address} sends no call events: {reason}; retrying',
    means:
      'Channels came and went without events: read class "call" is missing, or an eventfilter removes them.',
    todo: 'Add read = call to the user in manager.conf, check its eventfilter lines, then run: manager reload.',
  },
  'ami.silent': {
    announced: true,
    level: 'warn',
    text: 'Asterisk at {address} does not respond: {reason}; reconnecting',
    means:
      'The connection is open, but nothing is answered: the network dropped it silently, Asterisk hangs, or this machine is far behind with reading. Each new attempt waits twice as long for answers, up to a minute.',
    todo: 'If it lasts: check that Asterisk answers (asterisk -rx "core show uptime"), the network to it, and the load of both machines.',
  },
  'ami.unanswered': {
    level: 'warn',
    text: 'Asterisk does not answer the action {action}: {missing}',
    means:
      'The login and the list of channels are answered, so calls are reported. Logged once for each action.',
    todo: 'If a proxy stands between the bridge and Asterisk, connect the bridge to the manager port of Asterisk itself.',
  },
  'ami.lost': {
    announced: true,
    level: 'warn',
    text: 'the connection to Asterisk at {address} has ended: {reason}; reconnecting',
    means:
      'Asterisk stopped or restarted, or the network failed. Calls in progress are read after the reconnection.',
    todo: 'If it lasts: check that Asterisk runs (systemctl status asterisk), and the network to it.',
  },
  'ami.still-down': {
    level: 'error',
    text: 'still not connected to Asterisk at {address} after {minutes} min and {attempts} attempts: {reason}',
    means: 'The problem logged before continues.',
    todo: 'See the first line about it.',
  },
  'ami.old-asterisk': {
    level: 'warn',
    text: 'Asterisk {version} is not supported: the oldest supported version is {oldest}',
    means: 'Its events may lack what the bridge needs, so that calls are reported wrongly or not at all.',
    todo: 'Update Asterisk.',
  },
  'ami.no-linkedid': {
    announced: true,
    level: 'warn',
    text: 'the events of Asterisk {version} have no Linkedid: which channels belong to a call is unknown',
    means:
      'Asterisk 12 and older send none, nor do programs that imitate Asterisk. Calls may be reported wrongly or not at all.',
    todo: 'Update Asterisk to a supported version, and connect the bridge to Asterisk itself.',
  },
  'ami.linkedid': {
    level: 'info',
    text: 'the events of Asterisk have a Linkedid again',
    means: 'Calls are told apart by it: the problem is over.',
  },
  'ami.no-bridge-events': {
    announced: true,
    level: 'warn',
    text: 'Asterisk sends no BridgeEnter events: who talks with callers is read from its list of channels, up to 20 s later',
    means:
      'Channels are connected according to the list of channels, but no event said so. Short conversations may be reported as missed calls.',
    todo: 'Remove BridgeEnter from disabledevents in manager.conf, compare the eventfilter lines of the user with config/asterisk/manager_custom.conf, check declined_message_types in stasis.conf, then restart Asterisk.',
  },
  'ami.bridge-events': {
    level: 'info',
    text: 'Asterisk sends BridgeEnter events again',
    means: 'Answered calls are recognised by them: the problem is over.',
  },
  'ami.frame-lost': {
    level: 'warn',
    text: 'discarded an AMI message that was too long ({event}); if it was about a call, the channels are read again',
    means:
      'Asterisk sent a line of more than 16 KB or a message of more than 64 KB. Logged once; further ones are counted.',
  },
  'ami.line-break': {
    level: 'warn',
    text: 'ignored what follows a line break in a value of an AMI event ({event}); such events so far: {count}',
    means:
      'Somebody called with a line break in the number, or dialled one: an attempt to forge events of Asterisk, or a faulty phone. The call is reported with the number before the line break. Other calls are not affected. Logged at most every five minutes.',
    todo: 'If it continues, block the caller in Asterisk or at the provider.',
  },
  'ami.bad-event': {
    level: 'warn',
    text: 'ignored an AMI event that is not as Asterisk writes it ({event}); such events so far: {count}',
    means:
      'Lines are missing, repeated or in another order: bytes were lost on the way, or a caller tried to forge events of Asterisk with line breaks in a number. Logged at most every five minutes.',
  },
  'ami.input-failed': {
    level: 'error',
    text: 'failed to process an AMI event ({input}): {error}; continuing with the next',
    means: 'A fault in this program. The call of this event may be reported wrongly.',
    todo: 'Report this line, with a recording of such a call if possible (pbx-bridge record --out /tmp/problem.jsonl).',
  },
} as const satisfies Record<string, Message>;
