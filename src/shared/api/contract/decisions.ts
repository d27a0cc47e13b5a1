/**
 * What the Call Integration API's document says is "not shown", decided once, each with its reason.
 * The rule behind most of them: what the document does show (48 random characters, a 302 to the sign-in page
 * without `Accept: application/json`, "required when direction is inbound", `data`, `links` and `meta`,
 * `-created_at`) is how a Laravel application answers, so the rest is decided as such an application would.
 * The service's OpenAPI file lists this table; the tests name its rows.
 */
export type Decision = {
  /** Part of the document that leaves it open. */
  readonly part: string;
  readonly decides: string;
  readonly because: string;
};

export const limits = {
  /** Largest body of a request, in bytes. */
  bodyBytes: 64 * 1024,
  /** Largest page of the history list, and its size if `limit` is given without a value. */
  pageSize: 1000,
  defaultPageSize: 15,
  /** Longest `id` and `caller_id`; also of references, names and segments of customers. UTF-16 units. */
  referenceLength: 255,
  /** Longest number as written, with a display name and the address of its phone system. */
  numberLength: 255,
  /** Longest `search_term`. */
  searchTermLength: 255,
  /** How long a page of a text search is looked for. */
  searchMs: 400,
} as const;

export const decisions = {
  'invalid-input': {
    part: '4.1, 7',
    decides:
      'A missing field or an invalid value is 422 with `message` and, by field, `errors`. It is in the history, and no call is touched.',
    because: 'That is how a Laravel application answers, and every field at fault is named at once.',
  },
  'broken-json': {
    part: '7',
    decides:
      'A body that is not a JSON object, in UTF-8 or the charset that its Content-Type names, is 400 with `message`.',
    because:
      'Answering such a client that "the id field is required", as Laravel would, hides what is wrong.',
  },
  'content-type': {
    part: '4.1, 7',
    decides:
      'A POST whose Content-Type is not application/json, or names an unknown charset, is 415 with `message`. Its payload is in the history.',
    because:
      'The document names this one type; guessing another would make a wrong client seem right. A client that names its charset is taken at its word.',
  },
  'body-size': {
    part: '8',
    decides: `A body over ${limits.bodyBytes} bytes is 413 with \`message\`. It is in the history with the beginning of its payload, up to that size.`,
    because: 'A call event is a few hundred bytes, and its beginning shows who sent what.',
  },
  'always-json': {
    part: '5, 7',
    decides: 'Only a failed authentication redirects. Every other answer is JSON, whatever Accept says.',
    because:
      'The document names the redirect for authentication only, and phone systems send no Accept header.',
  },
  'json-wanted': {
    part: '5',
    decides:
      'Accept asks for JSON if it names `application/json`, another type that ends in `+json`, or `application/*`. `*/*` does not.',
    because:
      'Such clients cannot show a page. The document redirects who does not ask for JSON, and every browser and curl sends `*/*`.',
  },
  'unknown-path': {
    part: '4',
    decides:
      'An unknown path is 404, a known path with another method is 405 with Allow, both with `message`; after authentication, and in the history.',
    because: 'A mistyped path is the first thing that one looks for in the history.',
  },
  'blank-is-missing': {
    part: '4.1',
    decides:
      'Text is trimmed, except `id` and `search_term`; an empty value, one of blanks alone and null are as if the field were not there.',
    because:
      'Laravel does both; a phone system that fills a URL template sends `caller_id=` before an answer. An id is compared exactly, so it is kept exactly.',
  },
  'repeated-key': {
    part: '4.1',
    decides: 'A field that is given twice counts as given last, in a query as in JSON.',
    because: 'PHP and JSON.parse both do this.',
  },
  'plus-in-query': {
    part: '4.1, 4.2',
    decides:
      'In a query string, a `from`, `number` or `caller_id` that begins with a blank and a digit begins with a plus.',
    because:
      'A plus that a URL template does not encode means a blank there; no phone number begins with one.',
  },
  'raw-url': {
    part: '4.1, 4.2',
    decides:
      'In the URL of `GET /voice/call` and `GET /voice/priority`, blanks and characters outside ASCII need not be encoded: they are read, and kept in the history, as if they were. Bytes that are not UTF-8, encoded or not, are read as ISO 8859-1. Elsewhere, and for control characters, such a URL is 400 with `message`.',
    because: 'A system that can only request a URL fills a template with names as they are.',
  },
  'unknown-fields': {
    part: '2',
    decides: 'Unknown fields are accepted, ignored and kept in the history.',
    because: 'The document says that other fields of a call are not shown; a client may know more of them.',
  },
  'call-extras': {
    part: '2',
    decides:
      'POST takes one more member, `extras`: which number was called, the line, how a missed call ended, and of a call of the past (from records of before there was a bridge) when it began. One that cannot be read is left out; the event counts all the same.',
    because:
      'An addition for bridges that are set to send it. Other clients need not know of it, and no call may be lost to it.',
  },
  'direction-values': {
    part: '2',
    decides: 'Any direction but `inbound` is 422.',
    because: 'A 200 for a call that no screen will show would mislead; inbound is the only value named.',
  },
  'status-values': {
    part: '2, 3',
    decides: 'Any status but `ringing`, `answered` and `completed` is 422.',
    because: 'These are the only ones named, and a status without a place in the order cannot move a call.',
  },
  'call-reference': {
    part: '2, 3',
    decides: `\`id\` is 1 to ${limits.referenceLength} characters without control characters, compared exactly, and unique within the account.`,
    because:
      'Two clients of one account that watch the same phone system report the same calls, each with a token of its own.',
  },
  'number-format': {
    part: '2, 4.2',
    decides: `A number is what a phone system writes as one, up to ${limits.numberLength} characters: digits with separators, a \`sip:\` or \`tel:\` address, with or without a display name. Invisible characters do not count, digits and punctuation of other scripts do, and an extension behind the number is ignored. Of several numbers the first counts. A text without a number, such as \`anonymous\`, is 422: a withheld number is reported as digits, such as \`0\`. Numbers are compared in E.164. Without a plus, those of six digits or more, or with a leading 0, are read as dialled in the account's country, but as E.164 without its plus where they begin with that country's calling code and are valid so; what is no such number is compared by its digits.`,
    because: 'Phone systems write numbers in every way, internal ones too; a name in its place is a mistake.',
  },
  'duplicate-event': {
    part: '3',
    decides: 'An event that is sent again is 200 and discarded.',
    because: 'It moves nothing forward; clients that deliver at least once depend on it.',
  },
  'late-fields': {
    part: '2, 3',
    decides:
      '`from` is kept from the event that creates the call, `caller_id` from the latest event that moves it.',
    because: 'Who called is fixed at the first ring; who answered is known later.',
  },
  'missed-call': {
    part: '6',
    decides:
      'A call is missed if it is completed, was never reported as answered, and its completion names no `caller_id`.',
    because:
      'An answered event can be lost or come too late; the answering party in the completion is proof.',
  },
  'priority-parameter': {
    part: '4.2',
    decides: 'The number is the parameter `number`, in the query of GET, in the JSON body of POST.',
    because: 'The document calls it "a number".',
  },
  'priority-result': {
    part: '2, 4.2',
    decides:
      'The answer is 200 with `priority` (an integer, larger is more important) and `segment` (its name), both null if no customer or no segment matches, and `name` (of the customer), null if no customer matches. It also has what else a dialplan can use: `language`, `blocked`, `last_extension` with `last_answered_at`, and `callback_extension`. A client that does not know them ignores them.',
    because:
      'An unknown caller is an everyday answer and no error, and a 404 would look like a wrong address. The name is for the display of the phone that the call is offered to; the rest costs no second request.',
  },
  'history-entry': {
    part: '2, 4.3',
    decides:
      'An entry has `id`, `created_at` (UTC, when the request came), `method`, `path` (with the query string of a request that has a body), `request` (the payload as received: the body, or the query string as sent), `request_encoding` (`utf-8`, or `base64` if it was no valid UTF-8), `status`, `response` (the JSON given) and `duration` (milliseconds from the request to the writing of the entry).',
    because:
      '`search=request` names the field; an entry is stored before its answer is sent, so that no answer is without an entry.',
  },
  'history-of-lists': {
    part: '2, 4.3',
    decides:
      'In the entry of a history list, `response` has the ids of the entries in place of them. It is null if the list had more than 200 entries or 500,000 characters.',
    because:
      'The entries are in the history already; a list that is kept in the list doubles with every look.',
  },
  'history-search': {
    part: '4.3',
    decides:
      '`search` is `request` or `response`; either of `search` and `search_term` alone is 422. Text is found as written, in upper and lower case as given; in a query string also percent-encoded. In `request`, an entry is also found by the id of a call and the number of a caller that it names, in whatever form its text has them. Lists of the history are not found: they hold what was searched for.',
    because:
      'The document says that they work only together. Who asks whether a call was recorded must not find the asking. What a term finds does not depend on what else is recorded. A call id is what clients search for: an index finds its entries, however long the history is.',
  },
  'history-sort': {
    part: '4.3',
    decides: 'Sortable is `created_at` (equal times in the order of recording). Any other field is 422.',
    because: 'The document names no other; each one would cost an index, and so time, on every event.',
  },
  'history-pages': {
    part: '4.3, 8',
    decides: `\`limit\` is at least 1; more than ${limits.pageSize} is taken as ${limits.pageSize}, an empty one as ${limits.defaultPageSize}, and meta.per_page says so. \`page\` (from 1, only with \`limit\`) turns pages. \`links\` has first, last, prev and next, \`meta\` has current_page, from, last_page, path, per_page, to and total. A page past the end is empty. A text is searched for in the order asked, for ${limits.searchMs} ms at most; what an index finds further on is given all the same. So a page may have fewer entries than limit, even none, while there are more: links.next goes on where it stopped (\`cursor\`), and meta.searched_to says where that is. Each page is in order, and all of them together hold every match once. total, last_page and links.last are null until the last page, and links.prev of a page with a cursor.`,
    because:
      'This is how Laravel pages; who wants everything leaves limit out. A text may be anywhere in millions of entries: an answer in time, which says how far it looked, is more use than a late one.',
  },
  'rate-limit': {
    part: '8',
    decides:
      'No rate limit unless one is set. With one: X-RateLimit-Limit and X-RateLimit-Remaining on every answer, and 429 with Retry-After and X-RateLimit-Reset; the first refused request of an integration in a minute is in the history. What is under /bridge counts apart.',
    because:
      'These are the headers of Laravel; a phone system must not lose calls to a limit that was not set.',
  },
  'not-stored': {
    part: '3, 7',
    decides:
      'If an event cannot be stored, the answer is 503 with Retry-After. Lookups and lists are answered all the same, without an entry in the history.',
    because: 'A 200 confirms receipt: nothing is received before it is on disk.',
  },
} as const satisfies Record<string, Decision>;

export type DecisionKey = keyof typeof decisions;
