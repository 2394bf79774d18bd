import { connect } from 'node:net';

export interface HttpAnswer {
  status: number;
  body: Buffer;
}

/** One keep-alive connection that carries one request at a time. */
export interface HttpConnection {
  request(text: string): Promise<HttpAnswer>;
  close(): void;
}

const ANSWER_LIMIT_MS = 30_000;
const HEADER_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

/**
 * A plain HTTP/1.1 client over a socket. `node:http` costs as much CPU for a request as the server does for answering it,
 * and the two share this machine's cores: a cheap client measures the server, an expensive one itself.
 */
export function openConnection(port: number): Promise<HttpConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received: Buffer = Buffer.alloc(0);
  let waiting: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | null = null;

  const fail = (error: Error) => {
    waiting?.reject(error);
    waiting = null;
  };
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = readAnswer(received);
    if (answer === null) return;
    received = Buffer.alloc(0);
    waiting?.resolve(answer);
    waiting = null;
  });
  socket.on('close', () => fail(new Error('The server closed the connection before it answered.')));
  socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy(new Error(`No answer in ${ANSWER_LIMIT_MS} ms.`)));

  return new Promise((opened, refused) => {
    socket.on('error', (error) => {
      refused(error);
      fail(error);
    });
    socket.once('connect', () =>
      opened({
        request: (text) =>
          new Promise((resolve, reject) => {
            waiting = { resolve, reject };
            socket.write(text);
          }),
        close: () => socket.destroy(),
      }),
    );
  });
}

/** The answer, or null while it is not complete. Only what Topgate sends: a content length, no chunks. */
function readAnswer(bytes: Buffer): HttpAnswer | null {
  const headerEnd = bytes.indexOf(HEADER_END);
  if (headerEnd < 0) return null;
  const header = bytes.toString('latin1', 0, headerEnd);
  const length = CONTENT_LENGTH.exec(header)?.[1];
  if (length === undefined) throw new Error(`An answer without a length:\n${header}`);
  const bodyStart = headerEnd + HEADER_END.length;
  const end = bodyStart + Number(length);
  if (bytes.length < end) return null;
  if (bytes.length > end) throw new Error('An answer to a request that was not sent.');
  return { status: Number(header.slice(9, 12)), body: bytes.subarray(bodyStart, end) };
}
