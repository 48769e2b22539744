// What a sign-in and a bearer check cost.
import { readFile } from 'node:fs/promises';
import { load } from './load.mjs';
import { account, startService } from './service.mjs';

const ACCOUNTS = 16;
const PASSWORD = 'bench-password-of-the-run';

export async function run() {
  const service = await startService({ RATE_LIMIT_OVERRIDES: 'auth-login=100000000,auth-register=100000000' });
  try {
    const emails = Array.from({ length: ACCOUNTS }, (_, one) => `bench-${one}@example.com`);
    const bearers = [];
    for (const email of emails) bearers.push(await account(service, email, PASSWORD));
    // Passwords of one address are compared one after the other, so the load goes round many.
    let turn = 0;
    const nextForm = () =>
      new URLSearchParams({ username: emails[turn++ % ACCOUNTS] ?? '', password: PASSWORD }).toString();
    const isRefusedInput = (status) => status === 422;
    const bearer = { authorization: `Bearer ${bearers[0]}` };
    const at = (path) => `${service.url}/v1/${path}`;
    const shots = {
      'POST /v1/auth/login': [
        at('auth/login'),
        { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: nextForm, connections: 16 },
      ],
      'GET /v1/auth/jwks': [at('auth/jwks'), { method: 'GET' }],
      'GET /v1/auth/me': [at('auth/me'), { method: 'GET', headers: bearer }],
      // The same work but for the check: both miss their body and are refused before anything is looked up.
      'refused input, public': [at('account/email-change/confirm'), { expected: isRefusedInput }],
      'refused input, bearer': [at('account/email-change/request'), { headers: bearer, expected: isRefusedInput }],
    };
    for (const [url, options] of Object.values(shots)) await load(url, { ...options, seconds: 1 });
    const results = {};
    for (const [name, [url, options]] of Object.entries(shots)) {
      const before = await cpuMicros(service.pid);
      const result = await load(url, options);
      const cpu = ((await cpuMicros(service.pid)) - before) / result.requests;
      results[name] = { ...result, cpuMicros: Math.round(cpu) };
    }
    console.table(results);
    const cost = results['refused input, bearer'].cpuMicros - results['refused input, public'].cpuMicros;
    console.log(`A bearer check of a session that is remembered costs about ${cost} µs of processor time.`);
  } finally {
    await service.stop();
  }
}

/** Processor time the service has used so far, in steps of 10 ms: unlike the rate, not disturbed by what else runs. */
async function cpuMicros(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, ...fields] = text.slice(text.lastIndexOf(')')).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
