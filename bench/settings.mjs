// How long and how often is measured; a short look: `BENCH_SECONDS=1 BENCH_ROUNDS=1 BENCH_TRIES=1 npm run bench -- ingest`.
const number = (name, otherwise) => Number(process.env[name] ?? otherwise);

export const SECONDS = number('BENCH_SECONDS', 5);
export const ROUNDS = number('BENCH_ROUNDS', 3);
/** A shot that others disturb is repeated so often, and the quietest one counts. */
export const TRIES = number('BENCH_TRIES', 4);
/** Rows of the large project. */
export const ROWS = number('BENCH_ROWS', 10_000_000);
/** Events of the project whose questions are measured. */
export const EVENTS = number('BENCH_EVENTS', ROWS);
/** That are watched at a time. */
export const PROJECTS = number('BENCH_PROJECTS', 1_000);
export const SOAK_SECONDS = number('BENCH_SOAK_SECONDS', 600);
export const CONNECTIONS = 64;
