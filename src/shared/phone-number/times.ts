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
  '24\\s*h?/(?:7|24)\\s*[hj]?|7\\s*[jd]?/7',
].join('|');
/** Can also be digits of a number. */
const possible = `${anyHour}${to}${anyHour}|${day}[./]${month}\\.?|${day}-${month}-\\d\\d`;

const edges = (pattern: string) => `(?<![^\\s(])(?:${pattern})(?![^\\s)])`;
const sureTime = new RegExp(edges(sure), 'giu');
const possibleTime = new RegExp(
  `(?<!\\d[^\\d\\p{L}]*)${edges(possible)}|${edges(possible)}(?![^\\d\\p{L}]*\\d)`,
  'giu',
);

/** The dates and hours in a text (`27.11.2026`, `8:00-17:00`, `24/7`), and the text without them. */
export function timesIn(text: string): { times: string[]; rest: string; isSure: boolean } {
  const times: string[] = [];
  const leaveOut = (time: string) => {
    times.push(time.trim());
    return ' ';
  };
  const withoutSure = text.replace(sureTime, leaveOut);
  const sureTimes = times.length;
  const rest = withoutSure
    .replace(possibleTime, (time) => {
      const [from, until] = time.split(/\s*-\s*/);
      return until !== undefined && Number(from) >= Number(until) ? time : leaveOut(time);
    })
    .replace(/\(\s*\)/g, ' ');
  return { times, rest: rest.trim(), isSure: times.length === sureTimes };
}
