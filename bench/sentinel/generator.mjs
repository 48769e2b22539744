// Generates random projects, the same for the same seed. Events of several types and sources follow the time of day and
// the day of the week. Deploys shift the level, and all faults are known.
export const DAY = 288;
const BUCKETS = 28 * DAY;
/** The buckets before this one are only history. */
export const JUDGED_FROM = 14 * DAY;
const TYPES = 6;
const SOURCES = 2;
const LATENCY_MS = 120;
const ERROR_RATE = 0.01;
const FAULTS = ['rate_spike', 'rate_drop', 'silence', 'error_burst', 'latency_shift'];
const FAULTS_A_PROJECT = 6;

/** Returns a random number generator (Mulberry32), which is small and good enough for load. */
function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function poisson(mean, next) {
  if (mean <= 0) return 0;
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(next)));
  const bound = Math.exp(-mean);
  let [count, product] = [0, next()];
  while (product > bound) {
    product *= next();
    count++;
  }
  return count;
}

function normal(next) {
  return Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next());
}

/** Returns how busy a bucket of the week is, relative to 1. */
function season(bucket, { night, weekend, peak }) {
  const hour = (bucket % DAY) / 12;
  const day = Math.floor(bucket / DAY) % 7;
  const daily = night + (1 - night) * (0.5 + 0.5 * Math.cos(((hour - peak) / 12) * Math.PI));
  return daily * (day === 2 || day === 3 ? weekend : 1);
}

/**
 * @param first the first bucket of the project
 * @returns { series: [{ series, track }], faults: [{ kind, series, from, to }] }; buckets are counted from `first`
 */
export function projectOf(seed, first) {
  const next = chance(seed);
  const between = (low, high) => low + (high - low) * next();
  const shape = { night: between(0.02, 0.4), weekend: between(0.3, 1), peak: between(10, 16) };
  const faults = faultsOf(next);
  const rates = Array.from({ length: TYPES }, (_, type) => between(20, 120) / (type + 1));
  const deploys = Array.from({ length: 4 }, () => ({ at: Math.floor(next() * BUCKETS), by: between(0.77, 1.3) }));
  const tracks = new Map();
  const trackOf = (type, value) => {
    const key = `${type}:${value}`;
    if (!tracks.has(key)) tracks.set(key, { series: { type, value }, track: emptyTrack(first) });
    return tracks.get(key).track;
  };
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const level = deploys.reduce((product, { at, by }) => (bucket >= at ? product * by : product), 1);
    const whole = { events: 0, errors: 0, slow: 0 };
    for (let type = 0; type < TYPES; type++) {
      const active = faults.filter(
        ({ from, to, type: one }) => bucket >= from && bucket < to && (one === null || one === type),
      );
      const { factor, errorRate, slow } = effectOf(active);
      const events = poisson(rates[type] * level * season(first + bucket, shape) * factor, next);
      const errors = poisson(events * errorRate, next);
      put(trackOf('event', `type.${type}`), bucket, events, Math.min(events, errors), slow, next);
      put(trackOf('source', `source-${type % SOURCES}`), bucket, events, Math.min(events, errors), slow, next);
      whole.events += events;
      whole.errors += Math.min(events, errors);
      whole.slow = Math.max(whole.slow, slow);
    }
    put(trackOf('project', null), bucket, whole.events, whole.errors, whole.slow, next);
  }
  return { series: [...tracks.values()], faults: faults.map((fault) => ({ ...fault, series: seriesOf(fault) })) };
}

function seriesOf({ type }) {
  return type === null ? { type: 'project', value: null } : { type: 'event', value: `type.${type}` };
}

/** Returns faults during the day, on different days, of one event type or of all (`type` is null). */
function faultsOf(next) {
  return Array.from({ length: FAULTS_A_PROJECT }, (_, index) => {
    const day = 14 + index * 2 + Math.floor(next() * 2);
    const from = day * DAY + Math.floor((10 + next() * 6) * 12);
    const kind = FAULTS[Math.floor(next() * FAULTS.length)];
    const type = kind === 'latency_shift' || next() < 0.5 ? null : Math.floor(next() * 2);
    return { kind, type, from, to: from + 6 + Math.floor(next() * 12), strength: next() };
  });
}

function effectOf(faults) {
  const effect = { factor: 1, errorRate: ERROR_RATE, slow: 1 };
  for (const { kind, strength } of faults) {
    if (kind === 'rate_spike') effect.factor *= 12 + 20 * strength;
    if (kind === 'rate_drop') effect.factor *= 0.12 * strength;
    if (kind === 'silence') effect.factor = 0;
    if (kind === 'error_burst') effect.errorRate = 0.35 + 0.6 * strength;
    if (kind === 'latency_shift') effect.slow = 3.5 + 5 * strength;
  }
  return effect;
}

function put(track, bucket, events, errors, slow, next) {
  track.events[bucket] += events;
  track.errors[bucket] += errors;
  track.measured[bucket] += events;
  if (events > 0) track.p95[bucket] = Math.round(LATENCY_MS * Math.max(1, slow) * (1 + 0.1 * normal(next)));
}

function emptyTrack(first) {
  const list = () => new Int32Array(BUCKETS);
  return { first, events: list(), errors: list(), measured: list(), p95: list().fill(-1) };
}
