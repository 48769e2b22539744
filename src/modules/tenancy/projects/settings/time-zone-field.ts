import { isTimeZone } from '../../../../platform/clock/index.js';
import { type FieldOptions, TextField } from '../../../../platform/http/validation/index.js';

/** Declares the IANA name of a time zone. */
export const TimeZoneField = (options: FieldOptions<string> = {}): PropertyDecorator =>
  TextField({
    min: 1,
    max: 100,
    example: 'Europe/Berlin',
    check: (name) => (isTimeZone(name) ? undefined : 'timezone must be the IANA name of a time zone'),
    ...options,
  });
