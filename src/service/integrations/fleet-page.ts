import { displayText } from '../kit/display-text.ts';
import { type Formats, formatsFor, machineZone } from '../kit/formats.ts';
import { plainLayout } from '../kit/layout.ts';
import { type Column, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { Fleet, FleetBridge } from './fleet.ts';

/** For a machine that has the packages from a repository: README, "Packages that update". */
const updateCommand = 'apt update && apt install --only-upgrade pbx-bridge';

/** All bridges and accounts, for who runs the service: first those that need a look. `now`: Unix ms. */
export function fleetPage(fleet: Fleet, words: Words, now: number): string {
  const { accounts, bridges } = fleet;
  const { common, fleet: text } = words;
  const formats = formatsFor(machineZone(), words.locale);
  const troubled = bridges.filter(({ trouble }) => trouble.length > 0);
  const isOutdated = bridges.some(({ trouble }) => trouble.includes('outdated'));
  const title = text.title(bridges.length);
  const columns = bridgeColumns(fleet, words, formats, now);
  const list = (caption: string, rows: readonly FleetBridge[]) =>
    table({ caption, columns, rows, empty: text.none });
  return plainLayout(
    {
      title,
      body: html`
        <div class="head"><h1>${title}</h1></div>
        <h2>${text.troubled(troubled.length)}</h2>
        ${list(text.troubled(troubled.length), troubled)}
        ${isOutdated && html`<p class="hint">${text.update} <code>${updateCommand}</code></p>`}
        <details class="fold"><summary>${common.all}</summary>${list(common.all, bridges)}</details>
        <details class="fold"><summary>${text.accounts(accounts.length)}</summary>
        ${accountTable(accounts, words, formats)}</details>`,
    },
    words,
    'bridges',
  );
}

function bridgeColumns(
  { accounts }: Fleet,
  { common, fleet: text, settings }: Words,
  formats: Formats,
  now: number,
): readonly Column<FleetBridge>[] {
  const names = new Map(accounts.map(({ uid, name }) => [uid, name]));
  return [
    { head: text.bridge, name: true, cell: ({ name }) => displayText(name, 40) },
    { head: settings.account, cell: ({ account }) => displayText(names.get(account) ?? account, 40) },
    {
      head: common.state,
      cell: ({ trouble, problems }) =>
        html`${trouble.map((kind) => text.trouble[kind]).join(', ') || text.works} ${problems.map((code) => html`<code>${displayText(code)}</code> `)}`,
    },
    {
      head: text.waiting,
      end: true,
      cell: ({ queue }) =>
        queue && html`<span title=${formats.span(queue.oldestMs)}>${formats.number(queue.events)}</span>`,
    },
    { head: text.version, cell: ({ version }) => (version ? displayText(version, 40) : '–') },
    { head: text.lastRequest, cell: ({ lastAt }) => (lastAt === null ? '–' : formats.moment(lastAt, now)) },
  ];
}

function accountTable(
  accounts: Fleet['accounts'],
  { common, fleet: text, layout, settings }: Words,
  formats: Formats,
): Html {
  const of = (count: number, most: number | null) =>
    most === null ? formats.number(count) : `${formats.number(count)} / ${formats.number(most)}`;
  return table({
    caption: text.accounts(accounts.length),
    columns: [
      {
        head: common.name,
        name: true,
        cell: ({ name, near }) =>
          html`${displayText(name, 40)} ${near.length > 0 && html`<span class="missed">${text.near}</span>`}`,
      },
      { head: settings.users, end: true, cell: ({ users, mostUsers }) => of(users, mostUsers) },
      {
        head: text.perMinute,
        end: true,
        cell: ({ requestsPerMinute }) =>
          requestsPerMinute === null ? '–' : formats.number(requestsPerMinute),
      },
      { head: layout.customers, end: true, cell: ({ customers }) => formats.number(customers) },
    ],
    rows: accounts,
    empty: null,
  });
}
