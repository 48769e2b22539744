// Slow reads of several accounts at the same time, next to those of a tenant that must get its answers.
import { Attacker, times } from './attacker.mjs';

const ACCOUNTS = 4;
const LINES_A_REQUEST = 500;
const TEXT = 'ab'.repeat(2_000);
const PATTERNS = 12;

function line(n) {
  return JSON.stringify({
    event_type: `worst.${n % 5}`,
    source: 'w',
    message: `order ${n}`,
    payload: { n, text: TEXT },
  });
}

/** This query follows all alternatives of all patterns, and none matches. */
const COSTLY = `any where ${Array.from({ length: PATTERNS }, (_, at) => `properties.text regex "(a|b)*a(a|b){6${at % 10}}c${at}"`).join(' or ')}`;

const eql = (one, query) => one.post('/v1/eql', { project_id: one.projectId, query, range: 'all' });

/** Opens a free account, which may have only one project, and gives it a new one. */
async function account(service) {
  return (await Attacker.open(service, () => undefined)).inNewProject();
}

async function filled(one, events, deadline) {
  for (let from = 0; from < events && !deadline.aborted; from += LINES_A_REQUEST) {
    const count = Math.min(LINES_A_REQUEST, events - from);
    await one.lines(Array.from({ length: count }, (_, at) => line(from + at)));
  }
  return one;
}

/** The tenant sends these reads one after another. All of them must be answered. */
const READS = [
  (one) => eql(one, 'any where properties.n == 7'),
  (one) => one.get(`/v1/logs?project_id=${one.projectId}&range=24h&query=worst.3`),
  (one) => one.get(`/v1/analytics/breakdown?project_id=${one.projectId}&range=all&by=properties.n`),
  (one) => one.get(`/v1/search?project_id=${one.projectId}&q=order`),
];

export const SLOW_READS = [
  {
    name: 'costly reads of four free accounts',
    async prepare(attacker, size) {
      const accounts = await times(ACCOUNTS + 1, () => account(attacker.service));
      const [tenant, ...others] = accounts;
      await filled(tenant, Math.min(size.searched, 100), attacker.deadline);
      for (const one of others) await filled(one, size.searched, attacker.deadline);
      return { tenant, others };
    },
    attacks: {
      'one EQL query each every 3 s': async (attacker, size, { tenant, others }) => {
        const over = new AbortController();
        const attacking = others.map(async (one) => {
          one.deadline = attacker.deadline;
          const sent = [];
          while (!over.signal.aborted && !attacker.deadline.aborted) {
            sent.push(eql(one, COSTLY));
            await attacker.rest(size.slowReadEveryMs);
          }
          await Promise.all(sent);
        });
        tenant.answers = [];
        for (let round = 0; round < size.slowReadRounds && !attacker.deadline.aborted; round += 1) {
          await attacker.rest(size.slowReadEveryMs);
          for (const read of READS) await read(tenant);
        }
        over.abort();
        const refused = tenant.answers.filter(({ status }) => status !== 200);
        await Promise.all(attacking);
        for (const one of [tenant, ...others]) attacker.answers.push(...one.answers.splice(0));
        if (refused.length > 0) throw new Error(`refused during slow reads: ${JSON.stringify(refused)}`);
      },
    },
    release({ tenant, others }) {
      for (const one of [tenant, ...others]) one.close();
    },
  },
];
