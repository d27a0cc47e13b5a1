/** Log messages about the program itself, systemd, the log and the status server. */
export const programMessages = {
  'program.started': {
    level: 'info',
    text: 'pbx-bridge {version} started: PBX_ID {pbxId}, API {api}, state in {stateDir}; open calls: {openCalls}, events waiting: {waiting}',
    means: 'All parts of the bridge are running. Open calls and waiting events are from before the restart.',
  },
  'program.stopping': {
    level: 'info',
    text: 'received {signal}, stopping; undelivered events stay on disk',
    means: 'The service manager or a person asked the program to stop.',
  },
  'program.stopped': {
    level: 'info',
    text: 'stopped',
    means: 'The program has released everything and exits with code 0.',
  },
  'program.stop-failed': {
    level: 'warn',
    text: '{part} did not stop cleanly ({error}); stopping the other parts',
    means: 'One part of the program could not release its resources. Stored events are not affected.',
  },
  'program.failed': {
    level: 'fatal',
    text: 'cannot continue: {error}; exiting with code 1, so that the service manager restarts the program',
    means: 'An essential part of the program has failed. Open calls and undelivered events are on disk.',
    todo: 'See the error. If it returns after the restart, the usual cause is the disk or the state directory.',
  },
  'program.misspelt': {
    level: 'warn',
    text: 'unknown setting {name}; did you mean {nearest}?',
    means: 'A variable is set whose name is almost that of a setting. It has no effect.',
    todo: 'Correct its name in the settings file, and reload.',
  },
  'program.reloaded': {
    level: 'info',
    text: 'settings reloaded; in effect now: {live}',
    means:
      'These variables have changed. A new AMI_SECRET is used at the next login, everything else at once.',
  },
  'program.reload-needs-restart': {
    level: 'warn',
    text: 'settings reloaded; need a restart to take effect: {restart}',
    means: 'These variables have changed too, but cannot be changed while the program runs.',
    todo: 'systemctl restart pbx-bridge. Nothing is lost: open calls and undelivered events are on disk.',
  },
  'program.reload-unchanged': {
    level: 'info',
    text: 'settings reloaded; nothing has changed',
    means:
      'A reload was requested (SIGHUP), and all settings are as before. systemd reads credentials only when it starts the program.',
  },
  'program.reload-refused': {
    level: 'error',
    text: 'settings not reloaded: {problems}; the previous settings stay in effect',
    means: 'A variable has an invalid value. Nothing was changed.',
    todo: 'Correct the named variables, and reload again.',
  },
  'systemd.standstill': {
    level: 'error',
    text: '{part} has not responded for 30 s; no longer feeding the watchdog, so that systemd restarts the program',
    means:
      'A part of the program hangs, or the disk or kernel that it waits for. Open calls and undelivered events are on disk.',
    todo: 'If it returns after the restart, check the disk, and report this line.',
  },
  'systemd.notify-failed': {
    level: 'error',
    text: 'cannot notify systemd: {error}',
    means:
      'systemd does not learn that the program is ready or alive, and will restart it after its timeout.',
    todo: 'Report this line. Until it is fixed, set Type=exec and WatchdogSec=0 in a drop-in (systemctl edit).',
  },
  'log.lines-dropped': {
    // As severe as any line that may be missing.
    level: 'error',
    text: 'log lines dropped since {since}: {count}. Standard output was blocked or full; calls were not affected',
    means:
      'The reader of standard output (journald, Docker, a pipe) stood still, or its disk was full. About 4 MB of lines and the newest 50 were kept; those in between were dropped.',
    todo: 'Find out what blocked the log at that time: journald, the disk. pbx-bridge explain shows what became of the calls.',
  },
  'status.listening': {
    level: 'info',
    text: 'status: listening on http://{host}:{port}/status.json, with /metrics, /healthz and /readyz',
    means: 'pbx-bridge status and Prometheus use this address.',
  },
  'status.not-listening': {
    level: 'warn',
    text: 'status: cannot listen on {host} port {port}: {error}; retrying every 5 s, calls are still reported',
    means:
      'Another program uses the port, often another instance, or this machine does not have the address.',
    todo: 'Set STATUS_LISTEN to a free port for each instance, or to off.',
  },
} as const satisfies Record<string, Message>;

/** One line of the log: its level, text, meaning and remedy. */
export type Message = {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /** `{name}` is replaced by the field of that name. */
  readonly text: string;
  /** For an operator who does not know the code. */
  readonly means: string;
} & (
  | {
      /** What to do; absent if nothing needs doing. */
      readonly todo?: string;
      readonly announced?: never;
    }
  /** A problem that is announced to people who do not read the log. */
  | { readonly todo: string; readonly announced: true }
);
