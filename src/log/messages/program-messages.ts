import type { Message } from './message.ts';

/** Log messages of the program itself, systemd, the log and the status server. */
export const programMessages = {
  'program.started': {
    level: 'info',
    text: 'pbx-bridge {version} runs as {pbxId}, tells {api}, keeps its state in {stateDir}; {openCalls} calls open, {waiting} events waiting',
    means: 'All parts of the bridge have started. Calls open and events waiting are from before the restart.',
  },
  'program.stopping': {
    level: 'info',
    text: 'got {signal}, stopping; what is not delivered stays on disk',
    means: 'The service manager or a person asked the program to stop.',
  },
  'program.stopped': {
    level: 'info',
    text: 'stopped',
    means: 'The program has released everything and ends with exit code 0.',
  },
  'program.stop-failed': {
    level: 'warn',
    text: '{part} did not stop cleanly ({error}); going on with the others',
    means:
      'One part of the program could not release what it held. Nothing that was taken is lost: it is on disk.',
  },
  'program.failed': {
    level: 'fatal',
    text: 'cannot go on: {error}; ending with exit code 1, so that the service manager starts it again',
    means:
      'A part that the program cannot do without has failed. Open calls and undelivered events are on disk.',
    todo: 'Look at the error. If it comes back after the restart, the disk or the state folder is the usual cause.',
  },
  'program.reloaded': {
    level: 'info',
    text: 'settings read again; in force now: {live}',
    means:
      'These variables have changed. A new AMI_SECRET counts from the next login, everything else at once.',
  },
  'program.reload-needs-restart': {
    level: 'warn',
    text: 'settings read again; not in force before a restart: {restart}',
    means: 'These variables have changed too, but a running program cannot take them.',
    todo: 'systemctl restart pbx-bridge. Nothing is lost by it: open calls and undelivered events are on disk.',
  },
  'program.reload-unchanged': {
    level: 'info',
    text: 'settings read again; nothing has changed',
    means:
      'A reload was asked for (SIGHUP), and the settings are as before. Credentials of systemd are read at its start only.',
  },
  'program.reload-refused': {
    level: 'error',
    text: 'settings read again, and not taken: {problems}; going on with those from before',
    means: 'A variable has a value that it does not take. Nothing was changed.',
    todo: 'Correct what is named, and reload again.',
  },
  'systemd.standstill': {
    level: 'error',
    text: 'no sign of life from {part} for 30 s: the watchdog is not fed any more, so that systemd starts the program again',
    means:
      'A part of the program hangs, or what it needs: the disk, the kernel. Open calls and undelivered events are on disk.',
    todo: 'If it comes back after the restart, look at the disk, and report it.',
  },
  'systemd.not-told': {
    level: 'error',
    text: 'systemd could not be told how the program is: {error}',
    means:
      'systemd learns neither that the program is ready nor that it is alive, and will start it again after a while.',
    todo: 'Report it. Until then, Type=exec and WatchdogSec=0 in a drop-in (systemctl edit) do without.',
  },
  'log.lines-dropped': {
    // As high as any line that may be missing.
    level: 'error',
    text: '{count} lines are missing here, the first of {since}: nothing took what this log says; no call has waited for it',
    means:
      'What reads standard output (journald, Docker, a pipe) stood still, or the disk that it is written to was full. Some 4 MB of lines were kept, and the newest 50; those between them were dropped.',
    todo: 'Look at what was wrong with the log at that time: journald, the disk. What became of the calls, pbx-bridge explain knows all the same.',
  },
  'status.listening': {
    level: 'info',
    text: 'status: http://{host}:{port}/status.json, with /metrics, /healthz and /readyz beside it',
    means: 'pbx-bridge status and Prometheus find the bridge there.',
  },
  'status.not-listening': {
    level: 'warn',
    text: 'status: cannot listen on {host} port {port}: {error}; tried again every 5 s, calls are told meanwhile',
    means: 'Another program has the port, often another instance, or the address is not of this machine.',
    todo: 'Set STATUS_LISTEN to a free port for each instance, or to off.',
  },
} as const satisfies Record<string, Message>;
