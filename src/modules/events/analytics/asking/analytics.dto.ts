import { Fault, type Kind, KindField, NumberField, TextField } from '../../../../platform/http/fields/index.js';
import { EventsQuery } from '../../asked-windows/index.js';
import { type Scalar, SHOWN_CHARACTERS } from '../../event-store/index.js';

/** The query parameters of every analytics endpoint: project, time window, filters and an EQL condition. */
export class AnalyticsQuery extends EventsQuery {
  @TextField({
    min: 1,
    max: 2_000,
    optional: true,
    example: 'properties.plan == "pro" and log.status >= 500',
    description:
      'An EQL condition that the events have to fit, too. What is wrong with it is told as by `POST /v1/eql`',
  })
  where?: string;
}

const SCALARS = [{ type: 'string', maxLength: SHOWN_CHARACTERS }, { type: 'number' }, { type: 'boolean' }];

function scalar(documents: readonly object[]): Kind<Scalar> {
  const read = (value: unknown): Scalar | Fault =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : new Fault('scalar_type', 'Input should be a text, a number or a boolean', value);
  return { document: { anyOf: documents }, build: () => read };
}

/** The property is a value that events are grouped by. */
export const GroupField = (options: { nullable?: true; description: string }): PropertyDecorator =>
  KindField(scalar(options.nullable ? [...SCALARS, { type: 'null' }] : SCALARS), {
    description: options.description,
  });

/** The property is a share of a whole. */
export const ShareField = (description: string): PropertyDecorator => NumberField({ min: 0, max: 1, description });

/** The property is the relative change against the previous window. */
export const ChangeField = (): PropertyDecorator =>
  NumberField({ nullable: true, description: '(now - before) / before; null where before is 0 or null' });
