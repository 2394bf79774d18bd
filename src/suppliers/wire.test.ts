import { expect, test } from 'vitest';
import { readJson } from './wire.ts';

test('an answer with a byte order mark in front is read like any other', () => {
  expect(readJson({ status: 200, text: '\uFEFF{"rc":"00"}' })).toEqual({ rc: '00' });
});

test.each(['', '<html>', '\uFEFF', '{"rc":'])('what is no JSON is no answer: %j', (text) => {
  expect(() => readJson({ status: 404, text })).toThrow('The answer (HTTP 404) is not JSON.');
});
