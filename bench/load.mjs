// A bounded load over keep-alive connections, on loopback only.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CLIENT = fileURLToPath(new URL('load-client.mjs', import.meta.url));

/**
 * Sends `requests`, one after the other and round again, over `connections` for `seconds`, or `count` of them.
 * `{unique-in-run}` in a header or body is another text in each request. An answer whose status (or its hundreds, `2`
 * for all of 2xx) is not `expected` has failed. `collect: { field, file }` adds the values that the JSON member has in
 * answers 200 to a file, one a line.
 * @param {{ url: string, requests: { method?: string, path: string, headers?: Record<string, string>, body?: string }[],
 *   connections?: number, seconds?: number, count?: number, expected?: number[], collect?: { field: string, file: string } }} order
 * @returns latencies in milliseconds, answers by status
 */
export async function load({ url, requests, connections = 64, seconds = 5, count, expected = [2], collect }) {
  const { hostname: host, port } = new URL(url);
  if (host !== '127.0.0.1') throw new Error('load goes to 127.0.0.1 alone');
  const child = fork(CLIENT, { stdio: 'inherit' });
  const spelled = requests.map((one) => ({ method: one.body === undefined ? 'GET' : 'POST', ...one }));
  child.send({ host, port: Number(port), requests: spelled, connections, seconds, count, expected, collect });
  const [result] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the load client ended with ${code}`))),
  ]);
  if (result.error !== undefined) throw new Error(result.error);
  return result;
}

/** Processor time a process has used so far, in µs, in steps of 10 ms: unlike the rate, not disturbed by what else runs. */
async function cpuMicros(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, ...fields] = text.slice(text.lastIndexOf(')')).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** {@link load}, with the processor time a request of the process that answers. */
export async function measured(pid, order) {
  const before = await cpuMicros(pid);
  const result = await load(order);
  return { ...result, cpuMicros: ((await cpuMicros(pid)) - before) / result.requests };
}
