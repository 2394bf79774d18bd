import { readConfig, StartError } from './config.ts';
import { serve } from './serve.ts';

try {
  await serve(readConfig(process.env));
  process.exit(0);
} catch (error) {
  if (error instanceof StartError) {
    console.error(error.message);
    process.exit(1);
  }
  throw error;
}
