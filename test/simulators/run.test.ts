import { execFile } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('a simulator whose port is taken says so in one sentence, and how to choose another one', async () => {
  const other = http.createServer();
  await promisify<number, string>(other.listen.bind(other))(0, '127.0.0.1');
  const { port } = other.address() as AddressInfo;
  const run = promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'run.ts'), 'digiflazz', '--port', `${port}`]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^Port ${port} is taken[^\\n]+--port ${port + 1}\\.\\n$`)),
  });
  other.close();
});
