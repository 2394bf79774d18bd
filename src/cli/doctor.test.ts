import { describe, expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { after, SECOND_MS } from '../lib/clock.ts';
import { renderFindings } from './commands/doctor.ts';
import { judgeFacts } from './doctor/database.ts';
import type { Finding } from './doctor/index.ts';
import { examineNode, examinePublicUrl } from './doctor/machine.ts';
import { judgeReviews, judgeSuppliers } from './doctor/operation.ts';
import { judgeAnswer } from './doctor/service.ts';
import type { DatabaseFacts, Settings } from './installation.ts';

const SETTINGS: Settings = {
  port: 3000,
  publicUrl: 'https://topup.example',
  databaseUrl: 'postgres://localhost/topgate',
  dataDir: '/var/lib/topgate',
  env: 'production',
  role: 'all',
  currency: 'IDR',
  timeZone: 'Asia/Jakarta',
};

const FACTS: DatabaseFacts = {
  engine: 'postgres',
  version: '18.4',
  schema: { kind: 'current' },
  now: TEST_START,
  services: { total: 3, withoutRoute: 0 },
};

function levelsOf(findings: Finding[]): Record<string, string> {
  return Object.fromEntries(findings.map(({ name, level }) => [name, level]));
}

describe('doctor', () => {
  test('a database that is current, on time and fully routed is all ok', () => {
    expect(levelsOf(judgeFacts(FACTS, SETTINGS, TEST_START))).toEqual({
      Database: 'ok',
      Schema: 'ok',
      Clock: 'ok',
      Routes: 'ok',
    });
  });

  test('missing migrations are a problem in production and a warning in development', () => {
    const behind: DatabaseFacts = { ...FACTS, schema: { kind: 'behind', pending: ['0002-orders'] }, services: null };
    expect(levelsOf(judgeFacts(behind, SETTINGS, TEST_START))).toMatchObject({ Schema: 'problem' });
    expect(levelsOf(judgeFacts(behind, { ...SETTINGS, env: 'development' }, TEST_START))).toMatchObject({ Schema: 'warning' });
  });

  test('services without a route are warned about, because their live orders go to the sandbox', () => {
    const [routes] = judgeFacts({ ...FACTS, services: { total: 3, withoutRoute: 2 } }, SETTINGS, TEST_START).slice(-1);
    expect(routes).toMatchObject({ level: 'warning', text: expect.stringContaining('2 of 3 services have no route') });
  });

  test('clocks that differ by a minute are a problem', () => {
    const late = after(TEST_START, 60 * SECOND_MS);
    expect(levelsOf(judgeFacts(FACTS, SETTINGS, late))).toMatchObject({ Clock: 'problem' });
  });

  test('an address without TLS that suppliers report to is warned about in production', () => {
    const plain = { ...SETTINGS, publicUrl: 'http://127.0.0.1:3000' };
    expect(examinePublicUrl(SETTINGS).level).toBe('ok');
    expect(examinePublicUrl(plain).level).toBe('warning');
    expect(examinePublicUrl({ ...plain, env: 'development' }).level).toBe('ok');
  });

  test('a Node.js that cannot run TypeScript is a problem, with what to do', () => {
    expect(examineNode('24.12.0').level).toBe('ok');
    expect(examineNode('26.0.0').level).toBe('ok');
    expect(examineNode('24.11.9')).toMatchObject({ level: 'problem', advice: expect.stringContaining('npm ci') });
  });

  test.each([
    ['none', 'ok'],
    ['in_use', 'ok'],
    ['behind', 'warning'],
    ['away', 'warning'],
  ])('a service whose read replica is %s is ready, and %s', (replica, level) => {
    const answer = JSON.stringify({ success: true, data: { status: 'ready', replica } });
    const { finding, state } = judgeAnswer('http://127.0.0.1:3000', 200, answer);
    expect({ level: finding.level, state }).toEqual({ level, state: 'ready' });
  });

  test('alerts of suppliers and live orders in review are warned about, so that not all is well', () => {
    const alerts = [{ kind: 'price_list_refused', message: 'Its price list is not believed.' }];
    const suppliers = judgeSuppliers([
      { code: 'main', alerts },
      { code: 'other', alerts: [] },
    ]);
    expect(suppliers).toMatchObject([{ level: 'warning', text: 'main: Its price list is not believed.' }]);
    const reviews = judgeReviews([{ waiting_seconds: 18_000 }, { waiting_seconds: 60 }], false);
    expect(reviews).toMatchObject({ level: 'warning', text: '2 live orders wait for a decision, the longest for 5 hours' });
    const text = renderFindings([...suppliers, reviews], (_tone, word) => word);
    expect(text).toContain('topgate review list');
    expect(text).toContain('No problem, 2 warnings.');
    expect(judgeSuppliers([{ code: 'main', alerts: [] }])).toMatchObject([{ level: 'ok' }]);
    expect(judgeReviews([], false).level).toBe('ok');
  });

  test('what to do stands under what is wrong', () => {
    const text = renderFindings([examineNode('22.1.0'), ...judgeFacts(FACTS, SETTINGS, TEST_START)], (_tone, word) => word);
    expect(text).toMatch(/PROBLEM {3}Node\.js {3}22\.1\.0 is too old\n +→ run "npm ci"/);
    expect(text).not.toContain('All is well');
  });
});
