import { PARENTS, TENANT_TABLES } from './tenant-tables.mjs';

/** Replaces each part of a template whose text is unknown here: a name, a condition, the number of a parameter. */
export const HOLE = '\u{1F573}';

const STATEMENT = /^\s*(?:\/\*[\s\S]*?\*\/\s*)*(?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|WITH|MERGE\s+INTO)\b/;
const NAME = String.raw`(?:[a-z_]+\.)?"?(?<table>[a-z_][a-z0-9_]*\b|${HOLE})"?`;
const ALIAS = String.raw`(?:\s+(?:AS\s+)?(?<alias>[a-z_][a-z0-9_]*))?`;
/** A name before `(` is a function, except after INTO. */
const ITEM = String.raw`(?:ONLY\s+|LATERAL\s+)?${NAME}(?!\s*\()${ALIAS}`;
const READ = new RegExp(String.raw`\b(?:FROM|JOIN|UPDATE|USING)\s+${ITEM}`, 'g');
const FURTHER = new RegExp(String.raw`^\s*${ITEM}`);
/** `LIST` matches the beginning of a list of tables, `BEHIND_LIST` its end at the same depth. */
const LIST = /(?<!\bDISTINCT\s+)\b(?:FROM|USING)\s/g;
const BEHIND_LIST =
  /^(?:WHERE|GROUP|ORDER|HAVING|WINDOW|LIMIT|OFFSET|FETCH|FOR|RETURNING|UNION|INTERSECT|EXCEPT|SET|WHEN)\b/;
const WRITTEN = new RegExp(String.raw`\bINTO\s+${NAME}${ALIAS}`, 'g');
/** Words that may follow a table and are not its alias. */
const WORDS = new Set(['where', 'set', 'on', 'using', 'order', 'group', 'limit', 'returning', 'values', 'select']);
/** The name of a table that is only partly known here. */
const PIECES = String.raw`(?:ONLY\s+|LATERAL\s+)?"?(?:\w+${HOLE}|${HOLE}[\w${HOLE}])`;
const READ_IN_PIECES = new RegExp(String.raw`\b(?:FROM|JOIN|UPDATE|INTO|USING)\s+${PIECES}`, 'u');
const FURTHER_IN_PIECES = new RegExp(String.raw`^\s*${PIECES}`, 'u');
const REASON = /\/\*\s*(?:every tenant|tenant):\s*\S[\s\S]*?\*\//;
const VALUE = String.raw`(?:ANY\s*)?\(*\s*(?:\$\d|:\w|${HOLE})`;

/** Returns whether a text is a statement. Our statements are in capitals. */
export function isStatement(text) {
  return STATEMENT.test(text) && /\b(?:FROM|INTO|SET|SELECT)\b/.test(text);
}

/**
 * Returns whether a statement composes the name of a table. Nobody can then see, or search for, the tables that it
 * means.
 */
export function namesInPieces(text) {
  const sql = withoutComments(text);
  return READ_IN_PIECES.test(sql) || furtherItems(sql).some((item) => FURTHER_IN_PIECES.test(item));
}

/**
 * Returns the tables of tenants that a statement names without naming a tenant. A statement names a tenant by a column
 * that it compares with a parameter, or that an INSERT fills. A statement that needs no tenant gives the reason in an
 * SQL comment: `every tenant: removal of what has expired`, `tenant: by the hash of the key`.
 */
export function tablesWithoutTenant(text) {
  if (REASON.test(text)) return [];
  // The assignments of an UPDATE are not conditions.
  const sql = withoutComments(text).replace(/\bSET\s[\s\S]*?(?=\b(?:FROM|WHERE|RETURNING)\b|$)/g, 'SET ');
  const known = tablesOf(sql);
  const tenants = known.filter(({ table }) => table in TENANT_TABLES || table in PARENTS || table === HOLE);
  if (tenants.some((one) => namesTenant(sql, one))) return [];
  return [...new Set(tenants.map(({ table }) => (table === HOLE ? 'a table whose name is not known here' : table)))];
}

/** Returns the tables that a statement, or a part of one, reads or writes. */
export function tablesNamed(text) {
  return tablesOf(withoutComments(text)).map(({ table }) => table);
}

function tablesOf(sql) {
  const own = new Set(
    [
      ...sql.matchAll(
        /(?:\bWITH\s+(?:RECURSIVE\s+)?|,\s*)([a-z_]+)(?:\s*\([^)]*\))?\s+AS\s+(?:NOT\s+|MATERIALIZED\s*)*\(/g,
      ),
    ].map(([, name]) => name),
  );
  const further = furtherItems(sql)
    .map((item) => FURTHER.exec(item))
    .filter((found) => found !== null);
  return [...sql.matchAll(READ), ...sql.matchAll(WRITTEN), ...further]
    .map(({ groups: { table, alias } }) => ({
      table,
      alias: alias === undefined || WORDS.has(alias.toLowerCase()) ? table : alias,
    }))
    .filter(({ table }) => !own.has(table));
}

export function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|--.*$/gm, ' ');
}

/** Returns the text after each comma of a list of tables, up to the end of the statement. */
function furtherItems(sql) {
  const items = [];
  for (const { index } of sql.matchAll(LIST)) {
    let depth = 0;
    let quoted = false;
    for (let at = index + 'FROM'.length; at < sql.length; at += 1) {
      const sign = sql[at];
      if (sign === "'") quoted = !quoted;
      if (quoted) continue;
      if (sign === '(') depth += 1;
      else if (sign === ')') depth -= 1;
      else if (depth === 0 && sign === ',') items.push(sql.slice(at + 1));
      if (depth < 0 || (depth === 0 && /\W/.test(sql[at - 1]) && BEHIND_LIST.test(sql.slice(at)))) break;
    }
  }
  return items;
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
