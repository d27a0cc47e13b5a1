import type { Command } from 'commander';
import { addBugReportOptions } from '../shared/process/bugreport.ts';
import { type Context, createContext, EXIT_CODES_HELP, type Io } from './command-context.ts';
import { createTerminal, fit } from './text/terminal.ts';

/** Adds the operators' commands. Each loads its modules when it runs. */
export function addOperatorCommands(program: Command, io: Io): void {
  // Wrap descriptions in narrow terminals too.
  program.configureHelp({ minWidthToWrap: 16 });
  const command = (name: string, description: string, examples: string, parent = program) =>
    parent
      .command(name)
      .description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', () => helpText(examples, createTerminal(io.out, { colour: false }).width));

  /** Runs a command with its argument, if it has one, its options, and a signal that is aborted by Ctrl-C. */
  const run =
    (load: () => Promise<(context: Context, ...args: never[]) => number | Promise<number>>) =>
    async (...given: unknown[]): Promise<void> => {
      const command = given.at(-1) as Command;
      const stop = new AbortController();
      const onSignal = () => stop.abort();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
      try {
        const work = await load();
        const args = [...given.slice(0, -1), stop.signal] as never[];
        io.exit(await work(createContext(io, command.opts().json === true), ...args));
      } finally {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal);
      }
    };

  command(
    'check',
    'check settings, state directory, ports, PBX and API; change nothing',
    `  pbx-bridge check              before the first start, or when calls do not show
  pbx-bridge check --call       also wait 30 s for a test call, and show whether it is reported
  pbx-bridge check --number 4930901820      only show what is made of a caller's number, and by which rule`,
  )
    .option('--call [seconds]', 'wait for a test call (default: 30 s)')
    .option('--number <number>', "show what is made of a caller's number, and do nothing else")
    .action(run(async () => (await import('./check-command.ts')).check));

  program
    .command('setup')
    .description('configure, check and start the bridge, without questions; again, only what differs changes')
    .argument('[settings...]', 'NAME=value, as in the settings file')
    .option('--dry-run', 'print what would be done, and do nothing')
    .option(
      '--manager-file <file>',
      "Asterisk's file for the manager user (default: manager_custom.conf, else manager.conf)",
    )
    .addHelpText('after', () =>
      helpText(
        `  pbx-bridge setup API_BASE_URL=https://calls.example.com/api/v1 API_TOKEN_FILE=/etc/pbx-bridge/token DEFAULT_COUNTRY=NL
  pbx-bridge setup --dry-run ALERT_MAIL=it@example.com SMTP_URL=smtp://mail.example.com MAIL_FROM=pbx@example.com`,
        createTerminal(io.out, { colour: false }).width,
      ),
    )
    .action(run(async () => (await import('./setup-command.ts')).setup));

  const bugreport = command(
    'bugreport',
    'write one file for a bug report, without secrets, names and numbers',
    `  pbx-bridge bugreport                                  version, machine, settings, check, status, 6 hours of the log
  pbx-bridge bugreport --hours 24 --unit pbx-bridge@branch
  pbx-bridge bugreport --recording /tmp/problem.jsonl    also what pbx-bridge record has recorded, masked again`,
  );
  addBugReportOptions(bugreport, 'that of the settings')
    .option('--recording <file>', 'add this recording')
    .action(run(async () => (await import('./bugreport-command.ts')).bugreport));

  command(
    'status',
    'show the status of the running bridge',
    `  pbx-bridge status             show it once
  pbx-bridge status --watch     refresh every second
  pbx-bridge status --all       all bridges of this machine, one row each
  pbx-bridge status --json      the same as /status.json`,
  )
    .option('--watch', 'refresh every second, until Ctrl-C')
    .option('--all', 'show all bridges of this machine (pbx-bridge@NAME)')
    .option(
      '--folder <folder>',
      'with --all: directory of their settings, NAME.env (default: /etc/pbx-bridge)',
    )
    .option('--url <url>', 'address of the status server (default: STATUS_LISTEN)')
    .action(run(async () => (await import('./status-command.ts')).status));

  const alert = program.command('alert').description('send a test alert');
  command(
    'test',
    'send a test alert to ALERT_MAIL and ALERT_WEBHOOK; the bridge need not run',
    '  pbx-bridge alert test',
    alert,
  ).action(run(async () => (await import('./alert-command.ts')).testAlerts));

  command(
    'explain',
    'explain one call: what was seen, decided and delivered, and why it shows or does not',
    `  pbx-bridge explain 0301234567             the newest call from this number
  pbx-bridge explain 1763600000.42          by the Uniqueid or Linkedid in Asterisk's log
  pbx-bridge explain pbx-1763600000.42      by the call id
Works whether the bridge is running or not. JOURNAL_KEEP sets how far back. Exit code 0: all of the call was reported, 2: it was not.`,
  )
    .argument('<what>', 'call id, caller number, Uniqueid or Linkedid')
    .option('--show-numbers', 'do not mask phone numbers')
    .option('--offline', 'do not read the request history of the API')
    .action(run(async () => (await import('./explain-command.ts')).explain));

  const trunks = command(
    'trunks',
    'list the known trunks with the evidence, or correct them',
    `  pbx-bridge trunks                          where their calls come in, since when, and when last
  pbx-bridge trunks add PJSIP/provider       keep it as a trunk, even without evidence
  pbx-bridge trunks forget PJSIP/1001        it is none, until an inbound call comes in on it`,
  ).action(run(async () => (await import('./trunks-command.ts')).list));

  command('add', 'add a trunk; works while the bridge runs', '  pbx-bridge trunks add PJSIP/provider', trunks)
    .argument('<endpoint>', 'technology and name, as channel names begin')
    .action(run(async () => (await import('./trunks-command.ts')).add));

  command(
    'forget',
    'forget a trunk; works while the bridge runs',
    '  pbx-bridge trunks forget PJSIP/1001',
    trunks,
  )
    .argument('<endpoint>', 'as listed')
    .action(run(async () => (await import('./trunks-command.ts')).forget));

  command(
    'forget',
    "remove a caller's number from delivered events and the journal; works while the bridge runs",
    `  pbx-bridge forget +4930901820
Undelivered events keep it until they are delivered or discarded. For the service: pbx-bridge service forget.`,
  )
    .argument('<number>', 'with + or as dialled in DEFAULT_COUNTRY')
    .action(run(async () => (await import('./forget-command.ts')).forget));

  command(
    'verify',
    'compare delivered events with the request history of the API',
    `  pbx-bridge verify --since 24h
  pbx-bridge verify --since 7d --resend     send missing events again`,
  )
    .option('--since <span>', 'compare events delivered within this time, such as 1h or 7d', '24h')
    .option('--limit <n>', 'compare at most this many events, the newest', '10000')
    .option('--resend', 'send missing events again')
    .action(run(async () => (await import('./verify-command.ts')).verify));

  command(
    'record',
    'record AMI call events into a file, for support; mask numbers and names',
    `  pbx-bridge record --out /tmp/problem.jsonl          until Ctrl-C
  pbx-bridge record --out /tmp/problem.jsonl --seconds 60`,
  )
    .requiredOption('--out <file>', 'file to create')
    .option('--seconds <n>', 'stop after this many seconds (default: at Ctrl-C)')
    .option('--show-numbers', 'do not mask numbers and names')
    .action(run(async () => (await import('./record-command.ts')).record));

  command(
    'replay',
    'show what the bridge would report of a recording, and why',
    `  pbx-bridge replay /tmp/problem.jsonl
  INBOUND_CONTEXTS=from-provider pbx-bridge replay /tmp/problem.jsonl    try other settings`,
  )
    .argument('<file>', 'recording made by pbx-bridge record')
    .option('--show-numbers', 'do not mask phone numbers')
    .action(run(async () => (await import('./replay-command.ts')).replay));

  command(
    'backup',
    'write the state into one file: open calls, waiting and delivered events; works while the bridge runs',
    `  pbx-bridge backup /var/lib/pbx-bridge/backups/monday.db
  pbx-bridge backup /var/lib/pbx-bridge/backups/latest.db --overwrite
The file contains callers' numbers; only its owner can read it. With the package the user pbx-bridge writes it.`,
  )
    .argument('<file>', 'file to create')
    .option('--overwrite', 'replace the file if it exists')
    .action(run(async () => (await import('./backup-commands.ts')).writeBackup));

  command(
    'restore',
    'replace the state by a backup, on this machine or another; the bridge must be stopped',
    `  pbx-bridge restore /var/lib/pbx-bridge/backups/monday.db
  pbx-bridge restore /var/lib/pbx-bridge/backups/monday.db --replace      set the existing state aside
PBX_ID must be the same as in the backup. Events reported after the backup may be sent twice, which is harmless.`,
  )
    .argument('<file>', 'file written by pbx-bridge backup')
    .option('--replace', 'replace an existing state; its undelivered events are not sent')
    .action(run(async () => (await import('./backup-commands.ts')).restoreBackup));

  const outbox = program.command('outbox').description('show and manage undelivered events');
  const filters = (it: Command) =>
    it
      .option('--call <id>', 'events of this call')
      .option('--older-than <span>', 'events older than this, such as 1h or 7d')
      .option('--newer-than <span>', 'events newer than this, such as 1h or 7d');

  filters(
    command(
      'list',
      'list undelivered events',
      `  pbx-bridge outbox list                        waiting events and dead letters
  pbx-bridge outbox list --state dead           dead letters only
  pbx-bridge outbox list --state all --call pbx-1763600000.42`,
      outbox,
    ),
  )
    .option('--state <state>', 'waiting, dead, delivered or all')
    .option('--limit <n>', 'show at most this many, the newest', '50')
    .action(run(async () => (await import('./outbox-commands.ts')).list));

  command(
    'show',
    'show an event with all its delivery attempts',
    `  pbx-bridge outbox show 17                     by its number in the list
  pbx-bridge outbox show pbx-1763600000.42      all events of a call`,
    outbox,
  )
    .argument('<what>', 'event number or call id')
    .option('--show-numbers', "do not mask the caller's number")
    .action(run(async () => (await import('./outbox-commands.ts')).show));

  filters(
    command(
      'retry',
      'send dead letters again; works while the bridge runs',
      `  pbx-bridge outbox retry 17 18
  pbx-bridge outbox retry --newer-than 24h
  pbx-bridge outbox retry --all`,
      outbox,
    ),
  )
    .argument('[numbers...]', 'event numbers from outbox list')
    .option('--all', 'all dead letters')
    .action(run(async () => (await import('./outbox-commands.ts')).retry));

  filters(
    command(
      'discard',
      'delete dead letters; ask first, and log them in outbox.audit.jsonl of the state directory',
      `  pbx-bridge outbox discard 17
  pbx-bridge outbox discard --older-than 30d --yes`,
      outbox,
    ),
  )
    .argument('[numbers...]', 'event numbers from outbox list')
    .option('--all', 'all dead letters')
    .option('--yes', 'do not ask for confirmation')
    .action(run(async () => (await import('./outbox-commands.ts')).discard));
}

/**
 * Formats the text below a command's options: examples and exit codes.
 * @param examples one command per line, optionally followed by two or more spaces and a remark.
 * @param width of the terminal, columns. If a line is longer, its remark goes below the command.
 */
function helpText(examples: string, width: number): string {
  const lines = examples.split('\n').flatMap((line) => {
    const [, command = line, remark] = /^( *\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
    return line.length <= width || remark === undefined ? [line] : [command, `      ${remark}`];
  });
  return ['', 'Examples:', ...lines, '', EXIT_CODES_HELP].flatMap((line) => fit(line, width)).join('\n');
}
