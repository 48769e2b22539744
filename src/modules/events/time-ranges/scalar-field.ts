import { Fault, type Kind, KindField } from '../../../platform/http/validation/index.js';
import { type ScalarValue, SHOWN_CHARACTERS } from '../event-store/index.js';

const SCALARS = [{ type: 'string', maxLength: SHOWN_CHARACTERS }, { type: 'number' }, { type: 'boolean' }];

function scalar(documents: readonly object[]): Kind<ScalarValue> {
  const read = (value: unknown): ScalarValue | Fault =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : new Fault('scalar_type', 'Input should be a text, a number or a boolean', value);
  return { document: { anyOf: documents }, build: () => read };
}

/** Declares a property that is a value by which events are grouped. */
export const GroupField = (options: { nullable?: true; description: string }): PropertyDecorator =>
  KindField(scalar(options.nullable ? [...SCALARS, { type: 'null' }] : SCALARS), {
    description: options.description,
  });
