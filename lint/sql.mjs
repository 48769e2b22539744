import { PARENTS, TENANT_TABLES } from './tenant-tables.mjs';

/** Stands where a template holds something that is not known here: a name, a condition, a place of a parameter. */
export const HOLE = '\u{1F573}';

const STATEMENT = /^\s*(?:\/\*[\s\S]*?\*\/\s*)*(?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|WITH|MERGE\s+INTO)\b/;
const NAME = String.raw`"?(?<table>[a-z_][a-z0-9_]*\b|${HOLE})"?`;
const ALIAS = String.raw`(?:\s+(?:AS\s+)?(?<alias>[a-z_][a-z0-9_]*))?`;
/** A name with parameters is a function's, but behind INTO. */
const READ = new RegExp(
  String.raw`\b(?:FROM|JOIN|UPDATE|USING)\s+(?:ONLY\s+|LATERAL\s+)?${NAME}(?!\s*\()${ALIAS}`,
  'g',
);
const WRITTEN = new RegExp(String.raw`\bINTO\s+${NAME}${ALIAS}`, 'g');
/** What follows a table and is no alias of it. */
const WORDS = new Set(['where', 'set', 'on', 'using', 'order', 'group', 'limit', 'returning', 'values', 'select']);
const REASON = /\/\*\s*(?:every tenant|tenant):\s*\S[\s\S]*?\*\//;
const VALUE = String.raw`(?:ANY\s*)?\(*\s*(?:\$\d|:\w|${HOLE})`;

/** Whether a text is a statement, in capitals as all of ours are. */
export function isStatement(text) {
  return STATEMENT.test(text) && /\b(?:FROM|INTO|SET|SELECT)\b/.test(text);
}

/**
 * The tables of tenants that a statement names without naming a tenant.
 * A tenant is named by a column that is compared with a parameter, or that an INSERT fills. The statement may say why it needs
 * none: `every tenant: removal of what has expired`, `tenant: by the hash of the key`, as a comment in SQL.
 */
export function tablesWithoutTenant(text) {
  if (REASON.test(text)) return [];
  // What an UPDATE sets is no condition.
  const sql = text
    .replace(/\/\*[\s\S]*?\*\/|--.*$/gm, ' ')
    .replace(/\bSET\s[\s\S]*?(?=\b(?:FROM|WHERE|RETURNING)\b|$)/g, 'SET ');
  const known = tablesOf(sql);
  const tenants = known.filter(({ table }) => table in TENANT_TABLES || table in PARENTS || table === HOLE);
  if (tenants.some((one) => namesTenant(sql, one))) return [];
  return [...new Set(tenants.map(({ table }) => (table === HOLE ? 'a table whose name is not known here' : table)))];
}

function tablesOf(sql) {
  const own = new Set(
    [
      ...sql.matchAll(
        /(?:\bWITH\s+(?:RECURSIVE\s+)?|,\s*)([a-z_]+)(?:\s*\([^)]*\))?\s+AS\s+(?:NOT\s+|MATERIALIZED\s*)*\(/g,
      ),
    ].map(([, name]) => name),
  );
  return [...sql.matchAll(READ), ...sql.matchAll(WRITTEN)]
    .map(({ groups: { table, alias } }) => ({
      table,
      alias: alias === undefined || WORDS.has(alias.toLowerCase()) ? table : alias,
    }))
    .filter(({ table }) => !own.has(table));
}

function namesTenant(sql, { table, alias }) {
  if (table === HOLE) return comparesAny(sql, ['project_id', 'organization_id', 'user_id']);
  const columns = TENANT_TABLES[table] ?? [];
  const others = columns.filter((column) => column !== 'id');
  return comparesAny(sql, others) || fills(sql, table, columns) || (columns.includes('id') && comparesId(sql, alias));
}

function comparesAny(sql, columns) {
  if (columns.length === 0) return false;
  const column = String.raw`(?:\w+\.)?"?(?:${columns.join('|')})"?`;
  return new RegExp(
    String.raw`\b${column}\s*(?:=|IN\b)\s*${VALUE}|(?:\$\d+|${HOLE})(?:::\w+)?\s*=\s*${column}\b|\(${column},[^)]*\)\s*(?:=|IN\b)`,
  ).test(sql);
}

function comparesId(sql, alias) {
  return new RegExp(String.raw`(?:\b${alias}\.|(?<![.\w]))id\s*(?:=|IN\b)\s*${VALUE}`).test(sql);
}

function fills(sql, table, columns) {
  const filled = new RegExp(String.raw`\bINTO\s+${table}\b[^(]*\(([^)]*)\)`).exec(sql)?.[1];
  return filled !== undefined && filled.split(',').some((name) => columns.includes(name.trim()));
}
