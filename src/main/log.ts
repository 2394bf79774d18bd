import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** Lines for people in development, JSON for machines in production. Secrets never reach either. */
export function createLog(env: 'development' | 'production'): Logger {
  const options = {
    level: 'info',
    redact: {
      paths: ['*.authorization', '*.signature', '*.token', '*.secret', 'authorization', 'signature', 'token', 'secret'],
      censor: '[redacted]',
    },
  };
  if (env === 'production') return pino(options);
  return pino(
    options,
    pretty({
      colorize: process.stdout.isTTY,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'pid,hostname',
      singleLine: true,
      sync: true,
    }),
  );
}
