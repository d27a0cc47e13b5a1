import type { Row } from '../../tools/lab/row.ts';
import { answeredRows } from './answered.ts';
import { cutRecordRows } from './cut-records.ts';
import { deviceRows } from './device.ts';
import { groupRows } from './group.ts';
import { machineRows } from './machine.ts';
import { elsewhereRows, hangUpRows, missedRows, nobodysRows, unrecordedRows } from './missed.ts';
import { mobileRows } from './mobile.ts';
import { callBackRows, movedOnRows, notReportedRows } from './not-reported.ts';
import { lineBreakRows, numberFormRows, numberRows, numberRuleRows, rewrittenNumberRows } from './number.ts';
import { keySystemRows, pageRows } from './page.ts';
import { pickupRows, takenRows } from './pickup.ts';
import { queueExitRows, queueRows } from './queue.ts';
import { ruleRows } from './rules.ts';
import {
  handedOnRows,
  joinedRows,
  ledRows,
  replacedLegRows,
  replacedRows,
  silentRows,
  transferRows,
} from './transfer.ts';
import { whoAnswersRows } from './who-answers.ts';

/**
 * The matrix. A row's place in it gives its telephone number, so there is room for `mostRows`. Add new ones at the end: the
 * recordings of those behind an inserted row have other numbers.
 */
export const matrix: readonly Row[] = [
  ...answeredRows,
  ...missedRows,
  ...groupRows,
  ...queueRows,
  ...mobileRows,
  ...transferRows,
  ...pickupRows,
  ...numberRows,
  ...notReportedRows,
  ...rewrittenNumberRows,
  ...numberRuleRows,
  ...whoAnswersRows,
  ...queueExitRows,
  ...numberFormRows,
  ...takenRows,
  ...machineRows,
  ...lineBreakRows,
  ...replacedRows,
  ...pageRows,
  ...elsewhereRows,
  ...hangUpRows,
  ...unrecordedRows,
  ...joinedRows,
  ...replacedLegRows,
  ...nobodysRows,
  ...deviceRows,
  ...cutRecordRows,
  ...ruleRows,
  ...callBackRows,
  ...handedOnRows,
  ...silentRows,
  ...movedOnRows,
  ...ledRows,
  ...keySystemRows,
];
