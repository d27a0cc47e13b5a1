import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crmLink, isCrmTemplate } from './crm-link.ts';

test('a template is an address with http or https, with a place for the caller after the host', () => {
  for (const [template, good] of [
    ['https://crm.example/?phone={number}&customer={reference}', true],
    ['http://10.0.0.5:8080/callers/{number}#now', true],
    ['https://crm.example/?phone={number}', true],
    ['https://crm.example/', false],
    ['https://{reference}/', false],
    ['https://{reference}.example/{number}', false],
    ['https://crm.example{number}/', false],
    ['https://crm.example:{number}/', false],
    ['https://{number}@crm.example/', false],
    ['javascript:alert({number})', false],
    ['data:text/html,{number}', false],
    ['{number}', false],
    ['//crm.example/{number}', false],
    ['', false],
  ] as const)
    assert.equal(isCrmTemplate(template), good, template);
});

test('number and reference are encoded, whatever is in them', () => {
  assert.equal(
    crmLink('https://crm.example/{reference}?phone={number}', {
      number: '+4930',
      reference: 'a/../b?c#{number}"<',
    }),
    'https://crm.example/a%2F..%2Fb%3Fc%23%7Bnumber%7D%22%3C?phone=%2B4930',
  );
});
