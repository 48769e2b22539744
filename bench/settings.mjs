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
/** Where `insight` keeps its filled database for further runs; without it, every run fills one of its own. */
export const KEPT_FOLDER = process.env.BENCH_FOLDER;
/** Of `insight`, the questions whose names contain it. */
export const QUESTION = process.env.BENCH_QUESTION ?? '';
/** That are watched at a time. */
export const PROJECTS = number('BENCH_PROJECTS', 1_000);
/** Of `event-store`: ClickHouse and the load have a core of their own while ingestion is measured. */
export const IS_APART = process.env.BENCH_APART === '1';
/** Of `worst`: `clickhouse` for a service that reads events from there, too. */
export const STORE = process.env.BENCH_STORE ?? 'postgres';
export const SOAK_SECONDS = number('BENCH_SOAK_SECONDS', 600);
export const CONNECTIONS = 64;
/** Another Node's program, on which `ingest` measures the service and the echo too. */
export const OTHER_NODE = process.env.BENCH_NODE;
