import assert from 'node:assert/strict';
import examples from 'libphonenumber-js/examples.mobile.json';
import { type CountryCode, getExampleNumber, type PhoneNumber } from 'libphonenumber-js/max';

/** The library's example of a country's mobile numbers. */
export function exampleOf(country: string): PhoneNumber {
  const example = getExampleNumber(country as CountryCode, examples);
  assert.ok(example, country);
  return example;
}

/** Eight ways in which a trunk of the number's own country writes it. */
export function inItsCountry(example: PhoneNumber): string[] {
  const { number } = example;
  const digits = number.slice(1);
  const national = example.formatNational();
  return [
    number,
    digits,
    `00${digits}`,
    national,
    national.replace(/\D/g, ''),
    example.formatInternational().slice(1),
    `sip:${digits}@192.0.2.1:5060;user=phone`,
    `"${national}"`,
  ];
}

/** Eight ways in which it is written for any country. */
export function anywhere(example: PhoneNumber): string[] {
  const { number } = example;
  const digits = number.slice(1);
  return [
    number,
    `00${digits}`,
    example.formatInternational(),
    `tel:${number}`,
    `"${number}"`,
    `${number}:5060`,
    `sip:${number}@192.0.2.1:5060;user=phone`,
    `"Ann" <sip:00${digits}@pbx.example.com>`,
  ];
}
