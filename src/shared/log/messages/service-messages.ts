import type { Message } from './program-messages.ts';

/** Log messages about the service. */
export const serviceMessages = {
  'service.storage': {
    level: 'info',
    text: 'an acknowledged event is {survives} ({engine})',
    means: 'Which failures an event survives once it was answered 200.',
  },
  'service.storage-unsafe': {
    level: 'warn',
    text: 'an acknowledged event is {survives} ({engine})',
    means:
      'With the settings of this database, a crash of its machine can lose an event that was answered 200.',
    todo: 'Set synchronous_commit and full_page_writes of the PostgreSQL server to on, or accept the risk.',
  },
  'service.started': {
    level: 'info',
    text: 'the Call Integration API is listening at {url}/api/v1; accounts: {accounts}, integrations: {integrations}',
    means: 'The service is running. It stores each event before it answers.',
  },
  'service.metrics-listening': {
    level: 'info',
    text: 'metrics: listening on http://{host}:{port}/metrics',
    means: 'Prometheus uses this address.',
  },
  'service.metrics-not-listening': {
    level: 'warn',
    text: 'metrics: cannot listen on {host} port {port}: {error}; retrying every 5 s',
    means:
      'Another program uses the port, often another process of the service, or this machine does not have the address.',
    todo: 'Set SERVICE_METRICS_LISTEN to a free port for each process, or to off.',
  },
  'service.first-start': {
    level: 'info',
    text: 'first start: created account {account}, integration {integration} and the server secret in {stateDir}; pbx-bridge service link signs in a browser',
    means:
      'The state directory was empty. Every token is derived from the server secret: include it in the backups.',
    todo: 'To sign in, run: pbx-bridge service link. For the lines of .env, run: pbx-bridge service token.',
  },
  'service.not-stored': {
    announced: true,
    level: 'error',
    text: 'cannot store requests: {error}; events are answered 503 until it works again',
    means:
      'The database does not accept writes. Clients keep their events and send them again: nothing is lost.',
    todo: 'Free space on the disk of SERVICE_STATE_DIR, or check its permissions and health. A database that was moved away or replaced: put it back, with its -wal, or restart the service, which goes on with what is there; the -wal of a replaced file is kept as service.db-wal.old-TIME. With DATABASE_URL: check the database.',
  },
  'service.storing-again': {
    level: 'info',
    text: 'requests are stored again',
    means: 'The database accepts writes again.',
  },
  'service.failed': {
    level: 'error',
    text: 'request {request} to {path} failed: {error}; answered 500',
    means: 'A fault in the service. Other requests are not affected. The answer has the same X-Request-Id.',
    todo: 'Report this line.',
  },
  'service.import-broke-off': {
    level: 'warn',
    text: 'an import of account {account} ended early: {error}; {stored} customers are stored',
    means:
      'Customers that were stored before the error stay. The answer says so, and the audit log has an entry, or gets one when the storage takes it.',
    todo: 'Remove the cause, then import the same file again: it stores the rest.',
  },
  'service.import-not-audited': {
    level: 'error',
    text: 'the audit log of account {account} has no entry of an import that ended early after {stored} customers: {error}',
    means: 'The storage has refused the entry for ten minutes.',
    todo: 'See the lines about the storage. Keep this line if the audit log must be complete.',
  },
  'service.limit-reached': {
    level: 'warn',
    text: 'refused request {request} to {path} with 429: a limit was reached; {suppressed} more since the line before',
    means:
      'A client has sent more than a limit allows: SERVICE_RATE_LIMIT, wrong passwords, or what one user, token or account may have at a time. The answer names the limit. Logged at most once a minute.',
  },
  'service.unavailable': {
    level: 'warn',
    text: 'answered request {request} to {path} with 503; {suppressed} more since the line before',
    means:
      'The storage could not be reached, or too many people were signing in. Clients try again: bridges keep their events. Logged at most once a minute.',
    todo: 'See the lines before this one about the storage. Without any, somebody floods the sign-in page: find the address in the log of the proxy, and block it.',
  },
  'service.unreadable': {
    level: 'warn',
    text: 'refused a request from {address} that is not valid HTTP: {reason}; {suppressed} more since the line before',
    means: 'A client sends broken requests, or uses another protocol. Logged at most once a minute.',
    todo: 'If the address is a phone system: its URL may hold control characters, or its template may be broken.',
  },
  'service.screen-too-slow': {
    level: 'info',
    text: 'disconnected a browser that did not read its events; it reconnects by itself',
    means: 'The browser was asleep, or its network too slow. After reconnecting it shows the current state.',
  },
  'service.sign-in-limited': {
    level: 'warn',
    text: 'sign-in from {address} refused: too many wrong attempts within 15 minutes ({suppressed} more refused since the last such line)',
    means:
      'Somebody has forgotten a password, or tries those of others. Other addresses, and browsers that have signed in before, still can.',
    todo: 'If the address is unknown, block it in the firewall.',
  },
  'service.plain-http': {
    level: 'warn',
    text: 'listening on {host} without https: passwords and tokens can be read on the network',
    means: 'SERVICE_LISTEN is reachable from other machines, without https and without a reverse proxy.',
    todo: 'Set SERVICE_TLS_CERT, or put a proxy with https in front (config/nginx-service.conf), listen on 127.0.0.1 or on the network of the proxy, and set SERVICE_TRUSTED_PROXIES.',
  },
  'service.certificate-renewed': {
    level: 'info',
    text: 'https has the new certificate, which expires on {date}',
    means: 'SERVICE_TLS_CERT has changed. Connections that were open keep the old one until they end.',
  },
  'service.certificate-not-renewed': {
    level: 'warn',
    text: 'https keeps the old certificate: {error}',
    means:
      'The files of SERVICE_TLS_CERT and SERVICE_TLS_KEY have changed, and are of no use. They are read again every minute; logged once.',
    todo: 'Put the certificate and its key there, readable for the user of the service (config/operating.md). If the program that renews them was just writing, nothing is to be done.',
  },
  'service.unknown-host': {
    level: 'warn',
    text: 'refused pages under the name {host}, request {request} ({suppressed} more since the last such line)',
    means:
      'A browser reached the service by a name that it does not know, so another site may be behind the request. The API is not affected.',
    todo: 'If the name is one of the service, add it to SERVICE_HOSTS.',
  },
  'service.proxy-sends-no-address': {
    level: 'warn',
    text: 'the trusted proxy {address} sends no X-Forwarded-For: all its clients count as one address',
    means:
      'Wrong passwords are limited by address, so anybody behind this proxy can keep new browsers from signing in. Or somebody signed in on the machine of the proxy itself, past it.',
    todo: 'Let the proxy set X-Forwarded-For to the address of its client, as config/nginx-service.conf does.',
  },
  'service.backed-up': {
    level: 'info',
    text: 'backup written: {file}',
    means: 'A scheduled backup (SERVICE_BACKUP_DIR). pbx-bridge service restore reads it.',
  },
  'service.backup-failed': {
    announced: true,
    level: 'error',
    text: 'scheduled backup failed: {error}',
    means: 'Tried again every minute; logged once. The service runs on.',
    todo: 'Check that the directory of SERVICE_BACKUP_DIR exists, has room, and is writable for the user of the service. The unit of the Debian package writes only to directories that are listed in ReadWritePaths (systemctl edit pbx-bridge-service).',
  },
  'service.token-refused': {
    announced: true,
    level: 'warn',
    text: 'phone system {integration} of account {account} uses a token that was replaced, or is switched off',
    means: 'Its requests are refused (401), so its calls do not arrive. They wait at the phone system.',
    todo: 'Copy the token from the page of the integration into API_TOKEN of the phone system, or switch the integration on.',
  },
  'service.old-token-ends': {
    announced: true,
    level: 'warn',
    text: 'phone system {integration} of account {account} still uses its old token, which ends at {ends} UTC',
    means:
      'The token was replaced, and the old one is accepted for a while. After that its requests are refused (401).',
    todo: 'Copy the new token from the page of the integration into API_TOKEN of the phone system.',
  },
  'service.phone-system-silent': {
    announced: true,
    level: 'warn',
    text: 'phone system {integration} of account {account} is silent, unlike in other weeks at this time',
    means: 'It has sent no request, although it did in most of the last four weeks at this time.',
    todo: 'Check on its machine that the phone system and its bridge run and reach this service: pbx-bridge status.',
  },
  'service.trimmed': {
    level: 'info',
    text: 'deleted what was past its retention in the {what}; entries: {entries}',
    means: 'The retention settings are applied.',
  },
  'service.trim-failed': {
    level: 'warn',
    text: 'cannot delete data that is past its retention: {error}; retrying in a minute',
    means: 'The database grows until this works again.',
    todo: 'Check the disk of STATE_DIR, or with DATABASE_URL the database.',
  },
  'service.weekly-reports-failed': {
    level: 'warn',
    text: 'cannot send the weekly reports: {error}; retrying in an hour',
    means:
      'Users have not got the report of last week yet: it could not be read who gets it, or what was sent.',
    todo: 'Check the disk of STATE_DIR, or with DATABASE_URL the database.',
  },
  'service.weekly-report-failed': {
    level: 'warn',
    text: 'cannot send the weekly report of user {user}: {error}; retrying in an hour',
    means: 'The user has not got the report of last week yet.',
    todo: 'Check SMTP_URL and MAIL_FROM. The user can change the address under Reports, Weekly report by e-mail.',
  },
  'service.notifications-failed': {
    level: 'warn',
    text: 'cannot tell users of missed calls: {error}; retrying',
    means:
      'It could not be read who wants notifications, or of which calls. Those of the last 24 hours are sent when this works again.',
    todo: 'Check the disk of STATE_DIR, or with DATABASE_URL the database.',
  },
  'service.notification-failed': {
    level: 'warn',
    text: 'cannot tell user {user} of missed calls by {medium}: {error}; retrying in a minute',
    means: 'Nobody took the message. It is tried again for 24 hours.',
    todo: 'For mail, check SMTP_URL and MAIL_FROM, and the address under Settings, Notifications. Push messages need a way to the Internet without a proxy.',
  },
  'webhook.stopped': {
    level: 'warn',
    text: 'webhook {webhook} of account {account} to {host} does not work: {reason}; events waiting: {waiting}, next attempt in {wait}',
    means:
      'The receiver cannot be reached, or refuses events. They wait in order and are tried for three days.',
    todo: 'The account sees each answer on the page of the webhook. The receiver must be on the Internet or in SERVICE_WEBHOOK_NETWORKS.',
  },
  'webhook.resumed': {
    level: 'info',
    text: 'webhook {webhook} of account {account} to {host} works again after {lasted}; events waiting: {waiting}',
    means: 'The receiver accepts events again.',
  },
  'webhook.gave-up': {
    level: 'warn',
    text: 'webhook {webhook} of account {account} to {host}: an event of call {call} was refused {tries} times ({reason}); not sent again',
    means:
      'The receiver does not accept this event, or the template of the webhook makes no body of it. Later events of the call are still sent.',
    todo: 'After removing the cause, press Send again on the page of the webhook.',
  },
  'webhook.expired': {
    level: 'warn',
    text: 'webhook {webhook} of account {account} to {host}: events not delivered within {age}: {count}; not sent again',
    means: 'The receiver could not be reached for a long time, or failed on these events.',
    todo: 'After removing the cause, press Send again on the page of the webhook.',
  },
  'webhook.failing': {
    announced: true,
    level: 'warn',
    text: 'webhook {webhook} of account {account} to {host}: every request fails',
    means: 'Events wait and are tried for three days. Then the webhook is switched off.',
    todo: 'Open the webhook under Settings, Webhooks: it shows the answers of the receiver.',
  },
  'webhook.switched-off': {
    announced: true,
    level: 'error',
    text: 'webhook {webhook} of account {account} to {host} was switched off',
    means:
      'Every request failed for three days, or the receiver answered 410 Gone. No events are sent to it.',
    todo: 'Correct the receiver, then switch the webhook on under Settings, Webhooks, and press Send all failed again.',
  },
  'webhook.not-recorded': {
    level: 'error',
    text: 'cannot store the results of webhook deliveries ({count}): {error}; retrying in {wait}',
    means: 'After a restart these events would be sent again, with the same webhook-id.',
    todo: 'Free space on the disk of SERVICE_STATE_DIR, or check its health. With DATABASE_URL: check the database.',
  },
  'webhook.not-read': {
    level: 'error',
    text: 'cannot read the events waiting for a webhook: {error}; retrying',
    means: 'The events stay in the database.',
    todo: 'Check the disk of SERVICE_STATE_DIR, or with DATABASE_URL the database.',
  },
  'webhook.not-queued': {
    level: 'error',
    text: 'cannot look for new events for webhooks: {error}; retrying',
    means: 'The events are found when the database works again.',
    todo: 'Check the disk of SERVICE_STATE_DIR, or with DATABASE_URL the database.',
  },
} as const satisfies Record<string, Message>;
