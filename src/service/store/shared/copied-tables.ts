/** What `service copy` takes along: the tables and columns that both engines have, by the same names. */
export type CopiedTable = {
  readonly name: string;
  readonly columns: readonly string[];
  /** What its rows are sorted by to be compared; unique. */
  readonly key: readonly string[];
};

/** A row by its columns, as SQLite holds it: no booleans, payloads as text or bytes. */
export type CopiedRow = Readonly<Record<string, string | number | null | Uint8Array>>;

/** Large and growing: copied in steps, by rising id, while the service runs. */
export const history: CopiedTable = {
  name: 'history',
  columns: [
    ...['id', 'account_id', 'integration_id', 'created_at', 'method', 'path', 'call_id', 'request', 'status'],
    ...['response', 'duration'],
  ],
  key: ['id'],
};

/** The same, and rows of calls that are open move on. */
export const calls: CopiedTable = {
  name: 'calls',
  columns: [
    ...[
      'id',
      'account_id',
      'integration_id',
      'call_id',
      'status',
      'from_number',
      'number',
      'customer_reference',
    ],
    ...['customer_name', 'segment', 'priority', 'caller_id', 'started_at', 'ringing_at', 'answered_at'],
    ...['completed_at', 'missed'],
  ],
  key: ['id'],
};

/** Small: copied as a whole when the service stands still, each after those that it refers to. */
export const smallTables: readonly CopiedTable[] = [
  { name: 'accounts', columns: ['id', 'uid', 'name', 'country', 'time_zone', 'token_counter'], key: ['id'] },
  {
    name: 'integrations',
    columns: ['id', 'uid', 'account_id', 'name', 'token_counter', 'enabled', 'created_at'],
    key: ['id'],
  },
  { name: 'segments', columns: ['id', 'account_id', 'name', 'priority'], key: ['id'] },
  {
    name: 'customers',
    columns: ['id', 'account_id', 'reference', 'name', 'segment_id', 'search'],
    key: ['id'],
  },
  {
    name: 'customer_numbers',
    columns: ['account_id', 'number', 'customer_id'],
    key: ['account_id', 'number'],
  },
  {
    name: 'users',
    columns: [
      ...[
        'id',
        'uid',
        'account_id',
        'name',
        'sign_in_name',
        'role',
        'password',
        'created_at',
        'link_counter',
      ],
    ],
    key: ['id'],
  },
  { name: 'sessions', columns: ['id', 'user_id', 'opened_at', 'used_at'], key: ['id'] },
  { name: 'dismissed_calls', columns: ['user_id', 'call_id', 'until'], key: ['user_id', 'call_id'] },
  {
    name: 'report_hours',
    columns: [...['account_id', 'hour', 'calls', 'answered', 'completed', 'missed', 'rang_ms', 'talked_ms']],
    key: ['account_id', 'hour'],
  },
  {
    name: 'integration_use',
    columns: ['integration_id', 'quarter', 'requests', 'last_at'],
    key: ['integration_id', 'quarter'],
  },
];

/** What is not taken along, because it is made again: sums of other tables, and caches. */
export const madeAgain = [
  'directory',
  'history_counts',
  'history_digests',
  'history_filters',
  'kept_figures',
];
