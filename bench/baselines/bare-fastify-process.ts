import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { obey } from '../system/child.ts';

/** What the bare server answers to reads: the answers that Topgate gave to the same paths. */
export interface BareRead {
  path: string;
  body: string;
  /** Compared with `If-None-Match`; where it is null, the answer is serialized anew for each request, as Topgate does. */
  etag: string | null;
}

interface OrderBody {
  ref_id: string;
  service_code: string;
  account_identifier: { user_id: string; zone: string };
}

/** Answers the requests of the benchmark with nothing behind it: what Fastify and Node cost by themselves. */
obey<BareRead[]>(async (reads) => {
  const app = Fastify();
  app.post('/api/order', (request) => answerOrder(request.body as OrderBody));
  for (const { path, body, etag } of reads) {
    const parsed: unknown = JSON.parse(body);
    app.get(path, (request, reply) => {
      if (etag === null) return reply.send(parsed);
      void reply.header('etag', etag);
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(body);
    });
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
});

/** As many bytes as Topgate's answer to the same order. */
function answerOrder({ ref_id, service_code, account_identifier }: OrderBody) {
  return {
    status: 200,
    success: true,
    message: 'Transaction created successfully',
    data: {
      ref_id,
      order_id: 'TG01M8TEQ5C8F3AT5ZK0A1B2C3D4',
      service_code,
      service_name: '85 Diamonds (77+8)',
      account_identifier: { ...account_identifier, nickname: `Sandbox ${account_identifier.user_id}` },
      price: 23_600,
      status: 'Process',
      purchase_time: '2026-03-01T02:40:15+07:00',
      product_code: 'MLBB',
      currency: 'IDR',
      mode: 'live',
      serial_number: null,
      failure: null,
      updated_at: '2026-03-01T02:40:15+07:00',
    },
  };
}
