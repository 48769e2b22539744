import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { LeftOut } from '../left-out.js';

/** A program that this machine does not have, with the reason. */
export interface Absent {
  readonly absent: string;
}

export interface AskOptions {
  /** False: use only programs on the machine; install and download nothing. */
  readonly fetch?: boolean;
}

/**
 * Requests a program from the run; `serve.mjs` lists the paths and the answers. Use `'absent' in answer` to skip tests,
 * with `it.skip` and the reason as its title.
 */
export async function askProgram<T>(path: string, { fetch = true }: AskOptions = {}): Promise<T | Absent> {
  const { TEST_PROGRAMS_URL: address } = process.env;
  if (process.env.TEST_BASE_URL) throw new LeftOut('needs a program that a test run starts');
  if (!address) throw new Error('TEST_PROGRAMS_URL is not set: run the tests through Jest with its global setup');
  return new Promise((resolve, reject) => {
    const request = get(`${address}/${path}${fetch ? '' : '?fetch=no'}`, { agent: false }, (response) => {
      text(response).then((answer) => resolve(JSON.parse(answer) as T | Absent), reject);
    });
    request.on('error', reject);
  });
}
