const day = '(?:0?[1-9]|[12]\\d|3[01])';
const month = '(?:0?[1-9]|1[0-2])';
const hour = '(?:[01]?\\d|2[0-4])';
const unit = '(?:uhr|hrs?|hours?|heures?|horas?|uur|[ap]\\.?m\\.?|h)(?!\\p{L})';
/** `18:30`, `18h30`, `18.30 Uhr`, `6 pm`. */
const clock = `(?:${hour}:[0-5]\\d(?:\\s*${unit})?|${hour}h[0-5]\\d|${hour}(?:\\.[0-5]\\d)?\\s*${unit})`;
const anyHour = `(?:${clock}|${hour}(?:\\.[0-5]\\d)?)`;
const to = '\\s*(?:-|à|bis|to|a|tot)\\s*';

/** Nothing else can be meant by these. */
const sure = [
  `(?:19|20)\\d\\d([./-])${month}\\1${day}(?:T?\\s*${clock})?`,
  `(?:${day}([./-])${month}\\2|${month}([./-])${day}\\3)(?:(?:19|20)\\d\\d|(?<!-)\\d\\d)`,
  `${anyHour}${to}${clock}|${clock}(?:${to}${anyHour})?`,
  `${day}\\.${month}\\.${to}${day}\\.${month}\\.(?:(?:19|20)?\\d\\d)?`,
  '24\\s*h?/(?:7|24)\\s*[hj]?|7\\s*[jd]?/7',
].join('|');
/** `8-12/13-17`: hours of one day, if each is later than the one before. */
const hours = `${anyHour}${to}${anyHour}`;
const twoHours = `${hours}(?:(?:\\s*(?:[/+]|u\\.|und|and|et|y|e|en)\\s*|\\s+)${hours})+`;
/** Can also be digits of a number. */
const possible = `${hours}|${hour}\\.[0-5]\\d|${month}\\.\\d\\d|${day}[./]${month}\\.?|${month}/${day}|${day}-${month}-\\d\\d`;
/** `06/2024`, `24/12-02/01`, `0800-1700`: in some countries, these are also numbers in full. */
const yearAndMonth = `${month}[./-](?:19|20)\\d\\d|(?:19|20)\\d\\d[./-]${month}`;
const fourDigits = '(?:[01]\\d|2[0-4])(?:00|15|30|45)';
const anyYear = '(?:(?:19|20)?\\d\\d)?';
const days = `(?:${day}[./]${month}[./]?${anyYear}|${day}\\.?)${to}${day}[./]${month}[./]?${anyYear}|${month}-${yearAndMonth}`;
const numberLike = `${yearAndMonth}|${days}|${fourDigits}\\s*-\\s*${fourDigits}`;

const edges = (pattern: string) => `(?<![^\\s(])(?:${pattern})(?![^\\s)])`;
const sureTime = new RegExp(edges(sure), 'giu');
const twoTimes = new RegExp(edges(twoHours), 'giu');
const likeNumber = new RegExp(
  `(?<=\\d.*)${edges(numberLike)}(?!.*\\d)|(?<!\\d.*)${edges(yearAndMonth)}(?=\\s|$)`,
  'giu',
);
const onlyNumberLike = new RegExp(`^(?:${numberLike})$`, 'iu');
const possibleTime = new RegExp(
  `(?<!\\d[^\\d\\p{L}]*)${edges(possible)}|${edges(possible)}(?![^\\d\\p{L}]*\\d)`,
  'giu',
);

/** True for a month or for hours as they are written beside a number, which can be a number by themselves. */
export const isTimeBesideNumber = (text: string): boolean => onlyNumberLike.test(text);

/** The times of day are in their order. */
function isAscending(hoursOfDay: string): boolean {
  const all = (hoursOfDay.match(/\d+(?:[.:h]\d\d)?/g) ?? []).map((one) => Number(one.replace(/[:h]/, '.')));
  return all.every((one, index) => index === 0 || (all[index - 1] ?? 0) <= one);
}

/** The dates and hours in a text (`27.11.2026`, `8:00-17:00`, `24/7`), and the text without them. */
export function timesIn(text: string): { times: string[]; rest: string; isSure: boolean } {
  const times: string[] = [];
  const leaveOut = (time: string) => {
    times.push(time.trim());
    return ' ';
  };
  const withoutSure = text
    .replace(twoTimes, (time) => (isAscending(time) ? leaveOut(time) : time))
    .replace(sureTime, leaveOut);
  const sureTimes = times.length;
  const rest = withoutSure
    .replace(likeNumber, leaveOut)
    .replace(possibleTime, (time) => {
      const [from, until] = time.split(/\s*-\s*/);
      return until !== undefined && Number(from) >= Number(until) ? time : leaveOut(time);
    })
    .replace(/\(\s*\)/g, ' ');
  return { times, rest: rest.trim(), isSure: times.length === sureTimes };
}
