/** Whether it is the name of a time zone whose days and weeks can be counted, with daylight saving time. */
export function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    // Intl knows old names, such as JST, that Temporal refuses.
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return !/^[+-]/.test(name); // an offset has no daylight saving time
  } catch {
    return false;
  }
}
