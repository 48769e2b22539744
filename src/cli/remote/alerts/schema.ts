import { z } from 'zod';
import { secretsIn } from './things.js';

const name = z.string().min(1).max(200);
const seconds = z.int().min(0).max(86_400);
const time = z.iso.datetime({ offset: true });

/** The service counts code points, and `max` of zod counts UTF-16 units. */
const textUpTo = (max: number) =>
  z.string().refine((text) => [...text].length <= max, `must have at most ${max} characters`);

/** A value that the service never returns. It comes from a secret, so that no file contains it. */
const secretText = z
  .string()
  .refine((text) => secretsIn(text).length > 0, 'must refer to a secret, such as {{secret:NAME}}');

/** The service checks the names of placeholders and presets. */
const template = z.strictObject({
  preset: z.string().optional(),
  body: z.unknown().optional(),
  parameters: z.record(z.string(), z.string().min(1).max(2048)).optional(),
});

const destination = z
  .strictObject({
    name,
    type: z.enum(['webhook', 'slack']),
    target_url: z.string().min(1).max(2083),
    secret: secretText.optional(),
    is_enabled: z.boolean().optional(),
    template: template.nullable().optional(),
  })
  .refine(({ type, target_url: url }) => type === 'webhook' || secretsIn(url).length > 0, {
    path: ['target_url'],
    message: 'the address of a Slack webhook is a secret, so it must refer to one, such as {{secret:NAME}}',
  });

const retryPolicy = z.strictObject({
  strategy: z.string().optional(),
  base_delay_seconds: z.int().optional(),
  max_delay_seconds: z.int().optional(),
  max_attempts: z.int().optional(),
});

const channel = z.discriminatedUnion('type', [
  z.strictObject({
    name,
    type: z.literal('webhook'),
    enabled: z.boolean().optional(),
    configuration: z.strictObject({
      url: z.string().min(1).max(2083),
      method: z.enum(['POST', 'PUT', 'PATCH']).optional(),
      headers: z.record(z.string(), z.string().max(300)).optional(),
      retry_policy: retryPolicy.optional(),
      template: template.optional(),
    }),
    protected_headers: z
      .array(z.strictObject({ name: z.string().min(1).max(80), value: secretText }))
      .max(20)
      .optional(),
  }),
  z.strictObject({
    name,
    type: z.literal('email'),
    enabled: z.boolean().optional(),
    configuration: z.strictObject({
      to: z.array(z.string()).min(1).max(20),
      subject_prefix: z.string().max(80).optional(),
      retry_policy: retryPolicy.optional(),
    }),
  }),
]);

const recipients = z
  .array(name)
  .max(20)
  .refine((names) => new Set(names).size === names.length, 'must not repeat a name');

const rule = z.strictObject({
  name,
  is_enabled: z.boolean().optional(),
  severity: z.enum(['info', 'warning', 'critical']).optional(),
  condition: z.unknown().superRefine((value, context) => report(conditionFaults(value), context)),
  group_by: z.array(z.string()).max(5).optional(),
  for_seconds: seconds.optional(),
  keep_firing_seconds: seconds.optional(),
  cooldown_seconds: seconds.optional(),
  destinations: recipients.optional(),
  channels: recipients.optional(),
  runbook_url: textUpTo(2048)
    .refine((url) => /^https?:\/\//i.test(url), 'must be an http or https URL')
    .nullable()
    .optional(),
  notes: textUpTo(4000).nullable().optional(),
});

const silence = z
  .strictObject({
    reason: z.string().min(1).max(500),
    filter: z.unknown().superRefine((value, context) => report(filterFaults(value, []), context)),
    starts_at: time.optional(),
    ends_at: time,
  })
  .refine(({ starts_at: start, ends_at: end }) => start === undefined || Date.parse(start) < Date.parse(end), {
    path: ['ends_at'],
    message: 'must be after starts_at',
  });

/** The members of each kind. The service checks values further, for example the fields of conditions. */
export const SCHEMAS = { destinations: destination, channels: channel, rules: rule, silences: silence } as const;

type Path = readonly (string | number)[];

interface Fault {
  readonly path: Path;
  readonly message: string;
}

const FILTER_MEMBERS = ['all', 'any', 'not'];
const WINDOW_MEMBERS = ['window_seconds', 'aggregate', 'aggregate_field'];

const CONDITION_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  match: [],
  threshold: [...WINDOW_MEMBERS, 'op', 'value'],
  rate_of_change: [...WINDOW_MEMBERS, 'compare_seconds', 'direction', 'percent'],
  absence: ['window_seconds'],
  anomaly: ['finding_kinds', 'min_severity'],
};

/** Limits the recursion of this check. The service itself accepts 8 levels and reports deeper filters. */
const DEEPEST_FILTER = 20;

function* conditionFaults(value: unknown): Generator<Fault, void> {
  if (!isObject(value)) {
    yield { path: [], message: 'must be an object with a kind' };
    return;
  }
  const kinds = Object.keys(CONDITION_MEMBERS);
  const own = typeof value.kind === 'string' ? CONDITION_MEMBERS[value.kind] : undefined;
  if (own === undefined) {
    yield { path: ['kind'], message: `must be one of ${kinds.join(', ')}` };
    return;
  }
  yield* unknownMembers(value, ['kind', ...own, ...FILTER_MEMBERS], []);
  yield* groupFaults(value, []);
}

function* filterFaults(value: unknown, path: Path): Generator<Fault, void> {
  if (!isObject(value) || path.length > 2 * DEEPEST_FILTER) {
    yield {
      path,
      message: isObject(value) ? 'is nested too deeply' : 'must be a comparison, or a group of all, any or not',
    };
    return;
  }
  if ('field' in value || 'op' in value) {
    for (const name of ['field', 'op']) {
      if (typeof value[name] !== 'string') yield { path: [...path, name], message: 'must be text' };
    }
    yield* unknownMembers(value, ['field', 'op', 'value'], path);
    return;
  }
  if (Object.keys(value).length === 0) yield { path, message: 'must have all, any or not' };
  yield* unknownMembers(value, FILTER_MEMBERS, path);
  yield* groupFaults(value, path);
}

function* groupFaults({ all, any, not }: Record<string, unknown>, path: Path): Generator<Fault, void> {
  for (const [name, parts] of Object.entries({ all, any })) {
    if (parts === undefined) continue;
    if (!Array.isArray(parts) || parts.length === 0) {
      yield { path: [...path, name], message: 'must be a list that is not empty' };
    } else for (const [index, part] of parts.entries()) yield* filterFaults(part, [...path, name, index]);
  }
  if (not !== undefined) yield* filterFaults(not, [...path, 'not']);
}

function* unknownMembers(value: object, known: readonly string[], path: Path): Generator<Fault, void> {
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) yield { path: [...path, name], message: `Unrecognized key: "${name}"` };
  }
}

function report(faults: Iterable<Fault>, context: z.RefinementCtx): void {
  for (const { path, message } of faults) context.addIssue({ code: 'custom', path: [...path], message });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
