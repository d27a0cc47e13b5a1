import { otherScriptTodo } from './agi-messages.ts';
import type { Message } from './program-messages.ts';

/** Log messages about alerts, and problems that are announced and have no other line in the log. */
export const alertMessages = {
  'alert.began': {
    level: 'warn',
    text: 'problem {problem}: {what}. What to do: {remedy}',
    means:
      'The problem has lasted for ALERT_AFTER, or comes and goes. It is announced by ALERT_MAIL and ALERT_WEBHOOK.',
    todo: 'Do what the line says. The entry of the code after "problem" explains more.',
  },
  'alert.over': {
    level: 'info',
    text: 'problem {problem} is over: {what}',
    means: 'The problem announced before has stayed away for a minute, or for an hour if it came and went.',
  },
  'alert.sent': {
    level: 'info',
    text: 'alerts sent: {count}, to {target}',
    means: 'The mail server or the webhook has accepted them.',
  },
  'alert.not-sent': {
    level: 'error',
    text: 'cannot send alerts: {target}: {error}; retrying',
    means:
      'The mail server or the webhook does not accept alerts. They are kept and sent later, together. Logged once.',
    todo: 'Check SMTP_URL, MAIL_FROM, ALERT_MAIL and ALERT_WEBHOOK with pbx-bridge alert test, or pbx-bridge service alert test.',
  },
  'alert.not-kept': {
    level: 'warn',
    text: 'cannot write {file}: {error}; after a restart, alerts may be sent again',
    means: 'What was announced is kept in this file.',
    todo: 'Check the disk of the state directory.',
  },
  'alert.failed': {
    level: 'error',
    text: 'cannot look for problems: {error}; trying again',
    means: 'A fault in this program, or its storage does not answer. What it is for goes on. Logged once.',
    todo: 'If it lasts, report this line.',
  },
  'problem.test': {
    announced: true,
    level: 'info',
    text: 'this is a test: alerts arrive here',
    means: 'The command alert test has sent it.',
    todo: 'Nothing.',
  },
  'problem.dead-letters': {
    announced: true,
    level: 'error',
    text: 'dead letters: {count}, rejected by the API or not delivered in time',
    means: 'Dead letters are kept and are not sent by themselves.',
    todo: 'pbx-bridge outbox list shows the answer of the API. After removing the cause, run: pbx-bridge outbox retry --all. If they no longer matter: pbx-bridge outbox discard --all.',
  },
  'problem.nothing-accepted': {
    announced: true,
    level: 'error',
    text: 'the API accepts no events: {reason}; events waiting: {waiting}',
    means:
      'Every attempt fails, but too few were made to declare the API out of service. The events are kept and tried again.',
    todo: 'pbx-bridge check tests the API. If it answers with an error, ask its operator.',
  },
  'problem.backlog': {
    announced: true,
    level: 'error',
    text: 'events waiting for delivery: {count}, although the API accepts some',
    means: 'The oldest event has waited for longer than ALERT_AFTER.',
    todo: 'pbx-bridge outbox list shows the last answer of the API. If the API is slow or limits requests, ask its operator.',
  },
  'problem.not-storing': {
    announced: true,
    level: 'error',
    text: 'the disk of {directory} has not stored anything that it was given',
    means: 'The disk hangs. New events wait in memory.',
    todo: 'Check the health and the mount of the disk.',
  },
  'problem.damaged-outbox': {
    announced: true,
    level: 'error',
    text: 'the database in {directory} was damaged and replaced at {at} UTC; events known to be lost: {lost}; the damaged file is {file}',
    means:
      'What could be read of it was taken over, but events and the journal may lack what cannot be counted. Over when the damaged file is deleted.',
    todo: 'Check the health of the disk. pbx-bridge verify compares what was delivered with the API. Then delete the damaged file.',
  },
  'problem.disk-low': {
    announced: true,
    level: 'warn',
    text: 'the disk of {directory} is almost full: {free} MB free',
    means: 'Less than 256 MB are free.',
    todo: 'Free space before the disk is full.',
  },
  'problem.clock': {
    announced: true,
    level: 'warn',
    text: 'the clock of this machine and that of the API differ by {seconds} s',
    means: 'The times of calls are wrong if it is the clock of this machine.',
    todo: 'Check the time and the time zone of this machine (timedatectl).',
  },
  'problem.certificate': {
    announced: true,
    level: 'warn',
    text: '{certificate} expires on {date}',
    means: 'After that day, connections with it are refused.',
    todo: 'Renew the certificate, or ask its owner to.',
  },
  'problem.other-agi-script': {
    announced: true,
    level: 'error',
    text: 'calls go on without the AGI script {script}: the dialplan asked this bridge for it, which does not have it',
    means:
      'The bridge listens on the port of another FastAGI server, or the address in the dialplan is wrong. Over when nothing has asked for such a script for an hour, or after a restart.',
    todo: otherScriptTodo,
  },
} as const satisfies Record<string, Message>;
