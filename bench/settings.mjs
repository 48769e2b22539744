// The settings of the benches. A short run: `BENCH_SECONDS=1 BENCH_ROUNDS=1 BENCH_TRIES=1 npm run bench -- ingest`.
const number = (name, otherwise) => Number(process.env[name] ?? otherwise);

export const SECONDS = number('BENCH_SECONDS', 5);
export const ROUNDS = number('BENCH_ROUNDS', 3);
/** A measurement that other processes disturb is repeated, up to so many attempts. The least disturbed one counts. */
export const TRIES = number('BENCH_TRIES', 4);
/** Events of the large project in `reads`. */
export const ROWS = number('BENCH_ROWS', 10_000_000);
/** Events of the large project in `insight` and `event-store`. */
export const EVENTS = number('BENCH_EVENTS', ROWS);
/**
 * The folder in which `insight` keeps its filled database for later runs. Without it, every run fills a new database.
 */
export const KEPT_FOLDER = process.env.BENCH_FOLDER;
/** `insight` and `event-store` run only the questions whose names contain this text. */
export const QUESTION = process.env.BENCH_QUESTION ?? '';
/** Number of projects that Sentinel watches in `sentinel`. */
export const PROJECTS = number('BENCH_PROJECTS', 1_000);
/** `event-store` gives ClickHouse and the load client a separate core while it measures ingestion. */
export const IS_APART = process.env.BENCH_APART === '1';
/** With `clickhouse`, the service of `worst` also reads events from ClickHouse. */
export const STORE = process.env.BENCH_STORE ?? 'postgres';
export const SOAK_SECONDS = number('BENCH_SOAK_SECONDS', 600);
export const CONNECTIONS = 64;
/** The program of another Node. `ingest` also measures the service and the echo with it, and `ways` the service. */
export const OTHER_NODE = process.env.BENCH_NODE;
/** A folder with another built version of the service, with which `tracing` compares this one. */
export const OTHER_BUILD = process.env.BENCH_OTHER_BUILD;
