// A bounded load over keep-alive connections of one process, on loopback only.
import { Agent, request } from 'node:http';

/**
 * Sends requests from `connections` parallel senders for `seconds`; an answer without the `expected` status has failed.
 * @returns {Promise<{ requests: number, perSecond: number, p50: number, p99: number, failed: number }>} latencies in milliseconds
 */
export async function load(
  url,
  { method = 'POST', headers = {}, body = () => undefined, connections = 64, seconds = 5, expected = isSuccess },
) {
  const target = new URL(url);
  if (target.hostname !== '127.0.0.1') throw new Error('load goes to 127.0.0.1 alone');
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies = [];
  let failed = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const once = () =>
    new Promise((resolve, reject) => {
      const payload = body();
      const sent = request(
        target,
        { method, agent, headers: { ...headers, ...(payload && { 'content-length': Buffer.byteLength(payload) }) } },
        (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode ?? 0));
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  const sender = async () => {
    while (performance.now() < endsAt) {
      const at = performance.now();
      const status = await once();
      latencies.push(performance.now() - at);
      if (!expected(status)) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, sender));
  const elapsed = (performance.now() - startedAt) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share) => Number((latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1));
  return {
    requests: latencies.length,
    perSecond: Math.round(latencies.length / elapsed),
    p50: at(0.5),
    p99: at(0.99),
    failed,
  };
}

function isSuccess(status) {
  return status >= 200 && status <= 299;
}
