import {
  AnyField,
  brokenRule,
  compile,
  ListField,
  NameField,
  nested,
  ObjectField,
  TextField,
  validateJson,
  ValidationError,
} from '../../../../platform/http/validation/index.js';

export const MAX_PANELS = 30;
const PLACE = ['body', 'filters'];

class Panel {
  @TextField({ min: 1, max: 100 })
  id!: string;

  @NameField({})
  title!: string;

  @ObjectField({})
  question!: Record<string, unknown>;

  @ObjectField({})
  layout!: Record<string, unknown>;
}

class DashboardFilters {
  @ListField(nested(() => Panel), { max: MAX_PANELS })
  panels!: Panel[];

  @AnyField({ optional: true, nullable: true, check: objectOrList })
  variables?: unknown;

  @AnyField({ optional: true, nullable: true, check: textOrObject })
  range?: unknown;
}

/**
 * Checks that the filters have the form of a dashboard. The content of queries and layouts, and further members, are
 * not checked.
 * @throws ValidationError with the location of each fault below `body.filters`
 */
export function assertDashboard(filters: Readonly<Record<string, unknown>>): void {
  const read = validateJson(compile(DashboardFilters), filters, 'body');
  if ('issues' in read) {
    throw new ValidationError(read.issues.map((issue) => ({ ...issue, loc: [...PLACE, ...issue.loc.slice(1)] })));
  }
  const ids = (read.value as DashboardFilters).panels.map(({ id }) => id);
  const issues = ids.flatMap((id, index) =>
    ids.indexOf(id) === index
      ? []
      : brokenRule([...PLACE, 'panels', index, 'id'], 'panels must have different ids', id).issues,
  );
  if (issues.length > 0) throw new ValidationError(issues);
}

function objectOrList(value: unknown): string | undefined {
  return typeof value === 'object' ? undefined : 'variables must be an object or a list';
}

function textOrObject(value: unknown): string | undefined {
  const isText = typeof value === 'string' && value.length <= 100;
  const isObject = typeof value === 'object' && !Array.isArray(value);
  return isText || isObject ? undefined : 'range must be an object, or a text of at most 100 characters';
}
