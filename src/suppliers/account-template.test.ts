import { expect, test } from 'vitest';
import { fillTemplate, readNamedFields } from './account-template.ts';

const PLAYER = { userId: '12345678', zone: '2001' };

test.each([
  ['{user_id}{zone}', '123456782001'],
  ['{user_id}|{zone}', '12345678|2001'],
  ['{user_id}({zone})', '12345678(2001)'],
  ['User ID={user_id}&Server={zone}', 'User ID=12345678&Server=2001'],
])('%s is filled', (template, filled) => {
  expect(fillTemplate(template, PLAYER)).toBe(filled);
});

test('named fields bring every value through, whatever a player writes', () => {
  const odd = { userId: 'Késar#ID1 & {zone}=%', zone: '' };
  const filled = fillTemplate('User ID={user_id}&Server={zone}', odd);
  expect(readNamedFields(filled)).toEqual({ 'User ID': odd.userId });
});
