import { connect } from 'node:net';

/** The whole answer as it came, one character for each byte. */
export interface Answer {
  status: number;
  text: string;
  bodyAt: number;
}

/** One keep-alive connection that carries one request at a time: nothing is sent before the last answer is complete. */
export interface Connection {
  /** Which of the ports it goes to. */
  port: number;
  send(request: string, answered: (answer: Answer) => void): void;
  close(): void;
}

const LENGTH = '\r\ncontent-length: ';
const READ_BYTES = 65_536;
/** Node reads into it and tells us in the same breath, so one buffer is enough for all connections of a thread. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * A plain HTTP/1.1 client over a socket. `node:http` costs as much CPU for a request as the server does for answering it,
 * and the two share this machine's cores: a cheap client measures the server, an expensive one itself.
 */
export function openConnection(ports: number[], index: number, failed: (error: Error) => void): Promise<Connection> {
  const port = index % ports.length;
  let received = '';
  let waiting: ((answer: Answer) => void) | null = null;
  let closing = false;

  const take = (length: number): boolean => {
    const chunk = readBuffer.toString('latin1', 0, length);
    received = received === '' ? chunk : received + chunk;
    const answer = readAnswer(received);
    if (answer === null) return true;
    const answered = waiting;
    received = '';
    waiting = null;
    if (answered === null) failed(new Error(`An answer to a request that was not sent:\n${answer.text}`));
    else answered(answer);
    return true;
  };
  const socket = connect({
    port: ports[port] ?? 0,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: readBuffer, callback: take },
  });
  socket.on('error', failed);
  socket.on('close', () => closing || failed(new Error('The server closed a connection.')));

  return new Promise((opened) =>
    socket.once('connect', () =>
      opened({
        port,
        send(request, answered) {
          waiting = answered;
          socket.write(request, 'latin1');
        },
        close() {
          closing = true;
          socket.destroy();
        },
      }),
    ),
  );
}

/** The answer, or null while it is not complete. Only what Topgate sends: a content length, no chunks. */
export function readAnswer(text: string): Answer | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const status = Number(text.slice(9, 12));
  const lengthAt = text.indexOf(LENGTH);
  const hasLength = lengthAt >= 0 && lengthAt < headEnd;
  if (!hasLength && status !== 304) throw new Error(`An answer without a length:\n${text.slice(0, headEnd)}`);
  const length = hasLength ? Number.parseInt(text.slice(lengthAt + LENGTH.length, lengthAt + LENGTH.length + 12), 10) : 0;
  const bodyAt = headEnd + 4;
  if (text.length < bodyAt + length) return null;
  if (text.length > bodyAt + length) throw new Error('Two answers to one request.');
  return { status, text, bodyAt };
}
