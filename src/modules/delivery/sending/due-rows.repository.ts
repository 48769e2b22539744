import { type DueTable, isLive, isNext } from './outbox-table.js';

/**
 * SQL that returns the lanes with due rows and their tenants: one lane of each tenant, the longest due one first, then
 * another of each. The statement jumps from lane to lane through the index, so its cost grows with the number of lanes,
 * not of rows. `$1`: the number of lanes; `$2`: the tenant after which to begin, or null.
 */
export function dueLanesSql({ name, lane }: DueTable): string {
  const first = `SELECT project_id AS tenant, ${lane} AS lane, due_at FROM ${name}
    WHERE due_at IS NOT NULL AND claim_token IS NULL`;
  return `
  WITH RECURSIVE /* every tenant: those in turn */ waiting AS (
    (${first} ORDER BY ${lane}, due_at LIMIT 1)
    UNION ALL
    SELECT n.tenant, n.lane, n.due_at
    FROM waiting w, LATERAL (${first} AND ${lane} > w.lane ORDER BY ${lane}, due_at LIMIT 1) n
  ), due AS (
    SELECT tenant, lane, row_number() OVER (PARTITION BY tenant ORDER BY due_at) AS turn
    FROM waiting w WHERE due_at <= now() AND ${isLive('w.tenant')}
  )
  SELECT tenant, lane FROM due ORDER BY turn, $2::uuid IS NOT NULL AND tenant <= $2::uuid, tenant LIMIT $1`;
}

/**
 * `WITH locked AS (…)`, the beginning of a statement that claims rows: it locks due rows of the given lanes and returns
 * their ids. In an ordered series only the first unfinished row qualifies. Rows that another process is claiming are
 * skipped. The second argument has placeholders: `tenants`, `lanes` and `most` of three parallel arrays, `batch` of the
 * largest number of rows.
 */
export function lockedDueSql(
  table: DueTable,
  { tenants, lanes, most, batch }: Readonly<Record<'tenants' | 'lanes' | 'most' | 'batch', string>>,
): string {
  const { name, lane } = table;
  return `
  WITH locked AS (
    SELECT d.id
    FROM unnest(${tenants}::uuid[], ${lanes}::uuid[], ${most}::int[]) AS asked (tenant, lane, most), LATERAL (
      SELECT a.id FROM ${name} a
      WHERE a.project_id = asked.tenant /* tenant: of each lane */ AND a.${lane} = asked.lane AND a.due_at <= now()
        AND a.claim_token IS NULL AND ${isNext(table)} AND ${isLive('a.project_id')}
      ORDER BY a.due_at LIMIT asked.most FOR UPDATE OF a SKIP LOCKED) d
    LIMIT ${batch}
  )`;
}

/**
 * SQL that returns when rows come due within `$1` seconds, for at most `$2` rows: tenant, lane, and the seconds until
 * then, rounded up to tenths.
 */
export function dueSoonSql({ name, lane }: DueTable): string {
  return `
  SELECT DISTINCT tenant, lane, ceil("inSeconds" * 10)::float8 / 10 AS "inSeconds"
  FROM ( /* every tenant: what comes due */
    SELECT project_id AS tenant, ${lane} AS lane, extract(epoch FROM due_at - clock_timestamp()) AS "inSeconds"
    FROM ${name} a
    WHERE due_at > now() AND due_at <= now() + $1 * interval '1 second' AND claim_token IS NULL
      AND ${isLive('a.project_id')}
    ORDER BY due_at LIMIT $2) soon`;
}

/**
 * SQL that counts the rows that are due and not claimed, and returns for how many seconds the oldest of them has been
 * due. Rows that wait for an earlier row of their series do not count.
 */
export function backlogSql(table: DueTable): string {
  return `
  SELECT count(*)::int AS due, coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8 AS "oldestSeconds"
  FROM ${table.name} a
  WHERE /* every tenant: counted */ due_at <= now() AND claim_token IS NULL AND ${isNext(table)}
    AND ${isLive('a.project_id')}`;
}
