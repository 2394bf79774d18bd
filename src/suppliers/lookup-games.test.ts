import { expect, test } from 'vitest';
import { findLookupGame, lookupGamesField, readLookupGames } from './lookup-games.ts';

test('pairs are read with and without spaces, and what is none is left out', () => {
  expect(readLookupGames('MLBB=103, FF = 135')).toEqual({ MLBB: '103', FF: '135' });
  expect(readLookupGames(undefined)).toEqual({});
  expect(readLookupGames('MLBB, =3, FF=')).toEqual({});
});

test('the form takes what can be read, and nothing else', () => {
  const { form } = lookupGamesField;
  expect(['MLBB=103', 'MLBB=103, FF = 135', 'X_1=mobile-legends'].every((text) => form?.pattern.test(text))).toBe(true);
  expect(['MLBB', 'MLBB=', 'MLBB=1;FF=2', '=1', 'MLBB=1,'].some((text) => form?.pattern.test(text))).toBe(false);
});

test("the operator's word goes before the one that is built in", () => {
  expect(findLookupGame('MLBB', { MLBB: '103' }, { MLBB: '999' })).toBe('999');
  expect(findLookupGame('MLBB', { MLBB: '103' }, {})).toBe('103');
  expect(findLookupGame('toString', { MLBB: '103' }, {})).toBeNull();
});
