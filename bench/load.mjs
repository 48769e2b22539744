// Sends a limited load over keep-alive connections, on loopback only.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CLIENT = fileURLToPath(new URL('load-client.mjs', import.meta.url));

/**
 * Sends `requests` in a cycle over `connections`, for `seconds` or until `count` were sent. `{unique-in-run}` in a
 * header or body is replaced by a different text in each request. An answer fails if `expected` has neither its status
 * nor its class (`2` for all of 2xx). `collect: { field, file }` appends the values of a JSON member in answers 200 to
 * a file, one in each line.
 * @param {{ url: string, requests: { method?: string, path: string, headers?: Record<string, string>, body?: string }[],
 *   connections?: number, seconds?: number, count?: number, expected?: number[], collect?: { field: string, file: string } }} order
 * @returns latencies in milliseconds, and the number of answers by status
 */
export async function load({ url, requests, connections = 64, seconds = 5, count, expected = [2], collect }) {
  const { hostname: host, port } = new URL(url);
  if (host !== '127.0.0.1') throw new Error('load is sent to 127.0.0.1 only');
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

/**
 * Returns the processor time of a process in µs, in steps of 10 ms. Unlike the rate, other processes do not disturb it.
 */
export async function cpuMicros(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, ...fields] = text.slice(text.lastIndexOf(')')).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/**
 * Runs {@link load}.
 * @returns its result, with the processor time for each request of the process that answers, in µs
 */
export async function measured(pid, order) {
  const before = await cpuMicros(pid);
  const result = await load(order);
  return { ...result, cpuMicros: ((await cpuMicros(pid)) - before) / result.requests };
}
