// Another tenant that sends requests at a steady, low rate. It runs in a separate process, so that its waits are caused
// by the service alone. A request is sent on time even if the previous one is not answered, and its wait begins when it
// was due.
import { Agent, request } from 'node:http';
import { setInterval } from 'node:timers';

const EVERY_MS = 50;
/** One request in forty is a sign-in, which makes one every two seconds. */
const SIGN_IN_EVERY = 40;
const GIVEN_UP_MS = 30_000;
/** The bystander has another address than the attacker, who may use up the limits of an address. */
const LOCAL_ADDRESS = '127.0.0.2';

let target;
let samples = [];
let turn = 0;

process.on('message', ({ follow, collect }) => {
  if (follow !== undefined) target = { ...follow, agent: new Agent({ keepAlive: true, maxSockets: 64 }) };
  if (collect === undefined) return;
  process.send(samples);
  samples = [];
});
process.on('disconnect', () => process.exit());

let dueAt = performance.now();
setInterval(() => {
  for (; dueAt <= performance.now(); dueAt += EVERY_MS) if (target !== undefined) ask(target, (turn += 1), dueAt);
}, EVERY_MS / 5);

function ask({ url, projectId, bearer, email, password, agent }, number, askedAt) {
  const Authorization = `Bearer ${bearer}`;
  const reads = [`/v1/logs?project_id=${projectId}&limit=20`, '/v1/organizations'];
  const [kind, path, options, body] =
    number % SIGN_IN_EVERY === 0
      ? ['login', '/v1/auth/login', { method: 'POST' }, new URLSearchParams({ username: email, password }).toString()]
      : number % 2 === 0
        ? ['health', '/health', {}]
        : ['read', reads[(number >> 1) % 2], { headers: { Authorization } }];
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const note = (status) => samples.push({ kind, status, ms: performance.now() - askedAt });
  const sent = request(
    url + path,
    { agent, headers: form, timeout: GIVEN_UP_MS, localAddress: LOCAL_ADDRESS, ...options },
    (response) => {
      response.resume().once('end', () => note(response.statusCode));
      response.once('error', () => note(0));
    },
  );
  sent.once('timeout', () => sent.destroy());
  sent.once('error', () => note(0));
  sent.end(body);
}
