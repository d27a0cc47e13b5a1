import type { Command } from 'commander';
import { type Context, createContext, type Io } from './command-context.ts';
import { helpText } from './help-text.ts';
import { createTerminal } from './terminal.ts';

type Options = Readonly<Record<string, unknown>> & { readonly json?: boolean };

/** Adds the commands for people who run the bridge. Each loads what it needs when it runs. */
export function addOperatorCommands(program: Command, io: Io): void {
  // Descriptions in narrow terminals too.
  program.configureHelp({ minWidthToWrap: 16 });
  const command = (name: string, description: string, examples: string, parent = program) =>
    parent
      .command(name)
      .description(description)
      .option('--json', 'for scripts')
      .addHelpText('after', () => helpText(examples, createTerminal(io.out, { colour: false }).width));

  /** Runs a command with its context, and ends with its exit code. */
  const run =
    <O extends Options>(work: (context: Context, options: O, stop: AbortSignal) => Promise<number>) =>
    (options: O) =>
      carryOut(options, (context, stop) => work(context, options, stop));

  /** The same for a command that takes something beside its options. */
  const runOn =
    <A, O extends Options>(
      work: (context: Context, what: A, options: O, stop: AbortSignal) => Promise<number>,
    ) =>
    (what: A, options: O) =>
      carryOut(options, (context, stop) => work(context, what, options, stop));

  async function carryOut(
    options: Options,
    work: (context: Context, stop: AbortSignal) => Promise<number>,
  ): Promise<void> {
    const stop = new AbortController();
    const onSignal = () => stop.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
    try {
      io.exit(await work(createContext(io, options.json === true), stop.signal));
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal);
    }
  }

  command(
    'check',
    'try everything that the bridge needs, and say what came of it; changes nothing',
    `  pbx-bridge check              before the first start, or when calls do not show
  pbx-bridge check --call       and listen for a test call for 30 s: is it seen, is it told, and why not`,
  )
    .option('--call [seconds]', 'listen for a test call (30 s)')
    .action(run(async (...args) => (await import('./check-command.ts')).check(...args)));

  command(
    'status',
    'show how the running bridge is doing, on one screen',
    `  pbx-bridge status             once
  pbx-bridge status --watch     again every second
  pbx-bridge status --all       every bridge of this machine, a row each
  pbx-bridge status --json      all of it, as /status.json gives it`,
  )
    .option('--watch', 'again every second, until Ctrl-C')
    .option('--all', 'every bridge whose settings lie beside this one: pbx-bridge@NAME')
    .option('--folder <folder>', 'with --all: where their settings lie, a NAME.env each (/etc/pbx-bridge)')
    .option('--url <url>', 'where the bridge shows its status; from STATUS_LISTEN if left out')
    .action(run(async (...args) => (await import('./status-command.ts')).status(...args)));

  command(
    'explain',
    "tell one call's whole story: what was seen, decided, delivered, and why it shows or does not",
    `  pbx-bridge explain 0301234567             the newest call from this number
  pbx-bridge explain 1763600000.42          by the Uniqueid or Linkedid that Asterisk's log shows
  pbx-bridge explain pbx-1763600000.42      by the call's id
The bridge may be running or not; JOURNAL_KEEP says how far back it knows. 0: told, 2: not (all) told.`,
  )
    .argument('<what>', "a call's id, a caller's number, or a Linkedid")
    .option('--show-numbers', 'numbers in full')
    .option('--offline', "do not ask for the far side's history")
    .action(
      runOn(async (...[context, what, options]) =>
        (await import('./explain-command.ts')).explain(context, what, options),
      ),
    );

  command(
    'verify',
    "compare what was delivered with the far side's own request history",
    `  pbx-bridge verify --since 24h
  pbx-bridge verify --since 7d --resend     and send again what is missing there`,
  )
    .option('--since <span>', 'what was delivered in this time', '24h')
    .option('--limit <n>', 'at most so many events, the newest', '10000')
    .option('--resend', 'send again what is missing there')
    .action(run(async (...args) => (await import('./verify-command.ts')).verify(...args)));

  command(
    'record',
    'write down what Asterisk says of its calls, numbers and names masked, for whoever is to help',
    `  pbx-bridge record --out trouble.jsonl               until Ctrl-C
  pbx-bridge record --out trouble.jsonl --seconds 60`,
  )
    .requiredOption('--out <file>', 'a new file')
    .option('--seconds <n>', 'end after so long')
    .option('--show-numbers', 'numbers and names as they are')
    .action(run(async (...args) => (await import('./record-command.ts')).record(...args)));

  command(
    'replay',
    'tell what would be told of a recording, and why; or play it as an Asterisk',
    `  pbx-bridge replay trouble.jsonl
  INBOUND_CONTEXTS=from-provider pbx-bridge replay trouble.jsonl    with other settings
  pbx-bridge replay trouble.jsonl --serve                           for a bridge to connect to`,
  )
    .argument('<file>', 'what pbx-bridge record wrote')
    .option('--serve [port]', 'play it as an Asterisk, on this machine')
    .option('--speed <n>', 'how many times as fast as it was (with --serve)', '1')
    .option('--show-numbers', 'numbers in full')
    .action(runOn(async (...args) => (await import('./replay-command.ts')).replay(...args)));

  command(
    'simulate',
    'be an office: made-up calls on a real manager port, for a load or to show what a bridge does',
    `  pbx-bridge simulate                                 a call every two seconds
  pbx-bridge simulate --rate 200 --seconds 60 --talk 1
  pbx-bridge simulate --mix answered=3,missed=1 --seed 7`,
  )
    .option('--rate <n>', 'calls a second, on average', '0.5')
    .option('--seconds <n>', 'let calls in for so long; until Ctrl-C if left out')
    .option('--talk <n>', 'seconds that people talk, on average', '30')
    .option('--mix <parts>', 'which calls, and how many parts of each')
    .option('--seed <n>', 'the same calls for the same seed', '1')
    .option('--port <n>', 'where to listen on this machine; any free port if left out')
    .action(run(async (...args) => (await import('./simulate-command.ts')).simulate(...args)));

  command(
    'backup',
    'write the state into one file: open calls, what waits, what was told; also while the bridge runs',
    `  pbx-bridge backup monday.db
  pbx-bridge backup latest.db --overwrite
The file has callers' numbers in it; only its owner can read it.`,
  )
    .argument('<file>', 'a new file')
    .option('--overwrite', 'the file may be there')
    .action(
      runOn(async (...[context, file, options]) =>
        (await import('./backup-commands.ts')).writeBackup(context, file, options),
      ),
    );

  command(
    'restore',
    'put a backup in the place of the state, here or on another machine; the bridge must not run',
    `  pbx-bridge restore monday.db
  pbx-bridge restore monday.db --replace      set aside the state that is there already
PBX_ID must be the one of the backup. What was told after the backup is told again where that is not known: harmless.`,
  )
    .argument('<file>', 'what pbx-bridge backup wrote')
    .option('--replace', 'even if there is a state already: what only that knows is never told')
    .action(
      runOn(async (...[context, file, options]) =>
        (await import('./backup-commands.ts')).restoreBackup(context, file, options),
      ),
    );

  const outbox = program.command('outbox').description('look at the queue, and at what was given up');
  const filters = (it: Command) =>
    it
      .option('--call <id>', 'only those of this call')
      .option('--older-than <span>', 'only those from before, such as 1h or 7d')
      .option('--newer-than <span>', 'only those since, such as 1h or 7d');

  filters(
    command(
      'list',
      'list events that are not delivered',
      `  pbx-bridge outbox list                        what waits, and what was given up
  pbx-bridge outbox list --state dead           the dead letters
  pbx-bridge outbox list --state all --call pbx-1763600000.42`,
      outbox,
    ),
  )
    .option('--state <state>', 'waiting, dead, delivered or all')
    .option('--limit <n>', 'at most so many, the newest', '50')
    .action(run(async (context, options) => (await import('./outbox-commands.ts')).list(context, options)));

  command(
    'show',
    'show an event with every attempt to deliver it',
    `  pbx-bridge outbox show 17                     by its number in the list
  pbx-bridge outbox show pbx-1763600000.42      all events of a call`,
    outbox,
  )
    .argument('<what>', "an event's number, or a call's id")
    .option('--show-numbers', "the caller's number in full")
    .action(
      runOn(async (...[context, what, options]) =>
        (await import('./outbox-commands.ts')).show(context, what, options),
      ),
    );

  filters(
    command(
      'retry',
      'send dead letters again; also while the bridge runs',
      `  pbx-bridge outbox retry 17 18
  pbx-bridge outbox retry --newer-than 24h
  pbx-bridge outbox retry --all`,
      outbox,
    ),
  )
    .argument('[numbers...]', 'as outbox list shows them')
    .option('--all', 'all dead letters')
    .action(
      runOn(async (...[context, what, options]) =>
        (await import('./outbox-commands.ts')).retry(context, what, options),
      ),
    );

  filters(
    command(
      'discard',
      'throw dead letters away for ever; asks first, and keeps a record in the state folder',
      `  pbx-bridge outbox discard 17
  pbx-bridge outbox discard --older-than 30d --yes`,
      outbox,
    ),
  )
    .argument('[numbers...]', 'as outbox list shows them')
    .option('--all', 'all dead letters')
    .option('--yes', 'do not ask')
    .action(
      runOn(async (...[context, what, options]) =>
        (await import('./outbox-commands.ts')).discard(context, what, options),
      ),
    );
}
