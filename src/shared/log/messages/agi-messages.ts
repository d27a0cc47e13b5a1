import type { Message } from './program-messages.ts';

/** What to do if the dialplan asks for a script that the bridge does not have. */
export const otherScriptTodo =
  "If it is a script of FreePBX (a name in .agi): port 4573 is FreePBX's own. Set AGI_LISTEN to another port, such as 127.0.0.1:9437, and the same port in the dialplan (PBX_BRIDGE_AGI); restart the bridge, then run: fwconsole reload. Otherwise correct the address in the dialplan: AGI(agi://HOST:PORT/priority).";

/** Log messages about priority lookups (FastAGI). */
export const agiMessages = {
  'agi.listening': {
    level: 'info',
    text: 'priority lookups: listening on {host} port {port}',
    means: 'AGI(agi://{host}:{port}/priority) in the dialplan is answered.',
  },
  'agi.not-listening': {
    level: 'error',
    text: 'priority lookups: cannot listen on {host} port {port}: {error}; retrying every 5 s, calls are still reported',
    means:
      'Another program uses the port, or this machine does not have the address. AGI() in the dialplan fails at once.',
    todo: "Set AGI_LISTEN to a free port. Leave FreePBX's own FastAGI server (port 4573) running: its ring groups need it. If the dialplan uses no priorities, set AGI_LISTEN to off.",
  },
  'agi.lookup-failed': {
    level: 'warn',
    text: 'no priority for {number}: {reason}; using the cached or default priority ({more} more like this since the last such line)',
    means:
      'The API did not answer a priority lookup correctly, or a lookup ahead of the dialplan. No call was delayed beyond the deadline. Logged at most once a minute.',
    todo: 'If the field is missing in the answer, set PRIORITY_FIELD and PRIORITY_PARAM. Otherwise check the API, as for delivery.',
  },
  'agi.lookup-late': {
    level: 'warn',
    text: 'no priority for {number} within {waited} ms; using the cached or default priority ({more} more like this since the last such line)',
    means:
      'The API is slow. A late answer is cached for the next call from this number; if it is an error, "no priority for" follows with its reason. Logged at most once a minute.',
    todo: 'To let callers wait longer, raise AGI_DEADLINE_MS.',
  },
  'agi.unknown-script': {
    level: 'error',
    text: 'the dialplan asked this bridge for the AGI script {script}, which it does not have: the call went on without it ({more} more like this since the last such line)',
    means:
      'The only script of this bridge is priority. The port of AGI_LISTEN is the port of another FastAGI server, or the address in the dialplan is wrong. Without dialparties.agi, ring groups of FreePBX ring no phone. Logged at most once a minute.',
    todo: otherScriptTodo,
  },
  'agi.command-refused': {
    level: 'warn',
    text: 'priority lookups: Asterisk refused an AGI command: {reply} ({more} more like this since the last such line)',
    means: 'A channel variable may not be set. Logged at most once a minute.',
    todo: 'Report this line, with the version of Asterisk.',
  },
  'agi.cut-off': {
    level: 'warn',
    text: 'priority lookups: closed a connection at the deadline of {deadline} ms (phase: {phase}); the dialplan continues ({more} more like this since the last such line)',
    means:
      'Asterisk, or another client, did not send its request or read the reply before the deadline. Logged at most once a minute.',
    todo: 'In phase request: another program than Asterisk connects to AGI_LISTEN.',
  },
  'agi.address-refused': {
    level: 'warn',
    text: 'priority lookups: closed a connection from {address}, which AGI_ALLOW does not list ({more} more like this since the last such line)',
    means: 'Only addresses in AGI_ALLOW may connect. Logged at most once a minute.',
    todo: 'If it is the PBX, add the address to AGI_ALLOW; otherwise block it in the firewall.',
  },
  'agi.too-many-connections': {
    level: 'warn',
    text: 'priority lookups: more than {most} connections at once; closed the newest ({more} more like this since the last such line)',
    means: 'No PBX sets up so many calls at once: a client floods the port. Logged at most once a minute.',
    todo: 'In the firewall, allow only the PBX to reach AGI_LISTEN.',
  },
  'agi.not-accepted': {
    level: 'error',
    text: 'priority lookups: cannot accept a connection: {error} ({more} more like this since the last such line)',
    means: 'The system has no file descriptors or memory left. Logged at most once a minute.',
    todo: 'Raise LimitNOFILE in the unit, or find the program that uses them up.',
  },
} as const satisfies Record<string, Message>;
