interface ComputedField {
  readonly holds: 'text' | 'number';
  /** SQL that computes the field from a row of `events` with the alias `e`. */
  readonly sql: string;
}

/** The paths of the properties that may name the route of a request. The first one with a non-empty text names it. */
export const ROUTE_PROPERTIES = [['route'], ['http_route'], ['http', 'route']] as const;

/**
 * Matches the part of an endpoint before its query or fragment. Like {@link ID_PART}, the pattern has the same meaning
 * in PostgreSQL and ClickHouse.
 */
export const PATH_ALONE = '(?s)^.[^?#]*';
/** Matches a part of a path that is an id: a number, a UUID, or at least 12 hexadecimal digits. */
export const ID_PART = '[0-9]+|[0-9a-fA-F]{12,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
/** The text that replaces each id in a route. */
export const ID_PLACE = ':id';

/** Returns SQL for the text of a property, or null when the property is missing, empty or no text. */
function textSql(path: readonly string[]): string {
  const name = path.join('.');
  const named = `e.properties -> '${name}'`;
  const value = path.length === 1 ? named : `coalesce(nullif(${named}, 'null'), e.properties #> '{${path.join(',')}}')`;
  return `CASE WHEN jsonb_typeof(${value}) = 'string' THEN nullif((${value}) #>> '{}', '') END`;
}

const PATH_SQL = `coalesce(substring(e.log_endpoint FROM '${PATH_ALONE}'), e.log_endpoint)`;
const ROUTE_OF_PATH_SQL = `regexp_replace(${PATH_SQL}, '(^|/)(?:${ID_PART})(?=/|$)', '\\1${ID_PLACE}', 'g')`;

/** The fields of conditions that have no column. Each read computes them from other fields of the event. */
export const COMPUTED_FIELDS = {
  'log.status_class': {
    holds: 'text',
    sql: `(CASE WHEN e.log_status BETWEEN 100 AND 599 THEN (e.log_status / 100)::text || 'xx' END)`,
  },
  'log.route': {
    holds: 'text',
    sql: `coalesce(${[...ROUTE_PROPERTIES.map(textSql), ROUTE_OF_PATH_SQL].join(', ')})`,
  },
} as const satisfies Readonly<Record<string, ComputedField>>;

export type ComputedFieldName = keyof typeof COMPUTED_FIELDS;
