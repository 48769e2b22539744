import { EnumField } from '../../../platform/http/validation/index.js';
import { REQUESTED_INTERVALS } from '../event-store/index.js';

/** Declares a property that is a `RequestedInterval`; the default is `auto`. */
export const IntervalField = (): PropertyDecorator =>
  EnumField(REQUESTED_INTERVALS, {
    optional: true,
    default: 'auto',
    description:
      'auto: the shortest with at most 200 buckets in the window, months and years included; minute for windows of up to 2 hours only. Otherwise a window has 1,500 buckets at most',
  });
