import { expect, test } from 'vitest';
import { orderDetailSchema } from '../../orders/admin-contract.ts';
import type { OrderDetail } from '../answers.ts';
import { renderOrderDetail } from './render-order.ts';

test('what went over the wire is shown beside the attempts, and cannot steer the terminal', () => {
  const examples = (orderDetailSchema.meta()?.['examples'] ?? []) as OrderDetail[];
  const [example] = examples;
  const [attempt] = example?.attempts ?? [];
  const [exchange] = attempt?.exchanges ?? [];
  if (!example || !attempt || !exchange) throw new Error('The example of an order has an attempt with an exchange.');
  const answered = { ...exchange, response_body: '{"status":"\u001b[31mPending"}' };
  const lost = { ...exchange, status: null, error: 'No answer: ECONNRESET', response_body: null };
  const shown = renderOrderDetail({ ...example, attempts: [{ ...attempt, exchanges: [answered, lost] }] }, (_tone, text) => text);
  expect(shown).toContain(`POST ${exchange.url}  HTTP 200 in 412 ms: pending`);
  expect(shown).toContain(`→ ${exchange.request_body}`);
  expect(shown).toContain('← {"status":"Pending"}');
  expect(shown).toContain('No answer: ECONNRESET in 412 ms');
});
