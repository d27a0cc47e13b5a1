import type { Command } from 'commander';
import { addBugReportOptions } from '../shared/process/bugreport.ts';
import type { Context } from './command-context.ts';

/** Runs a command with its argument, if it has one, its options, and a signal that is aborted by Ctrl-C. */
export type Work = (context: Context, ...args: never[]) => number | Promise<number>;

/** The flags, the description, and the default. */
type OptionRow = readonly [flags: string, description: string, fallback?: string];

/** A command, or a group of commands, which may have no work of its own. */
export type CommandRow = {
  readonly name: string;
  readonly description: string;
  /** Commands of its own, such as `outbox list`. */
  readonly commands?: readonly CommandRow[];
} & (
  | { readonly load?: never }
  | {
      /** One command per line, optionally followed by two or more spaces and a remark. */
      readonly examples: string;
      readonly argument?: readonly [name: string, description: string];
      readonly required?: OptionRow;
      readonly options?: readonly OptionRow[];
      /** Options that the service's command has, too; they come first. */
      readonly addShared?: (command: Command) => void;
      /** False: it prints no JSON. */
      readonly json?: false;
      /** The bridge of --instance need not have settings yet. */
      readonly makesInstance?: true;
      /** Loads its modules when it runs. */
      readonly load: () => Promise<Work>;
    }
);

const outboxFilters: readonly OptionRow[] = [
  ['--call <id>', 'events of this call'],
  ['--older-than <span>', 'events older than this, such as 1h or 7d'],
  ['--newer-than <span>', 'events newer than this, such as 1h or 7d'],
];
const showNumbers: OptionRow = ['--show-numbers', 'do not mask phone numbers'];

/** The operators' commands, in the order of the help. */
export const operatorCommands: readonly CommandRow[] = [
  {
    name: 'check',
    description: 'check settings, state directory, ports, PBX and API; change nothing',
    examples: `  pbx-bridge check              before the first start, or when calls do not show
  pbx-bridge check --instance firm-a      of one bridge of several; also compares their rules
  pbx-bridge check --call       also wait 30 s for a test call, and show whether it is reported
  pbx-bridge check --number 4930901820      only show what is made of a caller's number, and by which rule`,
    options: [
      ['--call [seconds]', 'wait for a test call (default: 30 s)'],
      ['--number <number>', "show what is made of a caller's number, and do nothing else"],
    ],
    load: async () => (await import('./check-command.ts')).check,
  },
  {
    name: 'setup',
    description: 'configure, check and start the bridge, without questions; again, only what differs changes',
    examples: `  pbx-bridge setup API_BASE_URL=https://calls.example.com/api/v1 API_TOKEN_FILE=/etc/pbx-bridge/token DEFAULT_COUNTRY=NL
  pbx-bridge setup --instance firm-a API_TOKEN_FILE=/etc/pbx-bridge/firm-a.token      a further bridge, pbx-bridge@firm-a
  pbx-bridge setup --dry-run ALERT_MAIL=it@example.com SMTP_URL=smtp://mail.example.com MAIL_FROM=pbx@example.com`,
    json: false,
    makesInstance: true,
    argument: ['[settings...]', 'NAME=value, as in the settings file'],
    options: [
      ['--dry-run', 'print what would be done, and do nothing'],
      [
        '--manager-file <file>',
        "Asterisk's file for the manager user (default: manager_custom.conf, else manager.conf)",
      ],
    ],
    load: async () => (await import('./setup-command.ts')).setup,
  },
  {
    name: 'bugreport',
    description: 'write one file for a bug report, without secrets, names and numbers',
    examples: `  pbx-bridge bugreport                                  version, machine, settings, check, status, 6 hours of the log
  pbx-bridge bugreport --hours 24 --instance firm-a
  pbx-bridge bugreport --recording /tmp/problem.jsonl    also what pbx-bridge record has recorded, masked again`,
    addShared: (command) => addBugReportOptions(command, 'that of the settings'),
    options: [['--recording <file>', 'add this recording']],
    load: async () => (await import('./bugreport-command.ts')).bugreport,
  },
  {
    name: 'status',
    description: 'show the status of the running bridge',
    examples: `  pbx-bridge status             show it once
  pbx-bridge status --watch     refresh every second
  pbx-bridge status --all       all bridges of this machine, one row each
  pbx-bridge status --json      the same as /status.json`,
    options: [
      ['--watch', 'refresh every second, until Ctrl-C'],
      ['--all', 'show all bridges of this machine; exit code 2 if one of them is not well'],
      ['--folder <folder>', 'with --all: directory of their settings, NAME.env (default: /etc/pbx-bridge)'],
      ['--url <url>', 'address of the status server (default: STATUS_LISTEN)'],
    ],
    load: async () => (await import('./status-command.ts')).status,
  },
  {
    name: 'alert',
    description: 'send a test alert',
    commands: [
      {
        name: 'test',
        description: 'send a test alert to ALERT_MAIL and ALERT_WEBHOOK; the bridge need not run',
        examples: '  pbx-bridge alert test',
        load: async () => (await import('./alert-command.ts')).testAlerts,
      },
    ],
  },
  {
    name: 'explain',
    description: 'explain one call: what was seen, decided and delivered, and why it shows or does not',
    examples: `  pbx-bridge explain 0301234567             the newest call from this number
  pbx-bridge explain 1763600000.42          by the Uniqueid or Linkedid in Asterisk's log
  pbx-bridge explain pbx-1763600000.42      by the call id
Works whether the bridge is running or not. JOURNAL_KEEP sets how far back. Ends with how to find the same call in other logs. Exit code 0: all of the call was reported, 2: it was not.`,
    argument: ['<what>', 'call id, caller number, Uniqueid or Linkedid'],
    options: [showNumbers, ['--offline', 'do not read the request history of the API']],
    load: async () => (await import('./explain-command.ts')).explain,
  },
  {
    name: 'ask',
    description: 'ask the running bridge about a number as the dialplan does: print each variable, and why',
    examples: `  pbx-bridge ask +4930901820        what the dialplan would get now
  pbx-bridge ask 030901820 --json
The same cache and deadline as for the dialplan. Exit code 0: an answer (FOUND, NOTFOUND), 2: none in time, or the API failed.`,
    argument: ['<number>', 'with + or as dialled in DEFAULT_COUNTRY'],
    options: [showNumbers],
    load: async () => (await import('./ask-command.ts')).ask,
  },
  {
    name: 'trunks',
    description: 'list the known trunks with the evidence, or correct them',
    examples: `  pbx-bridge trunks                          where their calls come in, since when, and when last
  pbx-bridge trunks add PJSIP/provider       keep it as a trunk, even without evidence
  pbx-bridge trunks forget PJSIP/1001        not a trunk, until an inbound call comes in on it`,
    load: async () => (await import('./trunks-command.ts')).list,
    commands: [
      {
        name: 'add',
        description: 'add a trunk; works while the bridge runs',
        examples: '  pbx-bridge trunks add PJSIP/provider',
        argument: ['<endpoint>', 'technology and name, as channel names begin'],
        load: async () => (await import('./trunks-command.ts')).add,
      },
      {
        name: 'forget',
        description: 'forget a trunk; works while the bridge runs',
        examples: '  pbx-bridge trunks forget PJSIP/1001',
        argument: ['<endpoint>', 'as listed'],
        load: async () => (await import('./trunks-command.ts')).forget,
      },
    ],
  },
  {
    name: 'forget',
    description:
      "remove a caller's number from delivered events and the journal; works while the bridge runs",
    examples: `  pbx-bridge forget +4930901820
Undelivered events keep it until they are delivered or discarded. For the service: pbx-bridge service forget.`,
    argument: ['<number>', 'with + or as dialled in DEFAULT_COUNTRY'],
    load: async () => (await import('./forget-command.ts')).forget,
  },
  {
    name: 'verify',
    description: 'compare delivered events with the request history of the API',
    examples: `  pbx-bridge verify --since 24h
  pbx-bridge verify --since 7d --resend     send missing events again`,
    options: [
      ['--since <span>', 'compare events delivered within this time, such as 1h or 7d', '24h'],
      ['--limit <n>', 'compare at most this many events, the newest', '10000'],
      ['--resend', 'send missing events again'],
    ],
    load: async () => (await import('./verify-command.ts')).verify,
  },
  {
    name: 'certificate',
    description:
      "compare a month's calls by the PBX's records, the bridge and the API; name every difference",
    examples: `  pbx-bridge certificate --month 2026-11
  pbx-bridge certificate --month 2026-11 --send      also show it on the integration's page of the service
The month begins and ends by the clock of this machine. Exit codes: 0 complete, 1 calls are missing, 2 not proven, or it could not be made.`,
    options: [
      ['--month <month>', 'such as 2026-11; of the present month the calls until now'],
      ['--send', 'send the summary to the service of pbx-bridge'],
    ],
    load: async () => (await import('./certificate-command.ts')).certificate,
  },
  {
    name: 'backfill',
    description: 'report the calls of before the bridge from call records, once; works while the bridge runs',
    examples: `  pbx-bridge backfill --since 2025-01-01 --dry-run      count them by month, and report nothing
  pbx-bridge backfill --since 2025-01-01                have the bridge report them
  pbx-bridge backfill                                   how far it is
They go to the service of pbx-bridge only (API_EXTRAS=yes), at their own times: no screen, webhook, alert or call back follows.`,
    options: [
      ['--since <day>', 'calls from this day on, such as 2025-01-01'],
      ['--dry-run', 'count them, and report nothing; the bridge must run'],
      ['--again', 'also days of an earlier run, as after trunks add; no call is reported twice'],
      ['--stop', 'stop; the place is kept'],
    ],
    load: async () => (await import('./backfill-command.ts')).backfill,
  },
  {
    name: 'record',
    description:
      'record AMI call events into a file, for support; mask names, and numbers from seven digits on',
    examples: `  pbx-bridge record --out /tmp/problem.jsonl          until Ctrl-C
  pbx-bridge record --out /tmp/problem.jsonl --seconds 60`,
    required: ['--out <file>', 'file to create'],
    options: [
      ['--seconds <n>', 'stop after this many seconds (default: at Ctrl-C)'],
      ['--show-numbers', 'do not mask numbers and names'],
    ],
    load: async () => (await import('./record-command.ts')).record,
  },
  {
    name: 'replay',
    description:
      'show what the bridge would report of a recording, and why; or compare its calls with a file',
    examples: `  pbx-bridge replay /tmp/problem.jsonl
  INBOUND_CONTEXTS=from-provider pbx-bridge replay /tmp/problem.jsonl    try other settings
  pbx-bridge replay --calls /tmp/problem.jsonl > expected.txt    a line a call: +4930* -> answered by 101
  pbx-bridge replay --expect expected.txt /tmp/problem.jsonl     the same calls after an upgrade of the PBX?
In that file * stands for any characters, and lines with # are remarks. Exit codes with --expect: 0 as expected, 1 different, 2 a file cannot be read.`,
    argument: ['<file>', 'recording made by pbx-bridge record'],
    options: [
      showNumbers,
      ['--calls', 'print only a line for each call, as --expect takes them'],
      ['--expect <file>', 'compare the calls with the lines of this file'],
    ],
    load: async () => (await import('./replay-command.ts')).replay,
  },
  {
    name: 'backup',
    description:
      'write the state into one file: open calls, waiting and delivered events; works while the bridge runs',
    examples: `  pbx-bridge backup /var/lib/pbx-bridge/backups/monday.db
  pbx-bridge backup /var/lib/pbx-bridge/backups/latest.db --overwrite
The file contains callers' numbers; only its owner can read it. With the package the user pbx-bridge writes it.`,
    argument: ['<file>', 'file to create'],
    options: [['--overwrite', 'replace the file if it exists']],
    load: async () => (await import('./backup-commands.ts')).writeBackup,
  },
  {
    name: 'restore',
    description: 'replace the state by a backup, on this machine or another; the bridge must be stopped',
    examples: `  pbx-bridge restore /var/lib/pbx-bridge/backups/monday.db
  pbx-bridge restore /var/lib/pbx-bridge/backups/monday.db --replace      set the existing state aside
PBX_ID must be the same as in the backup. Events reported after the backup may be sent twice, which is harmless.`,
    argument: ['<file>', 'file written by pbx-bridge backup'],
    options: [['--replace', 'replace an existing state; its undelivered events are not sent']],
    load: async () => (await import('./backup-commands.ts')).restoreBackup,
  },
  {
    name: 'outbox',
    description: 'show and manage undelivered events',
    commands: [
      {
        name: 'list',
        description: 'list undelivered events',
        examples: `  pbx-bridge outbox list                        waiting events and dead letters
  pbx-bridge outbox list --state dead           dead letters only
  pbx-bridge outbox list --state all --call pbx-1763600000.42`,
        options: [
          ...outboxFilters,
          ['--state <state>', 'waiting, dead, delivered or all'],
          ['--limit <n>', 'show at most this many, the newest', '50'],
        ],
        load: async () => (await import('./outbox-commands.ts')).list,
      },
      {
        name: 'show',
        description: 'show an event with all its delivery attempts',
        examples: `  pbx-bridge outbox show 17                     by its number in the list
  pbx-bridge outbox show pbx-1763600000.42      all events of a call`,
        argument: ['<what>', 'event number or call id'],
        options: [['--show-numbers', "do not mask the caller's number"]],
        load: async () => (await import('./outbox-commands.ts')).show,
      },
      {
        name: 'retry',
        description: 'send dead letters again; works while the bridge runs',
        examples: `  pbx-bridge outbox retry 17 18
  pbx-bridge outbox retry --newer-than 24h
  pbx-bridge outbox retry --all`,
        argument: ['[numbers...]', 'event numbers from outbox list'],
        options: [...outboxFilters, ['--all', 'all dead letters']],
        load: async () => (await import('./outbox-commands.ts')).retry,
      },
      {
        name: 'discard',
        description:
          'delete dead letters; ask first, and log them in outbox.audit.jsonl of the state directory',
        examples: `  pbx-bridge outbox discard 17
  pbx-bridge outbox discard --older-than 30d --yes`,
        argument: ['[numbers...]', 'event numbers from outbox list'],
        options: [...outboxFilters, ['--all', 'all dead letters'], ['--yes', 'do not ask for confirmation']],
        load: async () => (await import('./outbox-commands.ts')).discard,
      },
    ],
  },
];
