// Measures what a sign-in and a check of a bearer token cost.
import { load, measured } from './load.mjs';
import { account, startService } from './service.mjs';
import { SECONDS } from './settings.mjs';

const ACCOUNTS = 16;
const PASSWORD = 'bench-password-of-the-run';

export async function run() {
  const service = await startService();
  try {
    const emails = Array.from({ length: ACCOUNTS }, (_, one) => `bench-${one}@example.com`);
    const bearers = [];
    for (const email of emails) bearers.push(await account(service, email, PASSWORD));
    // Passwords of one address are compared one after another, so the load uses many addresses in turn.
    const logins = emails.map((username) => ({
      path: '/v1/auth/login',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ username, password: PASSWORD }).toString(),
    }));
    const bearer = { Authorization: `Bearer ${bearers[0]}` };
    const shots = {
      'POST /v1/auth/login': { requests: logins, connections: 16 },
      'GET /v1/auth/jwks': { requests: [{ path: '/v1/auth/jwks' }] },
      'GET /v1/auth/me': { requests: [{ path: '/v1/auth/me', headers: bearer }] },
      // These two differ only in the token check: both lack a body and are refused before any query.
      'refused input, public': {
        requests: [{ method: 'POST', path: '/v1/account/email-change/confirm' }],
        expected: [422],
      },
      'refused input, bearer': {
        requests: [{ method: 'POST', path: '/v1/account/email-change/request', headers: bearer }],
        expected: [422],
      },
    };
    for (const order of Object.values(shots)) await load({ url: service.url, ...order, seconds: 1 });
    const results = {};
    for (const [name, order] of Object.entries(shots)) {
      const { requests, perSecond, p50, p99, failed, cpuMicros } = await measured(service.pid, {
        url: service.url,
        ...order,
        seconds: SECONDS,
      });
      results[name] = { requests, perSecond, p50, p99, failed, cpuMicros: Math.round(cpuMicros) };
    }
    console.table(results);
    const cost = results['refused input, bearer'].cpuMicros - results['refused input, public'].cpuMicros;
    console.log(`The check of a bearer token whose session is cached costs about ${cost} µs of processor time.`);
  } finally {
    await service.stop();
  }
}
