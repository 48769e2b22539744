// Runs measurements (shots) that are compared: interleaved in rounds, each on empty tables, and repeated while
// processes outside of the bench disturb the machine.
import { measured } from './load.mjs';
import { watchOthers } from './machine.mjs';
import { median } from './processes.mjs';

const DISTURBED = 0.1;

/**
 * @param shots by name: the process that answers, its options for `load`, and `prepare`, which empties its tables
 * @returns by name: the medians over the rounds, and the highest use of cores by others among the counted attempts
 */
export async function shoot(shots, { seconds, rounds, tries, checkpoint }) {
  const results = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, shot] of Object.entries(shots)) {
      const result = await quietest(shot, { seconds, tries, checkpoint });
      if (result.failed > 0) throw new Error(`${name}: ${result.failed} failed, the first:\n${result.firstFailure}`);
      process.stdout.write(
        `${round + 1}/${rounds} ${name}: ${result.perSecond}/s, others ${result.others.toFixed(2)}\n`,
      );
      (results[name] ??= []).push(result);
    }
  }
  const middle = (all, field) => median(all.map((one) => one[field]));
  return Object.fromEntries(
    Object.entries(results).map(([name, all]) => [
      name,
      {
        perSecond: Math.round(middle(all, 'perSecond')),
        p50: middle(all, 'p50'),
        p99: middle(all, 'p99'),
        cpuMicros: Math.round(middle(all, 'cpuMicros')),
        others: Math.max(...all.map((one) => one.others)),
      },
    ]),
  );
}

async function quietest({ target, order, prepare, warmUp = 1 }, { seconds, tries, checkpoint }) {
  let best;
  for (let count = 0; count < tries; count += 1) {
    await prepare?.();
    if (warmUp > 0) await measured(target.pid, { url: target.url, ...order, seconds: warmUp });
    await prepare?.();
    await checkpoint();
    const others = watchOthers();
    const result = { ...(await measured(target.pid, { url: target.url, ...order, seconds })), others: others() };
    if (best === undefined || result.others < best.others) best = result;
    if (best.others <= DISTURBED) break;
  }
  return best;
}
